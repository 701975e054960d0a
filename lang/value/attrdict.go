package value

import (
	"slices"
	"sort"

	"go.starlark.net/starlark"
)

// AttrDict is x.__dict__: the attributes of an instance, class or module seen
// as a dict. It is a live view; a class's is read-only.
type AttrDict struct {
	Of    Value
	proxy bool
}

func (d *AttrDict) Value() Value { return FromStarlark(d) }
func (d *AttrDict) ClassOf() *Class {
	if d.proxy {
		return ProxyClass
	}
	return DictClass
}
func (d *AttrDict) String() string {
	s := reprOffline(d.snapshot().Value())
	if d.proxy {
		return "mappingproxy(" + s + ")"
	}
	return s
}
func (d *AttrDict) Type() string          { return "dict" }
func (d *AttrDict) Freeze()               {}
func (d *AttrDict) Truth() starlark.Bool  { return len(d.names()) > 0 }
func (d *AttrDict) Hash() (uint32, error) { return 0, TypeErrorf("unhashable type: 'dict'") }
func (d *AttrDict) Len() int              { return len(d.names()) }

func (d *AttrDict) names() []string {
	switch o := d.Of.iface().(type) {
	case *Instance:
		names := o.Shape.Names()
		for i, n := range names {
			if o.Shape.Class.isSlot(n) { // slots are no part of __dict__
				out := slices.Clone(names[:i])
				for _, n := range names[i+1:] {
					if !o.Shape.Class.isSlot(n) {
						out = append(out, n)
					}
				}
				return out
			}
		}
		return names
	case *Class:
		return o.OwnNames()
	case *Module:
		var names []string
		for i, n := range o.names {
			if !o.Slots[i].IsUnset() {
				names = append(names, n)
			}
		}
		return names
	case AttrObject:
		names := o.AttrDir()
		sort.Strings(names)
		return names
	}
	return nil
}

func (d *AttrDict) get(t *Thread, name string) (Value, bool) {
	var v Value
	var ok bool
	switch o := d.Of.iface().(type) {
	case *Instance:
		v, ok = o.Get(name)
	case *Class:
		v, ok = o.Own(name)
	case *Module:
		v, ok = o.Get(name)
	case AttrObject:
		v, ok, _ = o.AttrGet(t, name)
	}
	if t != nil && t.Observer != nil {
		if !ok {
			t.Observer.Absent(d.Of, StepAttr, Str(name))
		} else {
			v = t.Observer.Read(d.Of, StepAttr, Str(name), v)
		}
	}
	return v, ok
}

// snapshot copies the attributes into a dict.
func (d *AttrDict) snapshot() *Dict {
	names := d.names()
	out := NewDict(len(names))
	for _, n := range names {
		if v, ok := d.get(nil, n); ok {
			out.SetStr(n, v)
		}
	}
	return out
}

func (d *AttrDict) getItem(t *Thread, k Value) (Value, error) {
	if s, ok := k.AsString(); ok {
		if v, ok := d.get(t, s); ok {
			return v, nil
		}
	}
	return Value{}, KeyErrorOf(k)
}

func (d *AttrDict) setItem(t *Thread, k, v Value) error {
	s, ok := k.AsString()
	if !ok {
		return TypeErrorf("attribute name must be string, not '%s'", typeName(k))
	}
	if d.proxy {
		return TypeErrorf("'mappingproxy' object does not support item assignment")
	}
	switch o := d.Of.iface().(type) {
	case *Instance:
		if o.Flags&FlagFrozen != 0 {
			return frozenError(d.Of)
		}
		if t.Observer != nil {
			old, _ := o.Get(s)
			t.Observer.Write(d.Of, StepAttr, k, old, v)
		}
		o.Set(s, v)
		return nil
	}
	return SetAttr(t, d.Of, s, v)
}

func (d *AttrDict) delItem(t *Thread, k Value) error {
	s, ok := k.AsString()
	if !ok {
		return KeyErrorOf(k)
	}
	if d.proxy {
		return TypeErrorf("'mappingproxy' object doesn't support item deletion")
	}
	if o := d.Of.AsInstance(); o != nil {
		if o.Flags&FlagFrozen != 0 {
			return frozenError(d.Of)
		}
		old, ok := o.Get(s)
		if !ok {
			return KeyErrorOf(k)
		}
		if t.Observer != nil {
			t.Observer.Write(d.Of, StepAttr, k, old, Value{})
		}
		o.Delete(s)
		return nil
	}
	if _, ok := d.get(t, s); !ok {
		return KeyErrorOf(k)
	}
	return DelAttr(t, d.Of, s)
}

// replace is the assignment to __dict__.
func (d *AttrDict) replace(t *Thread, with *Dict) error {
	for _, n := range append([]string(nil), d.names()...) {
		if err := d.delItem(t, Str(n)); err != nil {
			return err
		}
	}
	for i := 0; ; {
		k, v, next, ok := with.Next(i)
		if !ok {
			return nil
		}
		if err := d.setItem(t, k, v); err != nil {
			return err
		}
		i = next
	}
}

// method runs a dict method on the view: reads on a copy, writes one by one.
func (d *AttrDict) method(t *Thread, name string, args []Value, kw []Kwarg) (Value, error) {
	arg := func(i int, def Value) Value {
		if i < len(args) {
			return args[i]
		}
		return def
	}
	switch name {
	case "get":
		if s, ok := arg(0, None).AsString(); ok {
			if v, ok := d.get(t, s); ok {
				return v, nil
			}
		}
		return arg(1, None), nil
	case "pop":
		v, err := d.getItem(t, arg(0, None))
		if err != nil {
			if len(args) > 1 {
				return args[1], nil
			}
			return Value{}, err
		}
		return v, d.delItem(t, args[0])
	case "setdefault":
		if v, err := d.getItem(t, arg(0, None)); err == nil {
			return v, nil
		}
		return arg(1, None), d.setItem(t, arg(0, None), arg(1, None))
	case "clear":
		return None, d.replace(t, NewDict(0))
	case "update":
		tmp := NewDict(0)
		if _, err := dictUpdate(t, append([]Value{tmp.Value()}, args...), kw); err != nil {
			return Value{}, err
		}
		for i := 0; ; {
			k, v, next, ok := tmp.Next(i)
			if !ok {
				return None, nil
			}
			if err := d.setItem(t, k, v); err != nil {
				return Value{}, err
			}
			i = next
		}
	}
	f, _ := DictClass.Own(name)
	return (*Builtin)(f.P).Call(t, append([]Value{d.snapshot().Value()}, args...), kw)
}
