package sim

import (
	"runtime"
	"unsafe"

	"github.com/larkspur-ml/larkspur/device"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Device makes a Machine a device that holds tensors, as cuda:0.
type Device struct{ *Machine }

type buffer struct {
	addr uint64
	n    int
}

func (b *buffer) Device() tensor.Device { return tensor.Device{Type: tensor.CUDA} }
func (b *buffer) Len() int              { return b.n }
func (b *buffer) Bytes() []byte         { return nil }

// Addr implements tensor.Addressed.
func (b *buffer) Addr() unsafe.Pointer {
	a := uintptr(b.addr)
	return *(*unsafe.Pointer)(unsafe.Pointer(&a))
}

// Device implements tensor.Allocator.
func (d Device) Device() tensor.Device { return tensor.Device{Type: tensor.CUDA} }

// Alloc implements tensor.Allocator.
func (d Device) Alloc(n int) (tensor.Buffer, error) {
	b := &buffer{d.Machine.Alloc(n), n}
	runtime.AddCleanup(b, d.Machine.Free, b.addr)
	return b, nil
}

// Free implements tensor.Allocator; memory goes when its buffer does.
func (d Device) Free(tensor.Buffer) {}

// Name implements device.Device.
func (d Device) Name() string { return "PTX interpreter" }

// Stats implements device.Device.
func (d Device) Stats() device.Stats { return device.Stats{} }

// Copy implements device.Device.
func (d Device) Copy(_ device.Stream, dst tensor.Buffer, dstOff int, src tensor.Buffer, srcOff, n int) error {
	var b []byte
	if h := src.Bytes(); h != nil {
		b = h[srcOff : srcOff+n]
	} else {
		b = make([]byte, n)
		if err := d.Read(b, src.(*buffer).addr+uint64(srcOff)); err != nil {
			return err
		}
	}
	if h := dst.Bytes(); h != nil {
		copy(h[dstOff:dstOff+n], b)
		return d.Sync()
	}
	return d.Write(dst.(*buffer).addr+uint64(dstOff), b)
}

// NewStream implements device.Device: launches are done at once.
func (d Device) NewStream() (device.Stream, error) { return stream{d}, nil }

type stream struct{ d Device }

func (s stream) Launch(k device.Kernel) error { return k.Run(0, 0) }
func (s stream) Sync() error                  { return s.d.Sync() }

var _ device.Device = Device{}
