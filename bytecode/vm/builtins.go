package vm

import (
	"strings"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// frameBuiltins are the builtins of the model dialect that look at the frame
// that calls them.
var frameBuiltins = map[string]value.Value{}

func init() {
	def := func(name string, fn func(th *Thread, fr *frame, args []value.Value) (value.Value, error), params ...string) {
		frameBuiltins[name] = (&value.Builtin{Name: name, Max: 5, Counted: len(params) == 0, WantsKw: len(params) > 0, Fn: func(t *value.Thread, args []value.Value, kw []value.Kwarg) (value.Value, error) {
			if len(kw) > 0 {
				var err error
				if args, err = value.PlaceArgs(name, args, kw, params); err != nil {
					return value.Value{}, err
				}
			}
			th := ThreadOf(t)
			if th == nil {
				return value.Value{}, value.RuntimeErrorf("%s() needs the interpreter", name)
			}
			for fr := th.fr; ; fr = fr.down() {
				if fr.p != nil {
					return fn(th, fr, args)
				}
				if fr == &th.frames[0] {
					return value.Value{}, value.RuntimeErrorf("%s() without a frame", name)
				}
			}
		}}).Value()
	}
	def("globals", func(th *Thread, fr *frame, args []value.Value) (value.Value, error) {
		return value.GetAttr(&th.Thread, fr.p.mod.Value(), "__dict__")
	})
	def("locals", locals)
	// vars and dir without arguments look at the frame too.
	def("vars", func(th *Thread, fr *frame, args []value.Value) (value.Value, error) {
		if len(args) == 0 {
			return locals(th, fr, args)
		}
		return value.CallAny(&th.Thread, value.Universe(value.Model)["vars"], args, nil)
	})
	def("dir", func(th *Thread, fr *frame, args []value.Value) (value.Value, error) {
		if len(args) > 0 {
			return value.CallAny(&th.Thread, value.Universe(value.Model)["dir"], args, nil)
		}
		d, err := locals(th, fr, args)
		if err != nil {
			return d, err
		}
		return value.CallAny(&th.Thread, value.Universe(value.Model)["sorted"], []value.Value{d}, nil)
	})
	def("__import__", func(th *Thread, fr *frame, args []value.Value) (value.Value, error) {
		if len(args) == 0 {
			return value.Value{}, value.TypeErrorf("__import__() missing required argument 'name' (pos 1)")
		}
		name, ok := args[0].AsString()
		if !ok {
			return value.Value{}, value.TypeErrorf("__import__() argument 1 must be str, not %s", value.TypeName(&th.Thread, args[0]))
		}
		arg := func(i int) value.Value {
			if i < len(args) {
				return args[i]
			}
			return value.Value{}
		}
		level := 0
		if v := arg(4); v.IsInt() {
			level = int(v.Int64())
		}
		m, err := th.importModule(name, level, fr.p.mod)
		if err != nil {
			return value.Value{}, err
		}
		// Without names to take from it the module is only on the way: the first of the path is given.
		leaf := level > 0
		if v := arg(3); !v.IsUnset() {
			some, err := value.Truth(&th.Thread, v)
			if err != nil {
				return value.Value{}, err
			}
			leaf = leaf || some
		}
		if top, _, dotted := strings.Cut(name, "."); dotted && !leaf {
			if m, err = th.importModule(top, 0, fr.p.mod); err != nil {
				return value.Value{}, err
			}
		}
		return m.Value(), nil
	}, "name", "globals", "locals", "fromlist", "level")
}

// locals are the names that a frame binds, with their values.
func locals(th *Thread, fr *frame, args []value.Value) (value.Value, error) {
	switch fr.p.info.Kind {
	case bytecode.ModuleCode:
		return value.GetAttr(&th.Thread, fr.p.mod.Value(), "__dict__")
	case bytecode.ClassCode:
		return *reg(fr.R, 0), nil
	}
	d := value.NewDict(0)
	put := func(name string, v value.Value) {
		if !v.IsUnset() {
			d.SetStr(name, v)
		}
	}
	cells := map[string]bool{}
	for _, c := range fr.p.info.Cells {
		cells[c.Name] = true
	}
	for i, name := range fr.p.info.Locals {
		if !cells[name] {
			put(name, *reg(fr.R, uint64(i)*bytecode.RegSize))
		}
	}
	for _, c := range fr.p.info.Cells {
		if cell, err := cellOf(*reg(fr.R, uint64(c.Reg)*bytecode.RegSize)); err == nil {
			put(c.Name, cell.V)
		}
	}
	for i, f := range fr.p.info.Free {
		put(f.Name, fr.fn.free[i].V)
	}
	return d.Value(), nil
}
