package larkspur

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/device/cpu"
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/inductor"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/stdlib/nn"
	"github.com/larkspur-ml/larkspur/stdlib/optim"
	"github.com/larkspur-ml/larkspur/stdlib/py"
	"github.com/larkspur-ml/larkspur/stdlib/torch"
	"github.com/larkspur-ml/larkspur/stdlib/utils"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tracer"
)

// A Runtime is one world of modules, tensors and random streams. Its methods may
// be called by any goroutine.
type Runtime struct {
	opts    Options
	grants  *grants
	machine *vm.Machine
	imports *importer
	mounts  []mount
	// goModules make the modules that are written in Go.
	goModules []func(t *value.Thread, name string) (*value.Module, bool, error)
	torch     *torch.Runtime
	cpu       *cpu.CPU
	gpus      *gpus
	lib       *py.Library
	dump      *dumper // nil: nothing is printed
	tracer    *tracer.Tracer
	marks     atomic.Bool // torch.compile was used: all threads record
	inductor  inductor.Options

	// mu serialises everything that may change unfrozen state: loading, and
	// calls into unfrozen modules. They run on main, which carries the modes and
	// random streams from one call to the next.
	mu   sync.Mutex
	main *vm.Thread

	interrupts interrupts

	pool sync.Pool // threads for calls into frozen modules
}

// New makes a Runtime. It reads and starts nothing.
func New(o Options) (rt *Runtime, err error) {
	defer contain(&err)
	rt = &Runtime{opts: o, grants: newGrants(o.Grants)}
	rt.machine = &vm.Machine{RecursionLimit: o.RecursionLimit, Predeclared: map[string]value.Value{}}
	rt.imports = &importer{rt: rt, byPath: map[string]*value.Module{}, root: map[*value.Module]*source{}, loading: map[*value.Module]bool{}}
	rt.machine.Importer, rt.machine.Loader = rt.imports, rt.imports

	dev := cpu.New(o.MemoryLimit)
	if o.Threads > 0 {
		dev.SetThreads(o.Threads)
	}
	if rt.dump, err = newDumper(o.DumpTo, o.Dump); err != nil {
		return nil, newError(err)
	}
	target, err := newTarget(o.Target, rt.dump.listing("asm", ";"))
	if err != nil {
		return nil, newError(err)
	}
	rt.inductor = inductor.Options{Target: target, Parallel: dev.Parallel, Alloc: dev}
	rt.gpus = &gpus{driver: o.Devices, host: target, dump: rt.dump}
	compiler := rt.route(rt.inductor)
	rt.torch = torch.New(torch.Options{
		Kernels: eager.NewKernels(rt.dump.compiler(compiler)),
		Alloc: func(d tensor.Device) (tensor.Allocator, error) {
			if d.Type == tensor.CPU {
				return dev, nil
			}
			if d.Type == tensor.CUDA {
				return rt.gpus.device(int(d.Index))
			}
			return nil, tensor.Errorf(tensor.NotImplementedError, "device '%s' exists in PyTorch, but not in Larkspur", d)
		},
		GPU: rt.gpus.device, GPUs: rt.gpus.count,
		Threads:   dev,
		Seed:      o.Seed,
		Import:    rt.importFor,
		ReadFile:  func(_ *value.Thread, path string) ([]byte, error) { return rt.grants.readFile(path) },
		Dynamo:    dynamo{rt},
		WriteFile: func(_ *value.Thread, path string, data []byte) error { return rt.grants.writeFile(path, data) },
	})
	rt.cpu = dev
	lib := py.New(&pyHost{grants: rt.grants, opts: &rt.opts})
	rt.lib = lib
	lib.Import = rt.importFor
	lib.Source = func(_ *value.Thread, file string) (string, bool) { return rt.machine.Source(file) }
	for name, b := range lib.Builtins() {
		rt.machine.Predeclared[name] = b
	}
	rt.goModules = append(rt.goModules, func(_ *value.Thread, name string) (*value.Module, bool, error) {
		m, ok := rt.torch.Module(name)
		return m, ok, nil
	}, lib.Module, rt.hostModule, rt.builtinsModule)
	rt.mounts = []mount{
		{"torch.nn", nn.Files},
		{"torch.optim", optim.Files},
		{"torch.utils", utils.Files},
		{"torch", torch.Files},
		{"", py.Files},
	}
	if err := rt.record(compiler); err != nil {
		return nil, newError(err)
	}
	rt.main = rt.newThread()
	rt.main.Delivered = rt.delivered
	rt.torch.Prepare(&rt.main.Thread)
	if err := rt.predeclare(); err != nil {
		return nil, newError(err)
	}
	return rt, nil
}

func (rt *Runtime) newThread() *vm.Thread {
	th := vm.NewThread(vm.Options{Machine: rt.machine})
	th.Stdout, th.Stdin = rt.opts.Stdout, rt.opts.Stdin
	if th.Stdout == nil {
		th.Stdout = io.Discard
	}
	rt.torch.PrepareFork(&th.Thread)
	rt.strictClock(th)
	rt.observe(th)
	return th
}

// on runs f on the main thread under a context.
func (rt *Runtime) on(ctx context.Context, f func(th *vm.Thread) error) (err error) {
	defer contain(&err)
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return rt.run(ctx, rt.main, f)
}

// run runs f on a thread that this goroutine owns.
func (rt *Runtime) run(ctx context.Context, th *vm.Thread, f func(th *vm.Thread) error) error {
	if err := ctx.Err(); err != nil {
		return newError(err)
	}
	if th.Regions == nil {
		rt.observe(th)
	}
	th.SetContext(ctx)
	defer th.SetContext(context.Background())
	kernels := ctx
	if th == rt.main {
		kernels = rt.interrupts.enter(ctx, th)
		defer rt.interrupts.leave()
	}
	rt.torch.SetContext(&th.Thread, kernels)
	defer rt.torch.SetContext(&th.Thread, context.Background())
	th.SetStepLimit(rt.opts.StepLimit)
	th.HeapLimit = rt.opts.HeapLimit
	if err := f(th); err != nil {
		err = th.Stopped(err)
		word(th, err)
		return rt.wrap(err)
	}
	return nil
}

// LoadFile reads and runs a file and returns its module. Modules that it imports
// are looked for beside it: naming the file grants their source, and no more.
func (rt *Runtime) LoadFile(ctx context.Context, name string) (*Module, error) {
	return rt.loadFile(ctx, name, moduleName(name))
}

// RunFile is LoadFile for a script: its __name__ is "__main__".
func (rt *Runtime) RunFile(ctx context.Context, name string) (*Module, error) {
	return rt.loadFile(ctx, name, "__main__")
}

// RunString is LoadString for a script: its __name__ is "__main__", and modules are
// imported from the working directory.
func (rt *Runtime) RunString(ctx context.Context, name, text string) (*Module, error) {
	var src *source
	if dir, err := os.Getwd(); err == nil {
		src = dirSource(dir)
	}
	return rt.load(ctx, src, name, "__main__", text)
}

func (rt *Runtime) loadFile(ctx context.Context, name, modName string) (*Module, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, newError(fmt.Errorf("can't open file '%s': %w", name, bare(err)))
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, newError(err)
	}
	return rt.load(ctx, dirSource(filepath.Dir(abs)), name, modName, string(text))
}

// LoadString runs text as a module. name is shown in tracebacks.
func (rt *Runtime) LoadString(ctx context.Context, name, text string) (*Module, error) {
	return rt.load(ctx, nil, name, moduleName(name), text)
}

func (rt *Runtime) load(ctx context.Context, src *source, file, modName, text string) (*Module, error) {
	var m *value.Module
	err := rt.on(ctx, func(th *vm.Thread) error {
		prog, err := rt.compile(file, text, bytecode.ExecMode)
		if err != nil {
			return err
		}
		m = value.NewModule(modName)
		m.File = file
		m.Set("__name__", value.Str(modName))
		m.Set("__file__", value.Str(file))
		m.Set("__package__", value.Str(""))
		if src != nil {
			rt.imports.setSource(m, src)
		}
		if modName == "__main__" {
			rt.addModule(modName, m)
		}
		_, err = th.Exec(prog, m)
		if modName == "__main__" {
			if e := rt.atExit(th); err == nil {
				err = e
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Module{rt: rt, m: m}, nil
}

// atExit calls what a program has registered with the module atexit.
func (rt *Runtime) atExit(th *vm.Thread) error {
	m := rt.machine.Module("atexit")
	if m == nil {
		return nil
	}
	f, ok := m.Get("_run_exitfuncs")
	if !ok {
		return nil
	}
	_, err := th.Call(f, nil, nil)
	return err
}

func moduleName(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// bare is an error of the operating system without the path, which the caller names.
func bare(err error) error {
	if pe, ok := err.(*os.PathError); ok {
		return pe.Err
	}
	return err
}

// predeclare converts what the host gives every module, and checks what its own
// modules hold, which hostModule converts when they are imported.
func (rt *Runtime) predeclare() error {
	host := map[string]value.Value{}
	for name, v := range rt.opts.Predeclared {
		x, err := rt.fromGo(v)
		if err != nil {
			return fmt.Errorf("Predeclared %s: %w", name, err)
		}
		rt.machine.Predeclared[name], host[name] = x, x
	}
	rt.strictPredeclared(host)
	for module, members := range rt.opts.Modules {
		for name, v := range members {
			if _, err := rt.fromGo(v); err != nil {
				return fmt.Errorf("Modules %s: %s: %w", module, name, err)
			}
		}
	}
	return nil
}

// hostModule makes a module of Options.Modules.
func (rt *Runtime) hostModule(_ *value.Thread, name string) (*value.Module, bool, error) {
	members, ok := rt.opts.Modules[name]
	if !ok {
		return nil, false, nil
	}
	m := value.NewModule(name)
	for k, v := range members {
		x, err := rt.fromGo(v)
		if err != nil {
			return nil, false, value.TypeErrorf("host module %s: %s: %s", name, k, err)
		}
		m.Set(k, x)
	}
	return m, true, nil
}

// builtinsModule is Python's module of that name: the model dialect's universe.
func (rt *Runtime) builtinsModule(_ *value.Thread, name string) (*value.Module, bool, error) {
	if name != "builtins" {
		return nil, false, nil
	}
	m := value.NewModule(name)
	for n, v := range value.Universe(value.Model) {
		m.Set(n, v)
	}
	for n, v := range rt.machine.Predeclared {
		m.Set(n, v)
	}
	return m, true, nil
}

// addModule enters a module in the machine's cache and in sys.modules; nil takes
// the name out.
func (rt *Runtime) addModule(name string, m *value.Module) {
	rt.machine.AddModule(name, m)
	rt.imports.mu.Lock()
	defer rt.imports.mu.Unlock()
	if m == nil {
		rt.lib.Modules().Delete(&rt.main.Thread, value.Str(name))
		return
	}
	rt.lib.Modules().SetStr(name, m.Value())
}

// importFor lets Go code import a module on behalf of a thread.
func (rt *Runtime) importFor(t *value.Thread, name string) (*value.Module, error) {
	return rt.imports.Import(vm.ThreadOf(t), name, 0, nil)
}

// Memory reports the bytes of live and pooled tensor storage.
func (rt *Runtime) Memory() (live, pooled int64) {
	s := rt.cpu.Stats()
	return s.Live, s.Pooled
}

// A Module is a loaded file.
type Module struct {
	rt     *Runtime
	m      *value.Module
	frozen bool
	mu     sync.Mutex
}

// Name is the module's __name__.
func (m *Module) Name() string { return m.m.Name }

// Freeze makes the module, and all that it reaches, immutable for good. Calls
// into it then run in parallel.
func (m *Module) Freeze() {
	m.rt.mu.Lock()
	defer m.rt.mu.Unlock()
	err := m.rt.imports.settle(m.rt.main)
	if err != nil {
		panic("BUG: a file that comes with Larkspur cannot be imported: " + err.Error())
	}
	value.Freeze(m.m.Value())
	m.mu.Lock()
	m.frozen = true
	m.mu.Unlock()
}

func (m *Module) isFrozen() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.frozen
}

// Get returns a global as a Go value (see Func.Call for which).
func (m *Module) Get(name string) (v any, err error) {
	defer contain(&err)
	if !m.isFrozen() {
		m.rt.mu.Lock()
		defer m.rt.mu.Unlock()
	}
	x, ok := m.m.Get(name)
	if !ok {
		return nil, newError(value.AttributeErrorf(name, "module '%s' has no attribute '%s'", m.m.Name, name))
	}
	return m.rt.toGo(m, x)
}

// Func returns a global that can be called.
func (m *Module) Func(name string) (*Func, error) {
	if !m.isFrozen() {
		m.rt.mu.Lock()
		defer m.rt.mu.Unlock()
	}
	x, ok := m.m.Get(name)
	if !ok {
		return nil, newError(value.AttributeErrorf(name, "module '%s' has no attribute '%s'", m.m.Name, name))
	}
	if !value.Callable(x) {
		return nil, newError(value.TypeErrorf("'%s' object is not callable", value.TypeOf(x).Name))
	}
	return &Func{mod: m, fn: x}, nil
}

// A Func is something of a module that can be called.
type Func struct {
	mod *Module
	fn  value.Value
}

// KW is a keyword argument of Func.Call, given behind the positional ones.
type KW struct {
	Name  string
	Value any
}

// Call calls the function. Arguments are nil, bool, integers, floats, string,
// []byte, *Tensor, a slice or map of such, a struct (a dict by field name or
// `larkspur:"name"` tag), a starlark.Value, *Func, what an earlier call
// returned, and KWs. Results come back as nil, bool, int64 (*big.Int where it does not
// fit), float64, string, []byte, *Tensor, []any (lists and tuples),
// map[string]any (dicts with string keys; map[any]any else), *Func, or *Object.
// A slice becomes a list, of numbers too: for a tensor, wrap it with NewTensor.
//
// ctx cancels: the script sees KeyboardInterrupt, and the error unwraps to ctx's.
// Calls into an unfrozen module wait for each other; into a frozen one they run
// in parallel.
func (f *Func) Call(ctx context.Context, args ...any) (res any, err error) {
	defer contain(&err)
	rt := f.mod.rt
	call := func(th *vm.Thread) error {
		var in []value.Value
		var kw []value.Kwarg
		for i, a := range args {
			if k, ok := a.(KW); ok {
				x, err := rt.fromGo(k.Value)
				if err != nil {
					return value.TypeErrorf("argument %s: %s", k.Name, err)
				}
				kw = append(kw, value.Kwarg{Name: k.Name, Value: x})
				continue
			}
			x, err := rt.fromGo(a)
			if err != nil {
				return value.TypeErrorf("argument %d: %s", i+1, err)
			}
			in = append(in, x)
		}
		v, err := th.Call(f.fn, in, kw)
		if err != nil {
			return err
		}
		res, err = rt.toGo(f.mod, v)
		return err
	}
	if !f.mod.isFrozen() {
		return res, rt.on(ctx, call)
	}
	th, _ := rt.pool.Get().(*vm.Thread)
	if th == nil {
		th = rt.newThread()
	}
	err = rt.run(ctx, th, call)
	th.ClearStale()
	rt.pool.Put(th)
	return res, err
}
