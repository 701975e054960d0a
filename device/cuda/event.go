package cuda

import (
	"runtime"

	"github.com/larkspur-ml/larkspur/device"
	"github.com/larkspur-ml/larkspur/tensor"
)

// event is a mark in a stream. It implements device.Event.
type event struct {
	g *GPU
	h uintptr
}

// NewEvent implements device.GPU.
func (g *GPU) NewEvent() (device.Event, error) {
	h := new(uintptr)
	err := g.on(func() error { return g.d.call("cuEventCreate", g.d.api.EventCreate, ptr(h), 0) })
	if err != nil {
		return nil, err
	}
	e := &event{g, *h}
	runtime.AddCleanup(e, func(h uintptr) {
		g.q.put(command{run: func() { g.d.call("cuEventDestroy", g.d.api.EventDestroy, h) }})
	}, e.h)
	return e, nil
}

func (e *event) Record(s device.Stream) error {
	t := s.(*stream)
	return e.g.on(func() error { return e.g.d.call("cuEventRecord", e.g.d.api.EventRecord, e.h, t.h) })
}

func (e *event) Wait(s device.Stream) error {
	t := s.(*stream)
	return e.g.on(func() error { return e.g.d.call("cuStreamWaitEvent", e.g.d.api.StreamWaitEvent, t.h, e.h, 0) })
}

func (e *event) Query() (bool, error) {
	err := e.g.on(func() error { return e.g.d.call("cuEventQuery", e.g.d.api.EventQuery, e.h) })
	if d, ok := err.(*driverError); ok && d.code == errNotReady {
		return false, nil
	}
	return err == nil, err
}

func (e *event) Synchronize() error {
	return e.g.on(func() error { return e.g.d.call("cuEventSynchronize", e.g.d.api.EventSynchronize, e.h) })
}

func (e *event) Elapsed(end device.Event) (float64, error) {
	o, ok := end.(*event)
	if !ok || o.g != e.g {
		return 0, tensor.Errorf(tensor.RuntimeError, "events of different devices")
	}
	ms := new(float32)
	err := e.g.on(func() error { return e.g.d.call("cuEventElapsedTime", e.g.d.api.EventElapsedTime, ptr(ms), e.h, o.h) })
	return float64(*ms), err
}
