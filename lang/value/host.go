package value

import (
	"errors"
	"sort"

	"go.starlark.net/starlark"
)

func sortStrings(s []string) { sort.Strings(s) }

// hostError makes a host's error an exception; nil stays nil.
func hostError(err error) error {
	if err == nil {
		return nil
	}
	var r *Raised
	if errors.As(err, &r) {
		return r
	}
	var ev *starlark.EvalError
	if errors.As(err, &ev) && ev.Unwrap() != nil {
		err = ev.Unwrap()
	}
	r = Errorf(ExcRuntimeError, "%s", err.Error())
	r.Host = err
	return r
}

// callForeign calls a builtin of a host. Builtins of go.starlark.net's kind
// tend to ask for the concrete types *starlark.List, *starlark.Dict and
// *starlark.Set, so our containers go in as twins, which are copied back where
// the call has changed them; results come back as ours.
func callForeign(t *Thread, fn starlark.Callable, args []Value, kw []Kwarg) (Value, error) {
	if t.Observer != nil {
		if err := t.Observer.Call(FromStarlark(fn), args, kw); err != nil {
			return Value{}, err
		}
	}
	tw := twins{}
	sargs := make(starlark.Tuple, len(args))
	for i, a := range args {
		sargs[i] = tw.of(a)
	}
	var skw []starlark.Tuple
	for _, k := range kw {
		skw = append(skw, starlark.Tuple{starlark.String(k.Name), tw.of(k.Value)})
	}
	r, err := fn.CallInternal(t.HostThread(), sargs, skw)
	if err != nil {
		return Value{}, hostError(err)
	}
	if err := tw.back(t); err != nil {
		return Value{}, err
	}
	if r == nil {
		return None, nil
	}
	if own, ok := tw.original(r); ok {
		return own, nil
	}
	return ownDeep(r), nil
}

// hostCallable lets a host call a builtin or a class of ours: those have a field
// Name and so cannot have starlark.Callable's method.
type hostCallable struct {
	v Value
	object
}

func (c *hostCallable) String() string        { return c.v.iface().String() }
func (c *hostCallable) Type() string          { return c.v.iface().Type() }
func (c *hostCallable) Hash() (uint32, error) { return c.v.iface().Hash() }
func (c *hostCallable) Name() string          { return nameOf(c.v) }
func (c *hostCallable) CallInternal(h *starlark.Thread, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	return callFromHost(h, c.v, args, kw)
}

// ForHost is v as a host should get it: callable where v is.
func ForHost(v Value) starlark.Value {
	if v.Is(ItabBuiltin) || v.Is(ItabClass) {
		return &hostCallable{v: v}
	}
	return v.Starlark()
}

// twins are the concrete containers made for one call.
type twins map[Value]starlark.Value

// of returns the twin of v: contents are twins too.
func (tw twins) of(v Value) starlark.Value {
	if v.IsTagged() {
		return v.Starlark()
	}
	if t, ok := tw[v]; ok {
		return t
	}
	switch o := v.iface().(type) {
	case *List:
		l := starlark.NewList(nil)
		tw[v] = l
		for _, e := range o.Elems {
			l.Append(tw.of(e))
		}
		if o.Flags&FlagFrozen != 0 {
			l.Freeze()
		}
		return l
	case *Dict:
		d := starlark.NewDict(o.live)
		tw[v] = d
		for i := 0; ; {
			k, e, next, ok := o.Next(i)
			if !ok {
				break
			}
			i = next
			if err := d.SetKey(k.Starlark(), tw.of(e)); err != nil {
				delete(tw, v)
				return v.Starlark()
			}
		}
		if o.Flags&FlagFrozen != 0 {
			d.Freeze()
		}
		return d
	case *Set:
		s := starlark.NewSet(o.Len())
		tw[v] = s
		for i := 0; ; {
			k, next, ok := o.Next(i)
			if !ok {
				break
			}
			i = next
			if err := s.Insert(k.Starlark()); err != nil {
				delete(tw, v)
				return v.Starlark()
			}
		}
		if o.Const || o.d.Flags&FlagFrozen != 0 {
			s.Freeze()
		}
		return s
	case *Builtin, *Class:
		return ForHost(v)
	case starlark.Tuple:
		for _, e := range o {
			switch e.(type) {
			case *List, *Dict, *Set, starlark.Tuple:
				out := make(starlark.Tuple, len(o))
				tw[v] = out // a list in it may hold it
				for i, e := range o {
					out[i] = tw.of(FromStarlark(e))
				}
				return out
			}
		}
	}
	return v.Starlark()
}

// twinDeep is a twin that is never copied back.
func twinDeep(v Value) starlark.Value { return twins{}.of(v) }

// original finds the container of ours whose twin r is.
func (tw twins) original(r starlark.Value) (Value, bool) {
	if _, isTuple := r.(starlark.Tuple); isTuple {
		return Value{}, false // tuples have no identity
	}
	for own, t := range tw {
		if t == r {
			return own, true
		}
	}
	return Value{}, false
}

// back copies changes of twins into the originals.
func (tw twins) back(t *Thread) error {
	conv := func(x starlark.Value) Value {
		switch x.(type) {
		case *starlark.List, *starlark.Dict, *starlark.Set:
			if own, ok := tw.original(x); ok {
				return own
			}
		}
		return ownDeep(x)
	}
	for own, twin := range tw {
		switch o := own.iface().(type) {
		case *List:
			l := twin.(*starlark.List)
			same := l.Len() == len(o.Elems)
			for i := 0; same && i < l.Len(); i++ {
				same = conv(l.Index(i)) == o.Elems[i]
			}
			if same || o.Flags&FlagFrozen != 0 {
				continue
			}
			elems := make([]Value, l.Len())
			for i := range elems {
				elems[i] = conv(l.Index(i))
			}
			if equalValues(elems, o.Elems) {
				continue
			}
			if err := o.replace(t, "change", elems); err != nil {
				return err
			}
		case *Dict:
			d := twin.(*starlark.Dict)
			items := d.Items()
			same := len(items) == o.live
			for i, pos := 0, 0; same && i < len(items); i++ {
				k, v, next, _ := o.Next(pos)
				pos = next
				same = sameOrEqual(FromStarlark(items[i][0]), k) && sameOrEqual(conv(items[i][1]), v)
			}
			if same || o.Flags&FlagFrozen != 0 {
				continue
			}
			if err := o.Clear(t); err != nil {
				return err
			}
			for _, it := range items {
				if err := o.Set(t, FromStarlark(it[0]), conv(it[1])); err != nil {
					return err
				}
			}
		case *Set:
			s := twin.(*starlark.Set)
			if o.Const || o.d.Flags&FlagFrozen != 0 || s.Len() == o.Len() {
				continue
			}
			n := NewSet(s.Len())
			n.d.Strict = o.d.Strict
			it := s.Iterate()
			var x starlark.Value
			for it.Next(&x) {
				if err := n.Add(t, FromStarlark(x)); err != nil {
					it.Done()
					return err
				}
			}
			it.Done()
			if err := o.assign(t, n); err != nil {
				return err
			}
		}
	}
	return nil
}

func sameOrEqual(x, y Value) bool {
	if x == y {
		return true
	}
	if x.IsTagged() || y.IsTagged() {
		return false
	}
	if s, ok := x.AsString(); ok {
		u, ok := y.AsString()
		return ok && s == u
	}
	if a, ok := As[starlark.Int](x); ok {
		b, ok := As[starlark.Int](y)
		return ok && a.BigInt().Cmp(b.BigInt()) == 0
	}
	return false
}

func equalValues(a, b []Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !sameOrEqual(a[i], b[i]) {
			return false
		}
	}
	return true
}

// ownDeep turns the containers of go.starlark.net in a host's result into
// ours, cycles included. Frozen ones come out frozen.
func ownDeep(x starlark.Value) Value {
	switch x.(type) {
	case *starlark.List, *starlark.Dict, *starlark.Set, starlark.Tuple, *hostCallable:
		return owner{}.of(x, 0)
	}
	return FromStarlark(x)
}

type owner map[starlark.Value]Value

func (ow owner) of(x starlark.Value, depth int) Value {
	if depth > maxDepth {
		return FromStarlark(x)
	}
	switch o := x.(type) {
	case *hostCallable:
		return o.v
	case *starlark.List:
		if v, ok := ow[o]; ok {
			return v
		}
		l := &List{Elems: make([]Value, o.Len())}
		ow[o] = l.Value()
		for i := range l.Elems {
			l.Elems[i] = ow.of(o.Index(i), depth+1)
		}
		return l.Value()
	case *starlark.Dict:
		if v, ok := ow[o]; ok {
			return v
		}
		d := NewDict(o.Len())
		ow[o] = d.Value()
		for _, it := range o.Items() {
			d.Set(nil, FromStarlark(it[0]), ow.of(it[1], depth+1))
		}
		return d.Value()
	case *starlark.Set:
		if v, ok := ow[o]; ok {
			return v
		}
		s := NewSet(o.Len())
		ow[o] = s.Value()
		it := o.Iterate()
		defer it.Done()
		var e starlark.Value
		for it.Next(&e) {
			s.Add(nil, FromStarlark(e))
		}
		return s.Value()
	case starlark.Tuple:
		for _, e := range o {
			switch e.(type) {
			case *starlark.List, *starlark.Dict, *starlark.Set, starlark.Tuple:
				out := make(starlark.Tuple, len(o))
				for i, e := range o {
					out[i] = ow.of(e, depth+1).Starlark()
				}
				return FromStarlark(out)
			}
		}
	}
	return FromStarlark(x)
}

// callFromHost lets Go code that holds one of our callables call it.
func callFromHost(h *starlark.Thread, fn Value, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	t := ThreadOf(h)
	if t == nil {
		t = offline()
	}
	vargs := make([]Value, len(args))
	for i, a := range args {
		vargs[i] = ownDeep(a)
	}
	var vkw []Kwarg
	for _, k := range kw {
		vkw = append(vkw, Kwarg{string(k[0].(starlark.String)), ownDeep(k[1])})
	}
	var v Value
	var err error
	if t.Machine != nil {
		v, err = t.Machine.Call(fn, vargs, vkw)
	} else {
		v, err = t.finish(CallAny(t, fn, vargs, vkw))
	}
	if err != nil {
		return nil, err
	}
	return v.Starlark(), nil
}

// CallFromHost is callFromHost for the machine's own functions.
func CallFromHost(h *starlark.Thread, fn Value, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	return callFromHost(h, fn, args, kw)
}

// hostAttr serves starlark.HasAttrs of our objects.
func hostAttr(v Value, name string) (starlark.Value, error) {
	r, err := GetAttr(offline(), v, name)
	if raised, ok := err.(*Raised); ok && raised.Class.IsSubclass(ExcAttributeError) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return r.Starlark(), nil
}
