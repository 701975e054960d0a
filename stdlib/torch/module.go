package torch

import (
	"math"
	"sort"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Version is the release of PyTorch whose behaviour this package follows where
// releases differ; programs compare it.
const Version = "2.1.0"

// Names of the modules in Go, and where their names come from. A name is made
// when it is first used, so that starting up costs nothing.
func (r *Runtime) initModules() {
	lookups := map[string]func(t *value.Thread, name string) (value.Value, bool, error){
		"torch":             r.torchName,
		"torch._C":          r.cName,
		"torch._C._nn":      r.nnName,
		"torch.linalg":      r.linalgName,
		"torch.special":     r.specialName,
		"torch.autograd":    r.autogradName,
		"torch.random":      r.randomName,
		"torch.cuda":        r.cudaName,
		"torch.backends":    r.noName,
		"torch.version":     r.versionName,
		"torch.types":       r.typesName,
		"torch.distributed": r.distributedName,
		"torch.onnx":        r.noName,
		"torch.fft":         r.noName,
		"torch.hub":         r.noName,
		"safetensors":       r.safetensorsName,
		"safetensors.torch": r.safetensorsTorchName,
	}
	for name, look := range lookups {
		r.modules[name] = r.lazyModule(name, look)
	}
	r.initBackends()
	for alias, file := range aliasModules {
		r.modules[alias] = r.lazyModule(alias, func(t *value.Thread, n string) (value.Value, bool, error) { return r.imported(t, file, n) })
	}
	r.modules["torch"].Set("__version__", value.Str(Version))
	r.modules["torch"].Set("__path__", value.ListOf())
	for name, m := range r.modules {
		if parent, child, ok := cutLast(name); ok && r.modules[parent] != nil {
			r.modules[parent].Set(child, m.Value())
		}
	}
}

func cutLast(name string) (parent, child string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", name, false
	}
	return name[:i], name[i+1:], true
}

type lazyKey struct{ module, name string }

func (r *Runtime) lazyModule(name string, look func(t *value.Thread, name string) (value.Value, bool, error)) *value.Module {
	m := value.NewModule(name)
	m.Lazy = func(t *value.Thread, n string) (value.Value, bool, error) {
		key := lazyKey{name, n}
		if v, ok := r.made.Load(key); ok {
			return v.(value.Value), true, nil
		}
		v, ok, err := look(t, n)
		if err != nil {
			return v, ok, err
		}
		if ok {
			if n != "default_generator" { // which is the thread's
				r.made.Store(key, v)
			}
			return v, true, nil
		}
		if inPyTorch(name, n) {
			return r.missing(name + "." + n), true, nil
		}
		return value.Value{}, false, nil
	}
	m.LazyNames = r.namesOf(name)
	return m
}

// namesOf lists what dir shows of a module before its names are made.
func (r *Runtime) namesOf(module string) []string {
	var kinds op.Bind
	switch module {
	case "torch":
		kinds = op.Fn
	case "torch._C._nn":
		kinds = op.NN
	case "torch.special":
		kinds = op.Special
	default:
		return nil
	}
	var names []string
	for _, d := range op.All() {
		for _, n := range append([]string{d.Base}, d.Aliases...) {
			if d.Bind&kinds != 0 && !strings.HasPrefix(n, "_") {
				names = append(names, n)
			}
		}
	}
	if module == "torch" {
		names = append(names, torchExtras...)
	}
	sort.Strings(names)
	return names
}

// aliasModules are second names of modules in Files.
var aliasModules = map[string]string{"torch.cuda.amp": "torch.amp", "torch.cpu.amp": "torch.amp", "torch.amp.autocast_mode": "torch.amp",
	"torch.autograd.function": "torch._function", "torch.autograd.grad_mode": "torch._modes", "torch.autograd.profiler": "torch.profiler",
	"torch.autograd.anomaly_mode": "torch._modes", "torch.distributions.normal": "torch.distributions",
	"torch.distributions.categorical": "torch.distributions", "torch.distributions.bernoulli": "torch.distributions", "torch.distributions.kl": "torch.distributions",
	"torch.distributions.distribution": "torch.distributions", "torch.distributions.uniform": "torch.distributions", "torch.distributions.independent": "torch.distributions"}

// submodules are the modules of torch that come from files, through Options.Import.
var submodules = map[string]string{"nn": "torch.nn", "optim": "torch.optim", "utils": "torch.utils", "jit": "torch.jit", "amp": "torch.amp",
	"distributions": "torch.distributions", "_modes": "torch._modes", "compiler": "torch.compiler", "profiler": "torch.profiler", "_dynamo": "torch._dynamo"}

// fromFile are the names of torch that a file of Files defines.
var fromFile = map[string]string{"no_grad": "torch._modes", "enable_grad": "torch._modes", "inference_mode": "torch._modes", "set_grad_enabled": "torch._modes",
	"autocast": "torch.amp", "compile": "torch.compiler"}

func (r *Runtime) imported(t *value.Thread, module, name string) (value.Value, bool, error) {
	if r.opts.Import == nil || module == "" {
		return value.Value{}, false, nil
	}
	m, err := r.opts.Import(t, module)
	if err != nil || m == nil {
		return value.Value{}, false, err
	}
	if name == "" {
		return m.Value(), true, nil
	}
	v, ok := m.Get(name)
	return v, ok, nil
}

// torchExtras are names of torch that are no ops, for dir.
var torchExtras = []string{"tensor", "as_tensor", "frombuffer", "Tensor", "Size", "Generator", "device", "dtype", "finfo", "iinfo", "layout",
	"memory_format", "inf", "nan", "pi", "e", "strided", "manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state", "is_tensor", "is_grad_enabled", "no_grad",
	"enable_grad", "inference_mode", "set_grad_enabled", "set_printoptions", "set_default_dtype", "get_default_dtype", "set_num_threads", "get_num_threads",
	"compile", "save", "load", "nn", "optim", "utils", "autograd", "linalg", "special", "random", "cuda", "backends", "jit", "float32", "float64", "int64", "long", "float"}

func (r *Runtime) torchName(t *value.Thread, name string) (value.Value, bool, error) {
	k := &r.classes
	if d, ok := tensor.ParseDType(name); ok && !strings.HasPrefix(name, "torch.") && d != tensor.Invalid {
		return r.DType(d), true, nil
	}
	if mod, ok := submodules[name]; ok {
		return r.imported(t, mod, "")
	}
	if mod, ok := fromFile[name]; ok {
		return r.imported(t, mod, name)
	}
	switch name {
	case "Tensor":
		return k.Tensor.Value(), true, nil
	case "Size":
		return k.Size.Value(), true, nil
	case "Generator":
		return k.Generator.Value(), true, nil
	case "device":
		return k.Device.Value(), true, nil
	case "dtype":
		return k.DType.Value(), true, nil
	case "layout":
		return k.Layout.Value(), true, nil
	case "memory_format":
		return k.MemFormat.Value(), true, nil
	case "finfo":
		return k.FInfo.Value(), true, nil
	case "iinfo":
		return k.IInfo.Value(), true, nil
	case "UntypedStorage":
		return k.Storage.Value(), true, nil
	case "strided":
		return k.strided, true, nil
	case "sparse_coo":
		return k.sparse, true, nil
	case "contiguous_format":
		return k.contiguous, true, nil
	case "preserve_format":
		return k.preserve, true, nil
	case "channels_last":
		return k.chanLast, true, nil
	case "channels_last_3d":
		return k.chanLast3, true, nil
	case "inf":
		return value.Float(math.Inf(1)), true, nil
	case "nan":
		return value.Float(math.NaN()), true, nil
	case "pi":
		return value.Float(math.Pi), true, nil
	case "e":
		return value.Float(math.E), true, nil
	case "newaxis":
		return value.None, true, nil
	case "return_types":
		return r.lazyModule("torch.return_types", func(_ *value.Thread, n string) (value.Value, bool, error) {
			for _, d := range op.Overloads(n) {
				if len(d.Returns) > 1 && d.Returns[0].Name != "" {
					return r.returnType(d, n).Value(), true, nil
				}
			}
			return value.Value{}, false, nil
		}).Value(), true, nil
	case "tensor":
		return told(name, r.tensorFunc("tensor", false)), true, nil
	case "as_tensor", "asarray":
		return told(name, r.tensorFunc(name, true)), true, nil
	case "frombuffer":
		return r.frombuffer(), true, nil
	case "save":
		return r.saveFunc(), true, nil
	case "load":
		return r.loadFunc(), true, nil
	}
	for _, n := range randomNames {
		if n == name {
			return r.randomFunc(t, name), true, nil
		}
	}
	if d, ok := parseTypeString(name); ok {
		return r.legacyClass(name, d).Value(), true, nil
	}
	if f, ok := r.torchFunc(name); ok {
		return f, true, nil
	}
	if b := r.opNamed(name, op.Fn, false); b != nil {
		return b.Value(), true, nil
	}
	return value.Value{}, false, nil
}

// cName serves torch._C: what nn's files take from there.
func (r *Runtime) cName(t *value.Thread, name string) (value.Value, bool, error) {
	k := &r.classes
	switch name {
	case "Parameter":
		return k.Parameter.Value(), true, nil
	case "Generator":
		return k.Generator.Value(), true, nil
	case "TensorBase", "_TensorBase":
		return k.Tensor.Value(), true, nil
	case "Node":
		return k.Node.Value(), true, nil
	}
	if f, ok := r.hook(name); ok {
		return f, true, nil
	}
	return value.Value{}, false, nil
}

func (r *Runtime) nnName(_ *value.Thread, name string) (value.Value, bool, error) {
	for _, kinds := range []op.Bind{op.NN, op.Fn} {
		if b := r.opNamed(name, kinds, false); b != nil {
			return b.Value(), true, nil
		}
	}
	return value.Value{}, false, nil
}

func (r *Runtime) specialName(_ *value.Thread, name string) (value.Value, bool, error) {
	for _, n := range []string{name, map[string]string{"expit": "sigmoid", "gammaln": "lgamma", "psi": "digamma"}[name]} {
		for _, kinds := range []op.Bind{op.Special, op.Fn} {
			if b := r.opNamed(n, kinds, false); n != "" && b != nil {
				return b.Value(), true, nil
			}
		}
	}
	return value.Value{}, false, nil
}

// linalgName serves torch.linalg: Defs named linalg_X, and functions of torch that linalg has under the same name.
func (r *Runtime) linalgName(t *value.Thread, name string) (value.Value, bool, error) {
	if name == "qr" {
		return r.imported(t, "torch._linalg", name)
	}
	if defs := op.Overloads("linalg_" + name); len(defs) > 0 {
		return r.newOp("linalg_"+name, defs, false, false).Value(), true, nil
	}
	switch name {
	case "matmul", "cross", "diagonal", "multi_dot", "norm":
		if b := r.opNamed(name, op.Fn, false); b != nil {
			return b.Value(), true, nil
		}
	case "vector_norm", "matrix_norm":
		if len(op.Overloads("norm")) > 0 {
			return r.vectorNorm(name), true, nil
		}
	}
	return value.Value{}, false, nil
}

// vectorNorm is linalg.vector_norm(x, ord=2, dim=None, keepdim=False) and matrix_norm with 'fro', over norm.
func (r *Runtime) vectorNorm(name string) value.Value {
	return function(name, []string{"x", "ord", "dim", "keepdim", "dtype"}, 1, func(t *value.Thread, a []value.Value) (value.Value, error) {
		p := a[1]
		if p.IsUnset() {
			p = value.Int(2)
		}
		if name == "matrix_norm" {
			if s, ok := p.AsString(); given(a[1]) && (!ok || s != "fro") {
				return value.Value{}, missingError("torch.linalg.matrix_norm of other orders than 'fro'")
			}
			p = value.Int(2)
			if a[2].IsUnset() {
				a[2] = value.Tuple(value.Int(-2), value.Int(-1))
			}
		}
		var kw []value.Kwarg
		for i, n := range map[int]string{2: "dim", 3: "keepdim", 4: "dtype"} {
			if given(a[i]) {
				kw = append(kw, value.Kwarg{Name: n, Value: a[i]})
			}
		}
		return r.opNamed("norm", op.Fn, false).Call(t, []value.Value{a[0], p}, kw)
	})
}

func (r *Runtime) autogradName(t *value.Thread, name string) (value.Value, bool, error) {
	switch name {
	case "grad":
		return told(name, r.gradFunc()), true, nil
	case "backward":
		return function(name, []string{"tensors", "grad_tensors", "retain_graph", "create_graph", "grad_variables", "inputs"}, 1, func(t *value.Thread, a []value.Value) (value.Value, error) {
			roots, err := tensorsOf(t, a[0], "tensors", false)
			if err != nil {
				return value.Value{}, err
			}
			return r.startBackward(t, roots, a[1], a[2], a[3], a[5])
		}), true, nil
	case "Variable":
		return function(name, []string{"data", "requires_grad", "volatile"}, 1, func(t *value.Thread, a []value.Value) (value.Value, error) {
			x, ok := AsTensor(a[0])
			if !ok {
				return value.Value{}, value.TypeErrorf("Variable data has to be a tensor, but got %s", typeName(a[0]))
			}
			if a[1] != value.True {
				return a[0], nil
			}
			y := r.Context(t).Detach(x)
			return r.Wrap(y), raise(y.SetRequiresGrad(true))
		}), true, nil
	case "Function", "FunctionCtx", "once_differentiable":
		return r.imported(t, "torch._function", name)
	case "no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "set_detect_anomaly", "detect_anomaly":
		return r.imported(t, "torch._modes", name)
	case "graph":
		m := r.lazyModule("torch.autograd.graph", r.noName)
		m.Set("Node", r.classes.Node.Value())
		return m.Value(), true, nil
	case "gradcheck", "gradgradcheck":
		return r.imported(t, "torch._gradcheck", name)
	case "functional", "forward_ad":
		return r.missing("torch.autograd." + name), true, nil
	}
	return value.Value{}, false, nil
}

func (r *Runtime) randomName(t *value.Thread, name string) (value.Value, bool, error) {
	for _, n := range randomNames {
		if n == name {
			return r.randomFunc(t, name), true, nil
		}
	}
	if name == "fork_rng" {
		return r.imported(t, "torch._modes", name)
	}
	return value.Value{}, false, nil
}

func (r *Runtime) versionName(_ *value.Thread, name string) (value.Value, bool, error) {
	switch name {
	case "__version__":
		return value.Str(Version), true, nil
	case "cuda", "hip", "git_version":
		return value.None, true, nil
	case "debug":
		return value.False, true, nil
	}
	return value.Value{}, false, nil
}

// typesName serves the aliases that annotations use.
func (r *Runtime) typesName(_ *value.Thread, name string) (value.Value, bool, error) {
	switch name {
	case "Device":
		return r.classes.Device.Value(), true, nil
	case "_dtype":
		return r.classes.DType.Value(), true, nil
	case "_size":
		return value.TupleClass.Value(), true, nil
	case "Number":
		return value.FloatClass.Value(), true, nil
	}
	return value.Value{}, false, nil
}

// noName is a module of which nothing is here.
func (r *Runtime) noName(*value.Thread, string) (value.Value, bool, error) {
	return value.Value{}, false, nil
}

func (r *Runtime) distributedName(_ *value.Thread, name string) (value.Value, bool, error) {
	switch name {
	case "is_available", "is_initialized", "is_nccl_available", "is_mpi_available", "is_gloo_available":
		return answer(name, value.False), true, nil
	}
	return value.Value{}, false, nil
}
