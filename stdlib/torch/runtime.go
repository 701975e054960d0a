package torch

import (
	"context"
	"errors"
	"sync"

	"github.com/larkspur-ml/larkspur/device"
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Options are what a Runtime is built on.
type Options struct {
	Kernels *eager.Kernels
	// Alloc finds the allocator of a device; an error for devices that this
	// process lacks.
	Alloc func(tensor.Device) (tensor.Allocator, error)
	// GPU opens a GPU and GPUs counts them; nil: there are none, as in a build of
	// PyTorch without CUDA.
	GPU  func(i int) (device.GPU, error)
	GPUs func() (int, error)
	// Seed starts the default random streams; 0: PyTorch's 67280421310721.
	Seed uint64
	// Threads is the thread budget of kernels (torch.set_num_threads); nil:
	// the calls are accepted and do nothing.
	Threads device.Threads

	// Import gives the module of a dotted name, running it if need be. It is
	// asked for torch.nn, torch.optim and the files in Files, when a program
	// first uses them. nil: those names are missing.
	Import func(t *value.Thread, name string) (*value.Module, error)
	// Dynamo is behind torch.compile; nil: callables run as they are.
	Dynamo Dynamo

	// ReadFile and WriteFile are the files that a program may use; nil refuses
	// all. Errors are exceptions (*value.Raised) or become OSError.
	ReadFile  func(t *value.Thread, path string) ([]byte, error)
	WriteFile func(t *value.Thread, path string, data []byte) error
}

// Runtime is the torch of one larkspur.Runtime: its classes, modules, kernels
// and settings. It holds no state of the process.
type Runtime struct {
	opts Options

	classes classes
	modules map[string]*value.Module
	// made has what modules gave under their names, by lazyKey: a frozen module
	// keeps nothing itself.
	made sync.Map

	mu       sync.Mutex // guards what follows: threads of frozen modules share it
	print    PrintOptions
	defaults tensor.DType
	gens     map[tensor.Device]*tensor.Generator
	anomaly  bool
	flags    map[string]value.Value
}

// New makes a Runtime. Modules are filled when they are first asked for.
func New(o Options) *Runtime {
	r := &Runtime{opts: o, print: DefaultPrintOptions, defaults: tensor.Float32,
		modules: map[string]*value.Module{}, gens: map[tensor.Device]*tensor.Generator{}, flags: map[string]value.Value{}}
	r.initClasses()
	r.tell()
	r.initModules()
	return r
}

// Module returns a module that is written in Go: torch, torch._C, torch.cuda,
// safetensors.torch, … Its submodules that are not (torch.nn) are reached
// through Options.Import.
func (r *Runtime) Module(name string) (*value.Module, bool) {
	m, ok := r.modules[name]
	return m, ok
}

// ModuleNames lists the modules that Module knows, sorted.
func (r *Runtime) ModuleNames() []string { return sortedKeys(r.modules) }

type contextKey struct{ r *Runtime }

// Prepare gives a thread its Context, in torch's initial modes. Threads that
// Prepare has made share the Runtime's random streams, so they may not run at
// the same time; see PrepareFork.
func (r *Runtime) Prepare(t *value.Thread) *eager.Context {
	x := r.newContext()
	x.Generators = r.gens
	t.Set(contextKey{r}, x)
	return x
}

// PrepareFork gives a thread that runs beside others a Context with random
// streams of its own.
func (r *Runtime) PrepareFork(t *value.Thread) *eager.Context {
	x := r.newContext()
	t.Set(contextKey{r}, x)
	return x
}

func (r *Runtime) newContext() *eager.Context {
	x := eager.NewContext(r.opts.Kernels, r.opts.Alloc)
	x.Threads, x.Seed = r.opts.Threads, r.opts.Seed
	r.mu.Lock()
	x.Default = r.defaults
	r.mu.Unlock()
	return x
}

// Context is the thread's Context; one is made for a thread that has none.
func (r *Runtime) Context(t *value.Thread) *eager.Context {
	if x, ok := t.Get(contextKey{r}).(*eager.Context); ok {
		return x
	}
	return r.PrepareFork(t)
}

// raise words an error of the tensor packages as an exception.
func raise(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err // the machine knows what the program sees
	}
	var e *tensor.Error
	if errors.As(err, &e) {
		x := value.Errorf(excOf(e.Kind), "%s", e.Msg)
		x.Host = err
		return x
	}
	return err
}

func excOf(k tensor.ErrKind) *value.Class {
	switch k {
	case tensor.TypeError:
		return value.ExcTypeError
	case tensor.ValueError:
		return value.ExcValueError
	case tensor.IndexError:
		return value.ExcIndexError
	case tensor.NotImplementedError:
		return value.ExcNotImplementedError
	case tensor.ZeroDivisionError:
		return value.ExcZeroDivisionError
	case tensor.MemoryError:
		return value.ExcMemoryError
	case tensor.AssertionError:
		return value.ExcAssertionError
	}
	return value.ExcRuntimeError
}

// Wrap is the language's object for a tensor: always the same one.
func (r *Runtime) Wrap(t *eager.Tensor) value.Value {
	if t == nil {
		return value.None
	}
	if in, ok := t.Obj.(*value.Instance); ok {
		return in.Value()
	}
	return r.wrapAs(r.classes.Tensor, t)
}

// wrapAs makes t's object an instance of class c.
func (r *Runtime) wrapAs(c *value.Class, t *eager.Tensor) value.Value {
	in := value.NewInstance(c)
	in.Native = t
	t.Obj = in
	return in.Value()
}

// Unwrap is the tensor behind a value.
func (r *Runtime) Unwrap(v value.Value) (*eager.Tensor, bool) { return AsTensor(v) }

// SetContext makes ctx cancel the thread's long kernels; nil: nothing does.
func (r *Runtime) SetContext(t *value.Thread, ctx context.Context) { r.Context(t).Ctx = ctx }
