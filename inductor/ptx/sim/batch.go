package sim

import (
	"github.com/larkspur-ml/larkspur/device"
	"github.com/larkspur-ml/larkspur/inductor/ptx"
	"github.com/larkspur-ml/larkspur/tensor"
)

// batch gathers work and does it at its end, as a GPU's would.
type batch struct {
	d    Device
	todo []func() error
}

// NewBatch implements device.GPU.
func (d Device) NewBatch() device.Batch { return &batch{d: d} }

func (b *batch) Begin() { b.todo = b.todo[:0] }

func (b *batch) Launch(c ptx.Code, x, y, threads int, args []uint64) error {
	args = append([]uint64(nil), args...)
	b.todo = append(b.todo, func() error { return b.d.Launch(c, x, y, threads, args) })
	return nil
}

func (b *batch) Work(n int) (uint64, error) { return b.d.Work(n) }

func (b *batch) Copy(dst, src tensor.Buffer, n int) error {
	b.todo = append(b.todo, func() error { return b.d.Copy(nil, dst, 0, src, 0, n) })
	return nil
}

func (b *batch) Read(dst []byte, addr uint64) error {
	if err := b.End(); err != nil {
		return err
	}
	return b.d.Read(dst, addr)
}

func (b *batch) Write(addr uint64, src []byte) error {
	if err := b.End(); err != nil {
		return err
	}
	return b.d.Write(addr, src)
}

func (b *batch) End() error {
	todo := b.todo
	b.todo = nil
	for _, f := range todo {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}
