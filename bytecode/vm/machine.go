package vm

import (
	"runtime"
	"sync"
	"weak"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// A Machine is what threads share: how modules are found, what is predeclared,
// and the texts of programs. Its fields are set before the first use.
type Machine struct {
	// Importer finds modules for import statements; nil: there are none.
	Importer Importer
	// Loader finds modules for load statements; nil: the Importer's.
	Loader Loader
	// Predeclared are names that all modules see, before the language's own.
	Predeclared map[string]value.Value
	// StrictPredeclared takes its place for modules in the strict dialect, where
	// it is set.
	StrictPredeclared map[string]value.Value
	// RecursionLimit bounds the frames of a thread; 0 means 1,000.
	RecursionLimit int

	mu      sync.Mutex
	modules map[weak.Pointer[value.Module]]*moduleEnv // of those that live
	sources map[string]string
	names   map[string]*value.Module // sys.modules
}

// An Importer finds modules for import statements.
type Importer interface {
	// Import returns the module of a dotted name, having run it if need be.
	// level counts the leading dots of a relative import and from is the name
	// of the module that the statement stands in. A module is entered in the
	// cache (Machine.AddModule) before its code runs, so that circular imports
	// find it half made. For a package, what a dotted name leads to is the last
	// module; the machine finds the first one itself.
	Import(t *Thread, name string, level int, from *value.Module) (*value.Module, error)
}

// A Loader finds modules for load statements.
type Loader interface {
	Load(t *Thread, name string, from *value.Module) (*value.Module, error)
}

// Module returns a module that is in the cache.
func (m *Machine) Module(name string) *value.Module {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.names[name]
}

// AddModule puts a module into the cache under its name, or with a nil module
// takes the name out.
func (m *Machine) AddModule(name string, mod *value.Module) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if mod == nil {
		delete(m.names, name)
		return
	}
	if m.names == nil {
		m.names = map[string]*value.Module{}
	}
	m.names[name] = mod
}

// Source returns the text of a file that was linked, for tracebacks.
func (m *Machine) Source(file string) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.sources[file]
	return s, ok
}

// moduleEnv is what code needs of its module besides the module.
type moduleEnv struct {
	// shadow has, by slot, the builtin of the global's name, for slots that are
	// unset. Only linking changes it.
	shadow []value.Value
}

// universe returns the builtin of a name in a dialect; unset if there is none.
func (m *Machine) builtin(name string, d value.Dialect) value.Value {
	names := m.Predeclared
	if d == value.Strict && m.StrictPredeclared != nil {
		names = m.StrictPredeclared
	}
	if v, ok := names[name]; ok {
		return v
	}
	if v, ok := frameBuiltins[name]; ok && d == value.Model {
		return v
	}
	return value.Universe(d)[name]
}

// proto is a code object linked to a module: what functions made from it share.
type proto struct {
	code   []bytecode.Ins // with globals renumbered to the module's slots
	consts []value.Value
	ics    []icCell
	frame  uintptr // bytes of the window

	mod      *value.Module
	env      *moduleEnv
	info     *bytecode.Code
	dialect  value.Dialect
	machine  *Machine
	children []*proto
	clear    int  // registers up to here start unset
	catches  bool // there are handlers
	traps
}

// link builds the protos of a program for a module.
func (m *Machine) link(p *bytecode.Program, mod *value.Module) *proto {
	dialect := value.Model
	if p.Options.Dialect != 0 {
		dialect = value.Strict
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sources == nil {
		m.sources = map[string]string{}
		m.modules = map[weak.Pointer[value.Module]]*moduleEnv{}
	}
	m.sources[p.File] = p.Source
	key := weak.Make(mod)
	env := m.modules[key]
	if env == nil {
		env = &moduleEnv{}
		m.modules[key] = env
		of := weak.Make(m)
		runtime.AddCleanup(mod, func(key weak.Pointer[value.Module]) {
			if m := of.Value(); m != nil {
				m.mu.Lock()
				delete(m.modules, key)
				m.mu.Unlock()
			}
		}, key)
	}
	slots := make([]int, len(p.Globals))
	for i, g := range p.Globals {
		slots[i] = mod.Slot(g)
	}
	if n := len(mod.Slots); len(env.shadow) < n {
		shadow := make([]value.Value, n, n+n/2)
		copy(shadow, env.shadow)
		env.shadow = shadow
	}
	for i, slot := range slots {
		// In Starlark a name that the module binds is never a builtin.
		if env.shadow[slot].IsUnset() && (dialect == value.Model || i >= p.NumOwn) {
			env.shadow[slot] = m.builtin(p.Globals[i], dialect)
		}
	}
	protos := make([]*proto, len(p.Codes))
	for i, c := range p.Codes {
		protos[i] = newProto(c, slots)
		protos[i].mod, protos[i].env, protos[i].machine, protos[i].dialect = mod, env, m, dialect
	}
	for i, c := range p.Codes {
		for _, k := range c.Children {
			protos[i].children = append(protos[i].children, protos[k.ID])
		}
	}
	return protos[0]
}

func newProto(c *bytecode.Code, slots []int) *proto {
	p := &proto{
		info:  c,
		code:  make([]bytecode.Ins, len(c.Ins)),
		ics:   make([]icCell, len(c.Sites)),
		frame: uintptr(c.NumRegs) * bytecode.RegSize,
		clear: c.NumClear,
	}
	for i, w := range c.Ins {
		if w.Op().Row().B == bytecode.Global {
			g := slots[w.BC()/bytecode.RegSize]
			w = w&0xFFFFFFFF | bytecode.Ins(uint32(g*bytecode.RegSize))<<32
		}
		p.code[i] = w
	}
	for _, k := range c.Consts {
		p.consts = append(p.consts, constant(k))
	}
	if len(p.consts) == 0 {
		p.consts = []value.Value{value.None}
	}
	for i := range p.ics {
		p.ics[i].p.Store(coldIC)
		if s := c.Sites[i]; s.Name == "append" && s.Kw == nil && c.Program.Options.Dialect == 0 {
			p.ics[i].p.Store(appendIC)
		}
	}
	if len(p.ics) == 0 {
		p.ics = make([]icCell, 1)
		p.ics[0].p.Store(coldIC)
	}
	for _, h := range c.Handlers {
		p.catches = p.catches || h.Kind != bytecode.IterHandler
	}
	if !c.IsGenerator && !c.HasVarArg && !c.HasKwArg && c.NumKwOnly == 0 && c.Kind != bytecode.ClassCode &&
		(c.Program.Options.Dialect == 0 || c.Program.Options.Recursion) {
		p.fits = uint32(c.NumArgs) + 1
		p.arity.Store(p.fits)
	}
	return p
}
