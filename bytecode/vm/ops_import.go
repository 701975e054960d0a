package vm

import (
	"fmt"
	"strings"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/syntax"
	"github.com/larkspur-ml/larkspur/lang/value"
)

func init() {
	operations[bytecode.IMPORT] = func(th *Thread, fr *frame, ins uint64) error {
		info := &fr.p.info.Imports[ins>>48]
		m, err := th.importModule(info.Module, info.Level, fr.p.mod)
		if err != nil {
			return err
		}
		if !info.Leaf {
			if top, _, dotted := strings.Cut(info.Module, "."); dotted {
				if m, err = th.importModule(top, 0, fr.p.mod); err != nil {
					return err
				}
			}
		}
		// Names that are submodules are imported with the package.
		for _, name := range info.From {
			if name == "*" || m.Lazy != nil {
				continue
			}
			if _, ok := m.Get(name); !ok && m.File != "" && info.Module+strings.Repeat(".", info.Level) != "" {
				sub := info.Module + "." + name
				if info.Module == "" {
					sub = name
				}
				if s, err := th.importModule(sub, info.Level, fr.p.mod); err == nil {
					if _, ok := m.Get(name); !ok {
						m.Set(name, s.Value())
					}
				} else if r := value.AsRaised(err); !r.Class.IsSubclass(value.ExcModuleNotFoundError) {
					return err
				}
			}
		}
		*fr.a(ins) = m.Value()
		return nil
	}
	operations[bytecode.IMPORTFROM] = func(th *Thread, fr *frame, ins uint64) error {
		x := *fr.b(ins)
		name := fr.p.info.Sites[ins>>48].Name
		if x.Is(value.ItabModule) {
			m := (*value.Module)(x.P)
			if v, ok := m.Get(name); ok && th.Observer == nil {
				*fr.a(ins) = v
				return nil
			}
		}
		v, err := value.GetAttr(&th.Thread, x, name)
		if err == nil {
			*fr.a(ins) = v
			return nil
		}
		if r, ok := err.(*value.Raised); ok && r.Class == value.ExcAttributeError {
			m, _ := value.As[*value.Module](x)
			if m != nil && m.Missing == nil {
				if sub := th.machine.Module(m.Name + "." + name); sub != nil {
					*fr.a(ins) = sub.Value()
					return nil
				}
				where := "unknown location"
				if m.File != "" {
					where = m.File
				}
				e := value.Errorf(value.ExcImportError, "cannot import name '%s' from '%s' (%s)", name, m.Name, where)
				if m.Loading {
					e = value.Errorf(value.ExcImportError, "cannot import name '%s' from partially initialized module '%s' (most likely due to a circular import) (%s)", name, m.Name, where)
				}
				e.Name = m.Name
				return e
			}
			return value.Errorf(value.ExcImportError, "%s", r.Message())
		}
		return th.failed(err)
	}
	operations[bytecode.IMPORTSTAR] = func(th *Thread, fr *frame, ins uint64) error {
		m, ok := value.As[*value.Module](*fr.a(ins))
		if !ok {
			return value.Errorf(value.ExcImportError, "import * needs a module")
		}
		into := fr.p.mod
		if into.Flags&value.FlagFrozen != 0 {
			return value.RuntimeErrorf("cannot import into frozen module '%s'", into.Name)
		}
		names := m.Names()
		if all, ok := m.Get("__all__"); ok {
			names = nil
			elems, err := th.Do(value.CallAny(&th.Thread, value.ListClass.Value(), []value.Value{all}, nil))
			if err != nil {
				return err
			}
			for _, e := range elems.AsList().Elems {
				if s, ok := e.AsString(); ok {
					names = append(names, s)
				}
			}
		}
		_, hasAll := m.Get("__all__")
		for _, n := range names {
			if !hasAll && strings.HasPrefix(n, "_") {
				continue
			}
			v, err := value.GetAttr(&th.Thread, m.Value(), n)
			if err != nil {
				return err
			}
			if th.Observer != nil {
				old, _ := into.Get(n)
				th.Observer.Write(into.Value(), value.StepGlobal, value.Str(n), old, v)
			}
			into.Set(n, v)
		}
		return nil
	}
	operations[bytecode.LOAD] = func(th *Thread, fr *frame, ins uint64) error {
		info := &fr.p.info.Imports[ins>>48]
		var m *value.Module
		var err error
		switch {
		case th.machine.Loader != nil:
			m, err = th.machine.Loader.Load(th, info.Module, fr.p.mod)
		default:
			err = fmt.Errorf("load not implemented by this application")
		}
		if err != nil {
			if r, ok := err.(*value.Raised); ok {
				return r
			}
			r := value.Errorf(value.ExcImportError, "cannot load %s: %v", info.Module, err)
			r.Host = err
			return r
		}
		w := fr.window(uint64(uint16(ins>>16)), len(info.From))
		for i, n := range info.From {
			v, ok := m.Get(n)
			if !ok {
				hint := ""
				if near := syntax.Nearest(n, m.Names()); near != "" {
					hint = " (did you mean " + near + "?)"
				}
				return value.Errorf(value.ExcImportError, "load: name %s not found in module %s%s", n, info.Module, hint)
			}
			w[i] = v
		}
		return nil
	}
	special[bytecode.LOAD] = func(*Thread, *frame, uint64, value.Value) error { return nil }
}

// importModule asks the importer for a module. Go nests here: the module's code
// runs on an entry frame of its own.
func (th *Thread) importModule(name string, level int, from *value.Module) (*value.Module, error) {
	if th.Observer != nil {
		if err := th.Observer.Call(from.Value(), nil, nil); err != nil {
			return nil, err
		}
	}
	if th.machine.Importer == nil {
		if m := th.machine.Module(name); m != nil && level == 0 {
			return m, nil
		}
		return nil, notFound(name)
	}
	m, err := th.machine.Importer.Import(th, name, level, from)
	if err != nil {
		if r, ok := err.(*value.Raised); ok {
			return nil, r
		}
		r := value.Errorf(value.ExcImportError, "cannot import %s: %v", name, err)
		r.Host = err
		return nil, r
	}
	if m == nil {
		return nil, notFound(name)
	}
	return m, nil
}

func notFound(name string) error {
	r := value.Errorf(value.ExcModuleNotFoundError, "No module named '%s'", name)
	r.Name = name
	return r
}
