package vm

import (
	"fmt"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
	"go.starlark.net/starlark"
)

// A Function is a function of the language.
type Function struct {
	p    *proto // nil in the memory behind tags: calls look before they follow it
	free []*value.Cell

	defaults   []value.Value // of the last positional parameters
	kwDefaults *value.Dict   // or nil
	annots     value.Value   // dict, or unset
	name       string
	qualname   string
	module     value.Value // __module__
	doc        value.Value
	dict       *value.Dict // other attributes; nil until one is set
	frozen     bool
	watch      *value.Watch // of everything that can change
	marked     *marking
}

// marking is what a compiler has attached to a function.
type marking struct {
	mark any
	of   *Function // that it was made from
}

// ItabFunction is the second word of values that are functions.
var ItabFunction = value.ItabOf((*Function)(nil))

// Value is f as a value.
func (f *Function) Value() value.Value { return value.FromStarlark(f) }

// Code is the code that f runs.
func (f *Function) Code() *bytecode.Code { return f.p.info }

// Module is the module whose globals f sees.
func (f *Function) Module() *value.Module { return f.p.mod }

// Cells are the variables that f closes over, in the order of Code().Free.
func (f *Function) Cells() []*value.Cell { return f.free }

// Defaults are the default values of the last positional parameters.
func (f *Function) Defaults() []value.Value { return f.defaults }

func (f *Function) FuncName() (name, qualname string) { return f.name, f.qualname }
func (f *Function) Name() string                      { return f.name }
func (f *Function) String() string {
	if f.p.dialect == value.Strict {
		return "<function " + f.name + ">"
	}
	return fmt.Sprintf("<function %s at %p>", f.qualname, f)
}
func (f *Function) Type() string          { return "function" }
func (f *Function) Truth() starlark.Bool  { return true }
func (f *Function) Hash() (uint32, error) { return starlark.String(f.name).Hash() }

// Freeze freezes the function's defaults and its cells, and in the model dialect
// the module it sees.
func (f *Function) Freeze() {
	if f.frozen {
		return
	}
	f.frozen = true
	for _, v := range f.defaults {
		value.Freeze(v)
	}
	if f.kwDefaults != nil {
		f.kwDefaults.Freeze()
	}
	if f.dict != nil {
		f.dict.Freeze()
	}
	if !f.annots.IsUnset() {
		value.Freeze(f.annots)
	}
	for _, c := range f.free {
		c.Freeze()
	}
	if f.p.dialect == value.Model {
		f.p.mod.Freeze()
	}
}

// CallInternal lets hosts call the function through starlark.Call.
func (f *Function) CallInternal(h *starlark.Thread, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	t := value.ThreadOf(h)
	if t == nil || t.Machine == nil {
		return nil, fmt.Errorf("%s: called without a thread of the machine", f.name)
	}
	in := make([]value.Value, len(args))
	for i, a := range args {
		in[i] = value.FromStarlark(a)
	}
	var named []value.Kwarg
	for _, k := range kw {
		s, _ := starlark.AsString(k[0])
		named = append(named, value.Kwarg{Name: s, Value: value.FromStarlark(k[1])})
	}
	v, err := t.Machine.Call(f.Value(), in, named)
	if err != nil {
		return nil, err
	}
	return v.Starlark(), nil
}

func (f *Function) ClassOf() *value.Class { return value.FunctionClass }

func (f *Function) AttrGet(t *value.Thread, name string) (value.Value, bool, error) {
	switch name {
	case "__name__":
		return value.Str(f.name), true, nil
	case "__qualname__":
		return value.Str(f.qualname), true, nil
	case "__module__":
		return f.module, true, nil
	case "__doc__":
		return f.doc, true, nil
	case "__defaults__":
		if len(f.defaults) == 0 {
			return value.None, true, nil
		}
		return value.Tuple(f.defaults...), true, nil
	case "__kwdefaults__":
		if f.kwDefaults == nil {
			return value.None, true, nil
		}
		return f.kwDefaults.Value(), true, nil
	case "__annotations__":
		if f.annots.IsUnset() {
			if f.frozen {
				return value.NewDict(0).Value(), true, nil
			}
			f.annots = value.NewDict(0).Value()
		}
		return f.annots, true, nil
	case "__dict__":
		if f.dict == nil {
			if f.frozen {
				return value.NewDict(0).Value(), true, nil
			}
			f.dict = value.NewDict(0)
			f.watch.Fire(value.WatchShape)
		}
		return f.dict.Value(), true, nil
	case "__globals__":
		return (&value.AttrDict{Of: f.p.mod.Value()}).Value(), true, nil
	case "__closure__":
		if len(f.free) == 0 {
			return value.None, true, nil
		}
		cells := make([]value.Value, len(f.free))
		for i, c := range f.free {
			cells[i] = c.Value()
		}
		return value.Tuple(cells...), true, nil
	case "_torchdynamo_orig_callable", "__wrapped__":
		if f.marked != nil {
			return f.marked.of.Value(), true, nil
		}
	case "__code__":
		return value.FromStarlark((*codeObject)(f.p.info)), true, nil
	}
	if f.dict != nil {
		if v, ok := f.dict.GetStr(name); ok {
			if t.Observer != nil {
				v = t.Observer.Read(f.Value(), value.StepAttr, value.Str(name), v)
			}
			return v, true, nil
		}
	}
	if t.Observer != nil {
		t.Observer.Absent(f.Value(), value.StepAttr, value.Str(name))
	}
	return value.Value{}, false, nil
}

func (f *Function) AttrSet(t *value.Thread, name string, v value.Value) (bool, error) {
	defer func() { f.watch.Fire(value.WatchShape) }()
	if f.frozen {
		return true, value.RuntimeErrorf("cannot set .%s field of frozen function %s", name, f.name)
	}
	del := v.IsUnset()
	if t.Observer != nil {
		old, _, _ := f.AttrGet(t, name)
		t.Observer.Write(f.Value(), value.StepAttr, value.Str(name), old, v)
	}
	text := func(p *string) (bool, error) {
		s, ok := v.AsString()
		if del || !ok {
			return true, value.TypeErrorf("%s must be set to a string object", name)
		}
		*p = s
		return true, nil
	}
	switch name {
	case "__name__":
		return text(&f.name)
	case "__qualname__":
		return text(&f.qualname)
	case "__module__":
		if f.module = v; del {
			f.module = value.None
		}
		return true, nil
	case "__doc__":
		if del {
			v = value.None
		}
		f.doc = v
		return true, nil
	case "__annotations__":
		f.annots = v
		return true, nil
	case "__defaults__":
		f.defaults = nil
		if tup, ok := v.AsTuple(); ok {
			for _, e := range tup {
				f.defaults = append(f.defaults, value.FromStarlark(e))
			}
		} else if !del && !v.IsNone() {
			return true, value.TypeErrorf("__defaults__ must be set to a tuple object")
		}
		return true, nil
	case "__kwdefaults__":
		f.kwDefaults = nil
		if !del && !v.IsNone() {
			if f.kwDefaults = v.AsDict(); f.kwDefaults == nil {
				return true, value.TypeErrorf("__kwdefaults__ must be set to a dict object")
			}
		}
		return true, nil
	case "__dict__":
		if del {
			return true, value.TypeErrorf("cannot delete __dict__")
		}
		d := v.AsDict()
		if d == nil {
			return true, value.TypeErrorf("__dict__ must be set to a dictionary, not a '%s'", value.TypeName(t, v))
		}
		f.dict = d
		return true, nil
	case "__globals__", "__closure__", "__code__":
		return true, value.AttributeErrorf(name, "readonly attribute")
	}
	if del {
		if f.dict != nil {
			_, ok, err := f.dict.Delete(t, value.Str(name))
			return ok, err
		}
		return false, nil
	}
	if f.dict == nil {
		f.dict = value.NewDict(0)
	}
	f.dict.SetStr(name, v)
	return true, nil
}

func (f *Function) AttrDir() []string {
	names := []string{"__name__", "__qualname__", "__module__", "__doc__", "__defaults__", "__kwdefaults__",
		"__annotations__", "__dict__", "__globals__", "__closure__", "__code__"}
	if f.dict != nil {
		for i := 0; ; {
			k, _, next, ok := f.dict.Next(i)
			if !ok {
				break
			}
			if s, ok := k.AsString(); ok {
				names = append(names, s)
			}
			i = next
		}
	}
	return names
}

// codeObject is __code__: what inspect-like code asks of it.
type codeObject bytecode.Code

func (c *codeObject) String() string {
	return fmt.Sprintf("<code object %s, file %q, line %d>", c.Name, c.Program.File, c.Span.Start.Line)
}
func (c *codeObject) Type() string          { return "code" }
func (c *codeObject) Freeze()               {}
func (c *codeObject) Truth() starlark.Bool  { return true }
func (c *codeObject) Hash() (uint32, error) { return starlark.String(c.Name).Hash() }
func (c *codeObject) Attr(name string) (starlark.Value, error) {
	switch name {
	case "co_name":
		return starlark.String(c.Name), nil
	case "co_qualname":
		return starlark.String(c.QualName), nil
	case "co_filename":
		return starlark.String(c.Program.File), nil
	case "co_firstlineno":
		return starlark.MakeInt(int(c.Span.Start.Line)), nil
	case "co_argcount":
		return starlark.MakeInt(c.NumArgs), nil
	case "co_posonlyargcount":
		return starlark.MakeInt(c.NumPosOnly), nil
	case "co_kwonlyargcount":
		return starlark.MakeInt(c.NumKwOnly), nil
	case "co_nlocals":
		return starlark.MakeInt(len(c.Locals)), nil
	case "co_varnames":
		tup := make(starlark.Tuple, len(c.Locals))
		for i, n := range c.Locals {
			tup[i] = starlark.String(n)
		}
		return tup, nil
	case "co_freevars":
		tup := make(starlark.Tuple, len(c.Free))
		for i := range c.Free {
			tup[i] = starlark.String(c.Free[i].Name)
		}
		return tup, nil
	case "co_cellvars":
		tup := make(starlark.Tuple, len(c.Cells))
		for i := range c.Cells {
			tup[i] = starlark.String(c.Cells[i].Name)
		}
		return tup, nil
	case "co_flags":
		flags := 3
		if c.HasVarArg {
			flags |= 4
		}
		if c.HasKwArg {
			flags |= 8
		}
		if c.IsGenerator {
			flags |= 32
		}
		return starlark.MakeInt(flags), nil
	}
	return nil, nil
}
func (c *codeObject) AttrNames() []string {
	return []string{"co_argcount", "co_cellvars", "co_filename", "co_firstlineno", "co_flags", "co_freevars", "co_kwonlyargcount", "co_name",
		"co_nlocals", "co_posonlyargcount", "co_qualname", "co_varnames"}
}
