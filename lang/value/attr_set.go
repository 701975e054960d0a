package value

import (
	"slices"
	"sort"

	"go.starlark.net/starlark"
)

// SetAttr is x.name = v.
func SetAttr(t *Thread, x Value, name string, v Value) error {
	if x.IsTagged() {
		return noSetAttr(t, x, name)
	}
	switch o := x.iface().(type) {
	case *Instance:
		if f, ok := o.Class().custom(dSetattr); ok {
			return t.needMethod(nil, f, x, Str(name), v)
		}
		return setInstanceAttr(t, o, name, v)
	case *Class:
		return setClassAttr(t, o, name, v)
	case *Module:
		if o.Flags&FlagFrozen != 0 {
			return RuntimeErrorf("cannot assign attribute '%s' of frozen module '%s'", name, o.Name)
		}
		if t.Observer != nil {
			old, _ := o.Get(name)
			t.Observer.Write(x, StepGlobal, Str(name), old, v)
		}
		o.Set(name, v)
		return nil
	case *Super:
		// super().x = v goes through the classes behind, for properties.
		if f, found := o.Of.findAfter(o.After, name); found && isDataDescriptor(f.Value) {
			return setDescriptor(t, f.Value, o.Self, name, v)
		}
		if in := o.Self.AsInstance(); in != nil {
			return setInstanceAttr(t, in, name, v)
		}
	case AttrObject:
		c := o.ClassOf()
		if f, ok := c.Find(name); ok && isDataDescriptor(f.Value) {
			return setDescriptor(t, f.Value, x, name, v)
		}
		if handled, err := o.AttrSet(t, name, v); handled || err != nil {
			return err
		}
		if c.Slots != nil && c.Slots.SetAttr != nil {
			if handled, err := c.Slots.SetAttr(t, x, name, v); handled || err != nil {
				return err
			}
		}
	case *Cell:
		if name == "cell_contents" {
			o.Put(v)
			return nil
		}
	case *Property:
		if name == "__doc__" {
			o.Doc = v
			return nil
		}
	case starlark.HasSetField:
		err := o.SetField(name, v.Starlark())
		if missing, ok := err.(starlark.NoSuchAttrError); ok {
			return AttributeErrorf(name, "%s", spelled(string(missing), name, strictNames(x)))
		}
		return hostError(err)
	}
	return noSetAttr(t, x, name)
}

func noSetAttr(t *Thread, x Value, name string) error {
	if t.Dialect == Strict {
		return AttributeErrorf(name, "can't assign to .%s field of %s", name, TypeName(t, x))
	}
	if _, isNum, _ := payloadAttr(t, x, name); isNum {
		return AttributeErrorf(name, "attribute '%s' of '%s' objects is not writable", name, typeName(x))
	}
	if _, has := TypeOf(x).Find(name); has {
		return AttributeErrorf(name, "'%s' object attribute '%s' is read-only", typeName(x), name)
	}
	return AttributeErrorf(name, "'%s' object has no attribute '%s'", typeName(x), name)
}

func setDescriptor(t *Thread, d, self Value, name string, v Value) error {
	if p, ok := As[*Property](d); ok {
		if v.IsUnset() {
			if p.Del.IsUnset() {
				return AttributeErrorf(name, "property '%s' of '%s' object has no deleter", name, typeName(self))
			}
			_, err := CallAnyOrNeed(t, p.Del, self)
			return err
		}
		if p.Set.IsUnset() {
			return AttributeErrorf(name, "property '%s' of '%s' object has no setter", name, typeName(self))
		}
		_, err := CallAnyOrNeed(t, p.Set, self, v)
		return err
	}
	c := d.AsInstance().Class()
	if v.IsUnset() {
		f := c.special(dDelete)
		if f.IsUnset() {
			return AttributeErrorf(name, "__delete__")
		}
		return t.needMethod(nil, f, d, self)
	}
	f := c.special(dSet)
	if f.IsUnset() {
		return AttributeErrorf(name, "__set__")
	}
	return t.needMethod(nil, f, d, self, v)
}

// setInstanceAttr is object.__setattr__.
func setInstanceAttr(t *Thread, in *Instance, name string, v Value) error {
	x, c := in.Value(), in.Class()
	if f, ok := c.Find(name); ok && isDataDescriptor(f.Value) {
		return setDescriptor(t, f.Value, x, name, v)
	}
	if c.Slots != nil && c.Slots.SetAttr != nil {
		if handled, err := c.Slots.SetAttr(t, x, name, v); handled || err != nil {
			return err
		}
	}
	if in.Flags&FlagFrozen != 0 {
		return RuntimeErrorf("cannot set attribute '%s' of frozen '%s' object", name, c.Name)
	}
	if r, ok := in.Native.(*Raised); ok {
		if done, err := setRaisedAttr(r, name, v); done || err != nil {
			return err
		}
	}
	if name == "__class__" {
		k := v.AsClass()
		if k == nil {
			return TypeErrorf("__class__ must be set to a class, not '%s' object", typeName(v))
		}
		if k.Slots != c.Slots {
			return TypeErrorf("__class__ assignment: '%s' object layout differs from '%s'", k.Name, c.Name)
		}
		in.SetClass(k)
		return nil
	}
	if name == "__dict__" {
		d := v.AsDict()
		if d == nil {
			return TypeErrorf("__dict__ must be set to a dictionary, not a '%s'", typeName(v))
		}
		return (&AttrDict{Of: x}).replace(t, d)
	}
	if c == ObjectClass || c.allowed != nil && !c.allowed[name] {
		if _, has := c.Find(name); has {
			return AttributeErrorf(name, "'%s' object attribute '%s' is read-only", c.Name, name)
		}
		return AttributeErrorf(name, "'%s' object has no attribute '%s'", c.Name, name)
	}
	if t.Observer != nil {
		old, _ := in.Get(name)
		t.Observer.Write(x, StepAttr, Str(name), old, v)
	}
	in.Set(name, v)
	return nil
}

func setRaisedAttr(r *Raised, name string, v Value) (bool, error) {
	switch name {
	case "args":
		tup, ok := v.AsTuple()
		if !ok {
			return false, nil
		}
		r.Args = r.Args[:0:0]
		for _, e := range tup {
			r.Args = append(r.Args, FromStarlark(e))
		}
		return true, nil
	case "__cause__", "__context__":
		x := RaisedOf(v)
		if x == nil && !v.IsNone() {
			return false, TypeErrorf("exception %s must be None or derive from BaseException", name[2:len(name)-2])
		}
		if name == "__cause__" {
			r.Cause, r.Suppress = x, true
		} else {
			r.Context = x
		}
		return true, nil
	case "__suppress_context__":
		r.Suppress = v.N != 0
		return true, nil
	case "__traceback__":
		tb, ok := As[*Traceback](v)
		if !ok && !v.IsNone() {
			return false, TypeErrorf("__traceback__ must be a traceback or None")
		}
		r.SetTrace(nil)
		if ok {
			r.SetTrace(slices.Clone(tb.Entries))
		}
		return true, nil
	}
	return false, nil
}

func setClassAttr(t *Thread, c *Class, name string, v Value) error {
	if meta := c.MetaClass(); meta != TypeClass {
		if f, ok := meta.custom(dSetattr); ok {
			return t.needMethod(nil, f, c.Value(), Str(name), v)
		}
		if f, ok := meta.Find(name); ok && isDataDescriptor(f.Value) {
			return setDescriptor(t, f.Value, c.Value(), name, v)
		}
	}
	return setTypeAttr(t, c, name, v)
}

// setTypeAttr is type.__setattr__.
func setTypeAttr(t *Thread, c *Class, name string, v Value) error {
	if c.Flags&FlagFrozen != 0 {
		return RuntimeErrorf("cannot set attribute '%s' of frozen class '%s'", name, c.Name)
	}
	if c.Module == "builtins" {
		return TypeErrorf("cannot set '%s' attribute of immutable type '%s'", name, c.Name)
	}
	if t.Observer != nil {
		old, _ := c.Own(name)
		t.Observer.Write(c.Value(), StepAttr, Str(name), old, v)
	}
	switch name {
	case "__name__", "__qualname__":
		s, ok := v.AsString()
		if !ok {
			return TypeErrorf("can only assign string to %s.%s, not '%s'", c.Name, name, typeName(v))
		}
		if name == "__name__" {
			c.Name = s
		} else {
			c.Qualname = s
		}
		return nil
	case "__module__":
		if s, ok := v.AsString(); ok {
			c.Module = s
		}
	case "__mro__", "__dict__", "__base__":
		return AttributeErrorf(name, "readonly attribute")
	case "__bases__":
		return AttributeErrorf(name, "attribute '__bases__' of a class cannot be set in Larkspur")
	}
	if name == "__abstractmethods__" {
		items, ok, err := goItems(t, v)
		if err != nil || !ok {
			return err
		}
		c.Abstract = nil
		for _, it := range items {
			if s, ok := it.AsString(); ok {
				c.Abstract = append(c.Abstract, s)
			}
		}
		sort.Strings(c.Abstract)
	}
	c.SetRaw(name, v)
	return nil
}

// DelAttr is del x.name.
func DelAttr(t *Thread, x Value, name string) error {
	if x.IsTagged() {
		return noSetAttr(t, x, name)
	}
	switch o := x.iface().(type) {
	case *Instance:
		if f, ok := o.Class().custom(dDelattr); ok {
			return t.needMethod(nil, f, x, Str(name))
		}
		return delInstanceAttr(t, o, name)
	case *Class:
		if o.Flags&FlagFrozen != 0 || o.Module == "builtins" {
			return TypeErrorf("cannot delete '%s' attribute of immutable type '%s'", name, o.Name)
		}
		if t.Observer != nil {
			old, _ := o.Own(name)
			t.Observer.Write(x, StepAttr, Str(name), old, Value{})
		}
		switch name {
		case "__name__", "__qualname__", "__bases__":
			return TypeErrorf("cannot delete '%s' attribute of type '%s'", name, o.Name)
		}
		if !o.DelRaw(name) {
			return noAttr(t, x, name)
		}
		return nil
	case *Module:
		if o.Flags&FlagFrozen != 0 {
			return RuntimeErrorf("cannot delete attribute '%s' of frozen module '%s'", name, o.Name)
		}
		old, ok := o.Get(name)
		if !ok {
			return noAttr(t, x, name)
		}
		if t.Observer != nil {
			t.Observer.Write(x, StepGlobal, Str(name), old, Value{})
		}
		o.Set(name, Value{})
		return nil
	case AttrObject:
		if handled, err := o.AttrSet(t, name, Value{}); handled || err != nil {
			return err
		}
	}
	return noAttr(t, x, name)
}

// delInstanceAttr is object.__delattr__.
func delInstanceAttr(t *Thread, in *Instance, name string) error {
	x, c := in.Value(), in.Class()
	if f, ok := c.Find(name); ok && isDataDescriptor(f.Value) {
		return setDescriptor(t, f.Value, x, name, Value{})
	}
	if c.Slots != nil && c.Slots.SetAttr != nil {
		if handled, err := c.Slots.SetAttr(t, x, name, Value{}); handled || err != nil {
			return err
		}
	}
	if in.Flags&FlagFrozen != 0 {
		return RuntimeErrorf("cannot delete attribute '%s' of frozen '%s' object", name, c.Name)
	}
	old, ok := in.Get(name)
	if !ok {
		if t.Observer != nil {
			t.Observer.Absent(x, StepAttr, Str(name))
		}
		return noAttr(t, x, name)
	}
	if t.Observer != nil {
		t.Observer.Write(x, StepAttr, Str(name), old, Value{})
	}
	in.Delete(name)
	return nil
}
