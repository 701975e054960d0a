package torch

import (
	"github.com/larkspur-ml/larkspur/device"
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
)

// torch.cuda: what it asks of GPUs. Stream, Event and the guards are classes of
// _cuda.star over the functions here whose names begin with an underscore.

// gpu opens a GPU; the error is what the program sees.
func (r *Runtime) gpu(i int) (device.GPU, error) {
	if r.opts.GPU == nil {
		return nil, noCUDA()
	}
	g, err := r.opts.GPU(i)
	return g, raise(err)
}

// gpuOf reads an optional device argument; none is the current GPU.
func (r *Runtime) gpuOf(t *value.Thread, a value.Value) (device.GPU, int, error) {
	i := r.currentGPU(t)
	if given(a) {
		d, ok, err := r.parseDevice(a)
		if err != nil {
			return nil, 0, err
		}
		if !ok || d.Type != tensor.CUDA {
			return nil, 0, value.ValueErrorf("Expected a cuda device, but got: %s", typeName(a))
		}
		if d.indexed {
			i = int(d.Index)
		}
	}
	g, err := r.gpu(i)
	return g, i, err
}

// currentGPU is the GPU that "cuda" names.
func (r *Runtime) currentGPU(t *value.Thread) int {
	if d := r.Context(t).GPU; d > 0 {
		return d
	}
	return 0
}

// seedGPUs restarts the streams of all GPUs that have one, and of those that will.
func (r *Runtime) seedGPUs(t *value.Thread, seed uint64) {
	x := r.Context(t)
	if r.opts.GPUs == nil {
		return
	}
	x.GPUSeed = &seed
	for d, g := range x.Generators {
		if d.Type == tensor.CUDA {
			eager.ManualSeed(g, seed)
		}
	}
}

// cudaFn is a function of torch.cuda with one optional device argument.
func (r *Runtime) cudaFn(name string, f func(t *value.Thread, g device.GPU, i int) (value.Value, error)) value.Value {
	return value.NewBuiltin(name, func(t *value.Thread, args []value.Value, kw []value.Kwarg) (value.Value, error) {
		a := value.None
		if len(args) > 0 {
			a = args[0]
		}
		for _, k := range kw {
			if k.Name == "device" {
				a = k.Value
			}
		}
		g, i, err := r.gpuOf(t, a)
		if err != nil {
			return value.Value{}, err
		}
		return f(t, g, i)
	}).Value()
}

// cudaName serves torch.cuda.
func (r *Runtime) cudaName(t *value.Thread, name string) (value.Value, bool, error) {
	count := func() int {
		if r.opts.GPUs == nil {
			return 0
		}
		n, err := r.opts.GPUs()
		if err != nil {
			return 0
		}
		return n
	}
	none := func(err error) (value.Value, error) { return value.None, raise(err) }
	fn := func(f func(t *value.Thread, g device.GPU, i int) (value.Value, error)) (value.Value, bool, error) {
		return r.cudaFn(name, f), true, nil
	}
	stat := func(f func(s device.Stats) int64) (value.Value, bool, error) {
		if count() == 0 {
			return answer(name, value.Int(0)), true, nil
		}
		return fn(func(_ *value.Thread, g device.GPU, _ int) (value.Value, error) { return value.Int(f(g.Stats())), nil })
	}
	switch name {
	case "is_available", "is_bf16_supported", "is_initialized":
		return value.NewBuiltin(name, func(*value.Thread, []value.Value, []value.Kwarg) (value.Value, error) {
			return value.Bool(count() > 0), nil
		}).Value(), true, nil
	case "device_count":
		return value.NewBuiltin(name, func(*value.Thread, []value.Value, []value.Kwarg) (value.Value, error) {
			return value.Int(int64(count())), nil
		}).Value(), true, nil
	case "memory_allocated":
		return stat(func(s device.Stats) int64 { return s.Live })
	case "max_memory_allocated":
		return stat(func(s device.Stats) int64 { return s.Peak })
	case "memory_reserved", "max_memory_reserved", "memory_cached", "max_memory_cached":
		return stat(func(s device.Stats) int64 { return s.Live + s.Pooled })
	case "manual_seed", "manual_seed_all":
		return value.NewBuiltin(name, func(t *value.Thread, args []value.Value, _ []value.Kwarg) (value.Value, error) {
			if len(args) != 1 || !args[0].IsInt() {
				return value.Value{}, value.TypeErrorf("%s() takes an integer seed", name)
			}
			r.seedGPUs(t, uint64(args[0].Int64()))
			return value.None, nil
		}).Value(), true, nil
	case "empty_cache", "reset_peak_memory_stats", "reset_max_memory_allocated", "ipc_collect", "init", "seed", "seed_all":
		if count() == 0 {
			return answer(name, value.None), true, nil
		}
		return fn(func(_ *value.Thread, g device.GPU, _ int) (value.Value, error) {
			switch name {
			case "empty_cache":
				return none(g.EmptyCache())
			case "reset_peak_memory_stats", "reset_max_memory_allocated":
				g.ResetPeak()
			}
			return value.None, nil
		})
	case "synchronize":
		return fn(func(_ *value.Thread, g device.GPU, _ int) (value.Value, error) { return none(g.Synchronize()) })
	case "current_device":
		return fn(func(_ *value.Thread, _ device.GPU, i int) (value.Value, error) { return value.Int(int64(i)), nil })
	case "get_device_name":
		return fn(func(_ *value.Thread, g device.GPU, _ int) (value.Value, error) { return value.Str(g.Info().Name), nil })
	case "get_device_capability":
		return fn(func(_ *value.Thread, g device.GPU, _ int) (value.Value, error) {
			x := g.Info()
			return value.Tuple(value.Int(int64(x.Major)), value.Int(int64(x.Minor))), nil
		})
	case "_properties":
		return fn(func(_ *value.Thread, g device.GPU, _ int) (value.Value, error) {
			x := g.Info()
			return value.Tuple(value.Str(x.Name), value.Int(int64(x.Major)), value.Int(int64(x.Minor)), value.Int(x.Memory),
				value.Int(int64(x.Processors)), value.Int(int64(x.L2)), value.Int(int64(x.SharedBlock))), nil
		})
	case "mem_get_info":
		return fn(func(_ *value.Thread, g device.GPU, _ int) (value.Value, error) {
			free, total, err := g.MemoryInfo()
			return value.Tuple(value.Int(free), value.Int(total)), raise(err)
		})
	case "memory_summary":
		return fn(func(_ *value.Thread, g device.GPU, _ int) (value.Value, error) { return value.Str(g.Summary()), nil })
	case "_set_device":
		return fn(func(t *value.Thread, _ device.GPU, i int) (value.Value, error) {
			x := r.Context(t)
			was := x.GPU
			x.GPU = i
			return value.Int(int64(was)), nil
		})
	case "_event":
		return fn(func(_ *value.Thread, g device.GPU, _ int) (value.Value, error) {
			e, err := g.NewEvent()
			return object(r.classes.GPUObject, e), raise(err)
		})
	case "_stream", "_current_stream":
		return fn(func(_ *value.Thread, g device.GPU, _ int) (value.Value, error) {
			if name == "_current_stream" {
				return object(r.classes.GPUObject, g.Current()), nil
			}
			s, err := g.NewStream()
			return object(r.classes.GPUObject, s), raise(err)
		})
	case "_use":
		return value.NewBuiltin(name, func(t *value.Thread, args []value.Value, _ []value.Kwarg) (value.Value, error) {
			g, err := r.gpu(r.currentGPU(t))
			if err != nil {
				return value.Value{}, err
			}
			s, ok := native[device.Stream](args[0])
			if !ok {
				return value.Value{}, value.TypeErrorf("not a stream")
			}
			was, err := g.Use(s)
			return object(r.classes.GPUObject, was), raise(err)
		}).Value(), true, nil
	case "_wait": // of a stream or an event
		return value.NewBuiltin(name, func(_ *value.Thread, args []value.Value, _ []value.Kwarg) (value.Value, error) {
			if s, ok := native[device.Stream](args[0]); ok {
				return none(s.Sync())
			}
			if e, ok := native[device.Event](args[0]); ok {
				return none(e.Synchronize())
			}
			return value.Value{}, value.TypeErrorf("nothing to wait for")
		}).Value(), true, nil
	case "_record", "_hold": // an event, a stream
		return value.NewBuiltin(name, func(_ *value.Thread, args []value.Value, _ []value.Kwarg) (value.Value, error) {
			e, ok := native[device.Event](args[0])
			s, ok2 := native[device.Stream](args[1])
			if !ok || !ok2 {
				return value.Value{}, value.TypeErrorf("%s takes an event and a stream", name)
			}
			if name == "_hold" {
				return none(e.Wait(s))
			}
			return none(e.Record(s))
		}).Value(), true, nil
	case "_query", "_elapsed":
		return value.NewBuiltin(name, func(_ *value.Thread, args []value.Value, _ []value.Kwarg) (value.Value, error) {
			e, ok := native[device.Event](args[0])
			if !ok {
				return value.Value{}, value.TypeErrorf("not an event")
			}
			if name == "_query" {
				done, err := e.Query()
				return value.Bool(done), raise(err)
			}
			f, ok := native[device.Event](args[1])
			if !ok {
				return value.Value{}, value.TypeErrorf("not an event")
			}
			ms, err := e.Elapsed(f)
			return value.Float(ms), raise(err)
		}).Value(), true, nil
	case "Stream", "Event", "device", "stream", "set_device", "current_stream", "default_stream", "get_device_properties", "memory_stats", "device_of", "OutOfMemoryError":
		return r.imported(t, "torch._cuda", name)
	case "get_rng_state", "initial_seed":
		return fn(func(t *value.Thread, _ device.GPU, i int) (value.Value, error) {
			g := r.Context(t).Generator(tensor.Device{Type: tensor.CUDA, Index: int16(i)})
			if name == "initial_seed" {
				return seedValue(g.Seed), nil
			}
			return r.rngState(t, g)
		})
	case "set_rng_state":
		return value.NewBuiltin(name, func(t *value.Thread, args []value.Value, _ []value.Kwarg) (value.Value, error) {
			if len(args) < 1 {
				return value.Value{}, value.TypeErrorf("set_rng_state() missing 1 required positional argument: 'new_state'")
			}
			g := r.Context(t).Generator(tensor.Device{Type: tensor.CUDA, Index: int16(r.currentGPU(t))})
			return value.None, r.setRNGState(t, g, args[0])
		}).Value(), true, nil
	}
	if _, ok := parseTypeString(name); ok {
		return r.missing("torch.cuda." + name), true, nil
	}
	return value.Value{}, false, nil
}
