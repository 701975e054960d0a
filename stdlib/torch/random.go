package torch

import (
	"math/big"
	"time"

	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Random streams: torch.Generator, and the functions of the default one.

// seedOf reads a seed: 64 bits, negative ones modulo 2^64.
func seedOf(v value.Value) (uint64, error) {
	v = value.Payload(v)
	if v.IsInt() {
		return uint64(v.Int64()), nil
	}
	if b, ok := value.AsBig(v); ok && !v.IsBool() {
		if b.Sign() >= 0 && b.BitLen() <= 64 {
			return b.Uint64(), nil
		}
		return 0, value.RuntimeErrorf("Overflow when unpacking long")
	}
	if v.IsFloat() {
		return uint64(int64(v.Float64())), nil
	}
	return 0, value.TypeErrorf("manual_seed expected a long, but got %s", typeName(v))
}

func seedValue(s uint64) value.Value { return value.BigInt(new(big.Int).SetUint64(s)) }

// freshSeed is a seed that differs from run to run.
func freshSeed() uint64 { return uint64(time.Now().UnixNano()) & (1<<63 - 1) }

func (r *Runtime) rngState(t *value.Thread, g *tensor.Generator) (value.Value, error) {
	b := g.State.Bytes()
	x, err := r.Context(t).FromBytes(tensor.Uint8, []int64{int64(len(b))}, b)
	return r.Wrap(x), raise(err)
}

func (r *Runtime) setRNGState(t *value.Thread, g *tensor.Generator, v value.Value) error {
	x, ok := AsTensor(v)
	if !ok || x.DType != tensor.Uint8 {
		return value.TypeErrorf("RNG state must be a torch.ByteTensor")
	}
	raw, err := r.Context(t).Raw(x)
	if err != nil {
		return raise(err)
	}
	return raise(eager.SetState(g, raw))
}

func (r *Runtime) initGenerator(class classMaker) {
	k := &r.classes
	of := func(v value.Value) *tensor.Generator { g, _ := native[*tensor.Generator](v); return g }
	k.Generator = class("Generator", &value.Slots{
		New: func(t *value.Thread, c *value.Class, args []value.Value, kw []value.Kwarg) (value.Value, error) {
			a, err := place("Generator", []string{"device"}, 0, args, kw)
			if err != nil {
				return value.Value{}, err
			}
			var dev tensor.Device
			if given(a[0]) {
				var ok bool
				if dev, ok, err = r.asDevice(a[0]); err != nil {
					return value.Value{}, err
				} else if !ok {
					return value.Value{}, value.TypeErrorf("Generator(): argument 'device' must be torch.device, not %s", typeName(a[0]))
				}
			}
			return object(c, eager.NewGenerator(dev, 67280421310721)), nil
		},
		Repr: func(_ *value.Thread, v value.Value) (string, error) {
			return "<torch._C.Generator object at " + hex(uintptr(v.P)) + ">", nil
		},
	})
	k.Generator.Module = "torch._C"
	method(k.Generator, "manual_seed", 1, 1, func(_ *value.Thread, v value.Value, a []value.Value, _ []value.Kwarg) (value.Value, error) {
		s, err := seedOf(a[0])
		if err == nil {
			eager.ManualSeed(of(v), s)
		}
		return v, err
	})
	method(k.Generator, "seed", 0, 0, func(_ *value.Thread, v value.Value, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
		s := freshSeed()
		eager.ManualSeed(of(v), s)
		return seedValue(s), nil
	})
	method(k.Generator, "initial_seed", 0, 0, func(_ *value.Thread, v value.Value, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
		return seedValue(of(v).Seed), nil
	})
	method(k.Generator, "get_state", 0, 0, func(t *value.Thread, v value.Value, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
		return r.rngState(t, of(v))
	})
	method(k.Generator, "set_state", 1, 1, func(t *value.Thread, v value.Value, a []value.Value, _ []value.Kwarg) (value.Value, error) {
		return v, r.setRNGState(t, of(v), a[0])
	})
	property(k.Generator, "device", func(_ *value.Thread, v value.Value) (value.Value, error) { return r.device(of(v).Dev), nil }, nil)
}

// randomNames are the functions of the default stream, in torch and torch.random.
var randomNames = []string{"manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state", "default_generator"}

// defaultGenerator is the object of the default stream of the thread.
func (r *Runtime) defaultGenerator(t *value.Thread) value.Value {
	return object(r.classes.Generator, r.Context(t).Generator(tensor.Device{}))
}

func (r *Runtime) randomFunc(t *value.Thread, name string) value.Value {
	gen := func(t *value.Thread) *tensor.Generator { return r.Context(t).Generator(tensor.Device{}) }
	switch name {
	case "default_generator":
		return r.defaultGenerator(t)
	case "manual_seed":
		return function(name, []string{"seed"}, 1, func(t *value.Thread, a []value.Value) (value.Value, error) {
			s, err := seedOf(a[0])
			if err != nil {
				return value.Value{}, err
			}
			eager.ManualSeed(gen(t), s)
			r.seedGPUs(t, s)
			return r.defaultGenerator(t), nil
		})
	case "seed":
		return function(name, nil, 0, func(t *value.Thread, _ []value.Value) (value.Value, error) {
			s := freshSeed()
			eager.ManualSeed(gen(t), s)
			r.seedGPUs(t, s)
			return seedValue(s), nil
		})
	case "initial_seed":
		return function(name, nil, 0, func(t *value.Thread, _ []value.Value) (value.Value, error) { return seedValue(gen(t).Seed), nil })
	case "get_rng_state":
		return function(name, nil, 0, func(t *value.Thread, _ []value.Value) (value.Value, error) { return r.rngState(t, gen(t)) })
	case "set_rng_state":
		return function(name, []string{"new_state"}, 1, func(t *value.Thread, a []value.Value) (value.Value, error) {
			return value.None, r.setRNGState(t, gen(t), a[0])
		})
	}
	panic("BUG: " + name)
}
