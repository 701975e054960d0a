package tensor

import (
	"strconv"
	"strings"
	"unsafe"
)

// DeviceType is a kind of device.
type DeviceType uint8

const (
	CPU DeviceType = iota
	CUDA
	MetaDevice // geometry without memory
)

var deviceTypes = [...]string{"cpu", "cuda", "meta"}

func (t DeviceType) String() string { return deviceTypes[t] }

// Device identifies a device. The zero value is the CPU. Index is 0 for CPU
// and meta; "cuda" without an index is index 0 here (the current device is
// resolved by whoever parses).
type Device struct {
	Type  DeviceType
	Index int16
}

func (d Device) String() string {
	if d.Type == CUDA {
		return "cuda:" + strconv.Itoa(int(d.Index))
	}
	return d.Type.String()
}

// ParseDevice reads "cpu", "cuda", "cuda:1", "meta".
func ParseDevice(s string) (Device, error) {
	name, idx, has := strings.Cut(s, ":")
	for t, n := range deviceTypes {
		if n != name {
			continue
		}
		d := Device{Type: DeviceType(t)}
		if has {
			i, err := strconv.ParseUint(idx, 10, 8)
			if err != nil {
				return d, Errorf(RuntimeError, "Invalid device string: '%s'", s)
			}
			d.Index = int16(i)
		}
		return d, nil
	}
	return Device{}, Errorf(RuntimeError, "Expected one of cpu, cuda, meta device type at start of device string: %s", name)
}

// Buffer is memory on one device. Devices implement it.
type Buffer interface {
	Device() Device
	// Len is the length in bytes.
	Len() int
	// Bytes is the memory itself where the host can address it, else nil. It
	// starts at a 64-byte boundary and stays valid while the Buffer is reachable.
	Bytes() []byte
}

// Addressed is a Buffer in memory of a device that the host does not see (Bytes is
// nil). Addr is where kernels find it; it means nothing to the host, and stays valid
// while the Buffer is reachable.
type Addressed interface {
	Buffer
	Addr() unsafe.Pointer
}

// Allocator makes buffers of one device. Memory is not cleared. A buffer that
// is no longer reachable may be reused; Free gives one back earlier, when its
// owner knows that nothing else holds it.
type Allocator interface {
	Device() Device
	// Alloc returns a buffer of n bytes or a RuntimeError that names the figures.
	Alloc(n int) (Buffer, error)
	Free(Buffer)
}

// HostBuffer is a Buffer over plain Go memory: constants, tests, data handed
// in by an embedder.
type HostBuffer []byte

func (b HostBuffer) Device() Device { return Device{} }
func (b HostBuffer) Len() int       { return len(b) }
func (b HostBuffer) Bytes() []byte  { return b }

// Generator is a random stream: its state is a buffer that random ops read and
// rewrite (op.Def.State), so that it is ordered and replayed like a tensor.
type Generator struct {
	Dev   Device
	State Buffer
	Seed  uint64
}
