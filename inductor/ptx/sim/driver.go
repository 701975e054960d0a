package sim

import (
	"time"

	"github.com/larkspur-ml/larkspur/device"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Driver gives one GPU, the interpreter. It implements device.Driver.
type Driver struct{ GPU Device }

// NewDriver makes a Driver with a GPU of a number of multiprocessors.
func NewDriver(processors int) *Driver { return &Driver{Device{New(processors)}} }

// Count implements device.Driver.
func (d *Driver) Count() (int, error) { return 1, nil }

// Open implements device.Driver.
func (d *Driver) Open(i int) (device.GPU, error) {
	if i != 0 {
		return nil, tensor.Errorf(tensor.RuntimeError, "CUDA error: invalid device ordinal")
	}
	return d.GPU, nil
}

// Info implements device.GPU.
func (d Device) Info() device.GPUInfo {
	return device.GPUInfo{Name: d.Name(), Major: 8, Memory: 1 << 30, Processors: d.Machine.Processors()}
}

// Synchronize implements device.GPU.
func (d Device) Synchronize() error { return d.Sync() }

// MemoryInfo implements device.GPU.
func (d Device) MemoryInfo() (free, total int64, err error) { return 1 << 30, 1 << 30, nil }

// EmptyCache implements device.GPU.
func (d Device) EmptyCache() error { return nil }

// ResetPeak implements device.GPU.
func (d Device) ResetPeak() {}

// Summary implements device.GPU.
func (d Device) Summary() string { return d.Name() + "\n" }

// NewEvent implements device.GPU.
func (d Device) NewEvent() (device.Event, error) { return &event{d: d}, nil }

// Current implements device.GPU.
func (d Device) Current() device.Stream { return stream{d} }

// Use implements device.GPU.
func (d Device) Use(device.Stream) (device.Stream, error) { return stream{d}, nil }

// event is a moment: all that was launched before is done.
type event struct {
	d  Device
	at time.Time
}

func (e *event) Record(device.Stream) error { e.at = time.Now(); return nil }
func (e *event) Wait(device.Stream) error   { return nil }
func (e *event) Query() (bool, error)       { return true, nil }
func (e *event) Synchronize() error         { return e.d.Sync() }
func (e *event) Elapsed(end device.Event) (float64, error) {
	return float64(end.(*event).at.Sub(e.at)) / 1e6, nil
}

var _ device.GPU = Device{}
