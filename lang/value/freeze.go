package value

import "go.starlark.net/starlark"

// Freezer is implemented by objects of the machine and of native packages that
// hold values: FreezeInto marks the object frozen and pushes what it reaches.
// It is called again for an object that is frozen already, and then returns
// without pushing.
type Freezer interface {
	FreezeInto(push func(Value))
}

// Freeze makes v and all it reaches immutable. It goes over a work list: the
// depth of the structure does not matter.
func Freeze(v Value) {
	work := []Value{v}
	push := func(v Value) {
		if !v.IsTagged() && !v.IsUnset() && !v.Is(ItabString) {
			work = append(work, v)
		}
	}
	mark := func(flags *uint32, w *Watch, slot int) bool {
		if *flags&FlagFrozen != 0 {
			return false
		}
		*flags = *flags&^FlagIterating | FlagFrozen
		w.Fire(slot)
		return true
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if v.IsTagged() || v.IsUnset() {
			continue
		}
		switch o := v.iface().(type) {
		case *List:
			if mark(&o.Flags, o.Watch, WatchShape) {
				for _, e := range o.Elems {
					push(e)
				}
			}
		case *Dict:
			freezeDict(o, mark, push)
		case *Set:
			freezeDict(&o.d, mark, push)
		case starlark.Tuple:
			for _, e := range o {
				push(FromStarlark(e))
			}
		case *Instance:
			if !mark(&o.Flags, o.Watch, WatchShape) {
				continue
			}
			for _, e := range o.Slots {
				push(e)
			}
			c := o.Class()
			if c.Slots != nil && c.Slots.Freeze != nil {
				c.Slots.Freeze(v)
			}
			if p := Payload(v); !p.Is(ItabInstance) {
				push(p)
			}
			push(c.Value())
		case *Class:
			if o.Module == "builtins" || !mark(&o.Flags, o.Watch, WatchShape) {
				continue
			}
			for _, n := range o.names {
				push(o.attrs[n])
			}
			for _, b := range o.Bases {
				push(b.Value())
			}
			if o.Meta != nil {
				push(o.Meta.Value())
			}
		case *Module:
			if mark(&o.Flags, o.Watch, WatchShape) {
				for _, e := range o.Slots {
					push(e)
				}
			}
		case *Cell:
			if mark(&o.Flags, o.Watch, 0) {
				push(o.V)
			}
		case *BoundMethod:
			push(o.Fn)
			push(o.Self)
		case *Property:
			push(o.Get)
			push(o.Set)
			push(o.Del)
		case *ClassMethod:
			push(o.Fn)
		case *StaticMethod:
			push(o.Fn)
		case *AttrDict:
			push(o.Of)
		case *DictView:
			push(o.d.Value())
		case Freezer:
			o.FreezeInto(push)
		case *Builtin, *Range, *Slice, Iterator:
		case starlark.Value:
			o.Freeze()
		}
	}
}

func freezeDict(d *Dict, mark func(*uint32, *Watch, int) bool, push func(Value)) {
	if mark(&d.Flags, d.Watch, WatchShape) {
		for i := range d.entries {
			if e := &d.entries[i]; !e.key.IsUnset() {
				push(e.key)
				push(e.val)
			}
		}
	}
}
