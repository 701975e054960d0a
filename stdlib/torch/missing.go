package torch

import (
	_ "embed"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// knownNames lists what PyTorch 1.13 and 2 have, a line for each module:
// "torch: abs absolute …". names.py makes it.
//
//go:embed names.txt
var knownNames string

// inPyTorch reports whether PyTorch's module (or "Tensor") has name.
func inPyTorch(module, name string) bool {
	for line := range strings.Lines(knownNames) {
		if rest, ok := strings.CutPrefix(line, module+": "); ok {
			return strings.Contains(" "+strings.TrimSuffix(rest, "\n")+" ", " "+name+" ")
		}
	}
	return false
}

func missingError(full string) error {
	return value.Errorf(value.ExcNotImplementedError, "%s exists in PyTorch, but not in Larkspur", full)
}

// initMissing makes the class of what stands for names that PyTorch has and we
// lack: a file that imports them runs until it uses one (package invariant 4).
func (r *Runtime) initMissing(class classMaker) {
	name := func(v value.Value) string { s, _ := native[missing](v); return string(s) }
	r.classes.Missing = class("missing", &value.Slots{
		New: noNew,
		Repr: func(_ *value.Thread, x value.Value) (string, error) {
			return "<" + name(x) + ", which Larkspur lacks>", nil
		},
		Call: func(_ *value.Thread, x value.Value, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
			return value.Value{}, missingError(name(x))
		},
		GetItem: func(_ *value.Thread, x, _ value.Value) (value.Value, error) {
			return value.Value{}, missingError(name(x))
		},
		GetAttr: func(_ *value.Thread, x value.Value, attr string) (value.Value, bool, error) {
			if strings.HasPrefix(attr, "__") {
				return value.Value{}, false, nil
			}
			return value.Value{}, false, missingError(name(x) + "." + attr)
		},
	})
	method(r.classes.Missing, "__mro_entries__", 1, 1, func(_ *value.Thread, x value.Value, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
		return value.Value{}, missingError(name(x)) // class C(torch.nn.Missing)
	})
}

// Fill makes a module that is written in the language (torch.optim) serve the
// names that PyTorch's has beside its own and its files, which submodule reports.
// It sets __getattr__, which the module's code may set anew.
func (r *Runtime) Fill(m *value.Module, submodule func(name string) bool) {
	if !strings.Contains("\n"+knownNames, "\n"+m.Name+": ") {
		return
	}
	m.Set("__getattr__", (&value.Builtin{Name: "__getattr__", Counted: true, Min: 1, Max: 1, Fn: func(_ *value.Thread, args []value.Value, _ []value.Kwarg) (value.Value, error) {
		name, _ := args[0].AsString()
		if !inPyTorch(m.Name, name) || submodule(name) {
			e := value.AttributeErrorf(name, "module '%s' has no attribute '%s'", m.Name, name)
			e.Obj = m.Value()
			return value.Value{}, e
		}
		return r.missing(m.Name + "." + name), nil
	}}).Value())
}

// InPyTorch reports whether PyTorch has a dotted name, as far as its public names
// are known here.
func InPyTorch(full string) bool {
	parent, child, ok := cutLast(full)
	return ok && inPyTorch(parent, child)
}

type missing string

func (r *Runtime) missing(full string) value.Value {
	return object(r.classes.Missing, missing(full))
}
