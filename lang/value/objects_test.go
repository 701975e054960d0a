package value

import (
	"errors"
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"
	"unsafe"

	"go.starlark.net/lib/json"
	"go.starlark.net/starlark"
)

func (th *Thread) must(t *testing.T) func(Value, error) Value {
	return func(v Value, err error) Value {
		t.Helper()
		v, err = th.finish(v, err)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func wantRepr(t *testing.T, v Value, want string) {
	t.Helper()
	s, err := reprString(newThread(), v)
	if err != nil || s != want {
		t.Errorf("got %s (%v), want %s", s, err, want)
	}
}

func wantErr(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

// class builds a class with language-level methods.
func class(t *testing.T, th *Thread, name string, bases []Value, methods map[string]func(t *Thread, a []Value, kw []Kwarg) (Value, error), order ...string) *Class {
	t.Helper()
	ns := NewDict(0)
	for _, n := range order {
		ns.SetStr(n, langFunc(n, methods[n]))
	}
	for n, f := range methods {
		if _, ok := ns.GetStr(n); !ok {
			ns.SetStr(n, langFunc(n, f))
		}
	}
	return th.must(t)(BuildClass(th, name, bases, ns, nil)).AsClass()
}

type methods = map[string]func(t *Thread, a []Value, kw []Kwarg) (Value, error)

func TestTags(t *testing.T) {
	// An int whose payload is an itab is still an int, and nothing else.
	for _, it := range []uint64{ItabList, ItabDict, ItabString, ItabInstance, ItabTuple} {
		v := Int(int64(it))
		if v.Is(it) || v.AsList() != nil || v.AsDict() != nil || v.AsInstance() != nil || TypeOf(v) != IntClass {
			t.Errorf("int %d passes for an object", it)
		}
		if _, ok := v.AsString(); ok {
			t.Error("int passes for a string")
		}
		if f := Float(math.Float64frombits(it)); TypeOf(f) != FloatClass || f.Is(it) {
			t.Error("float passes for an object")
		}
	}
	for _, x := range []starlark.Value{starlark.MakeInt(5), starlark.MakeInt64(1 << 62), starlark.MakeUint64(1 << 63), starlark.Float(1.5),
		starlark.True, starlark.None, starlark.String("x"), starlark.Tuple{starlark.MakeInt(1)}, starlark.Bytes("b"), NewList(nil), NewDict(0)} {
		v := FromStarlark(x)
		if back := v.Starlark(); back.String() != x.String() || back.Type() != x.Type() {
			t.Errorf("%v came back as %v", x, back)
		}
	}
	if !FromStarlark(starlark.MakeInt64(1<<62)).IsInt() || FromStarlark(starlark.MakeUint64(1<<63)).IsInt() {
		t.Error("int64 range is not tagged as it should be")
	}
	if !(Value{}).IsUnset() || FromStarlark(nil) != (Value{}) || (Value{}).Starlark() != nil {
		t.Error("unset is not the nil interface")
	}
}

func TestClasses(t *testing.T) {
	th := newThread()
	must := th.must(t)
	ob := func(c *Class) Value { return c.Value() }
	a := class(t, th, "A", nil, methods{
		"__init__": func(t *Thread, a []Value, kw []Kwarg) (Value, error) { return None, SetAttr(t, a[0], "x", a[1]) },
		"f":        func(t *Thread, a []Value, kw []Kwarg) (Value, error) { return Str("A.f"), nil },
		"__add__": func(t *Thread, a []Value, kw []Kwarg) (Value, error) {
			if !a[1].IsInt() {
				return NotImplemented, nil
			}
			return Binary(t, OpAdd, must(GetAttr(t, a[0], "x")), a[1])
		},
		"__getattr__": func(t *Thread, a []Value, kw []Kwarg) (Value, error) {
			s, _ := a[1].AsString()
			if s == "magic" {
				return Int(42), nil
			}
			return Value{}, AttributeErrorf(s, "no %s here", s)
		},
		"__eq__": func(t *Thread, a []Value, kw []Kwarg) (Value, error) {
			return Bool(a[1].AsInstance() != nil), nil
		},
	})
	b := class(t, th, "B", []Value{ob(a)}, methods{
		"f": func(t *Thread, a []Value, kw []Kwarg) (Value, error) {
			s, err := NewSuper(TypeOf(a[0]), a[0])
			if err != nil {
				return Value{}, err
			}
			f, err := GetAttr(t, s.Value(), "f")
			if err != nil {
				return Value{}, err
			}
			return CallAny(t, f, nil, nil)
		},
		"__radd__": func(t *Thread, a []Value, kw []Kwarg) (Value, error) { return Str("radd"), nil },
		"__repr__": func(t *Thread, a []Value, kw []Kwarg) (Value, error) { return Str("<B!>"), nil },
		"__hash__": func(t *Thread, a []Value, kw []Kwarg) (Value, error) { return Int(7), nil },
	})
	x := must(CallClass(th, b, []Value{Int(5)}, nil))
	wantRepr(t, must(GetAttr(th, x, "x")), "5")
	f := must(GetAttr(th, x, "f"))
	wantRepr(t, must(CallAny(th, f, nil, nil)), "'A.f'")
	wantRepr(t, must(Binary(th, OpAdd, x, Int(2))), "7")
	wantRepr(t, must(Binary(th, OpAdd, Int(2), x)), "'radd'")
	wantRepr(t, must(Binary(th, OpAdd, must(CallClass(th, a, []Value{Int(1)}, nil)), x)), "'radd'") // the subclass goes first
	wantRepr(t, must(GetAttr(th, x, "magic")), "42")
	_, err := th.finish(GetAttr(th, x, "other"))
	wantErr(t, err, "AttributeError: no other here")
	wantRepr(t, ListOf(x, Int(1)), "[<B!>, 1]")
	wantRepr(t, must(Compare(th, Ne, x, x)), "False")
	_, err = Hash(th, must(CallClass(th, a, []Value{Int(1)}, nil)))
	wantErr(t, err, "TypeError: unhashable type: 'A'")
	d := NewDict(0)
	if err := d.Set(th, x, Int(1)); err != nil {
		t.Fatal(err)
	}
	if v, ok, err := d.Lookup(th, must(CallClass(th, b, []Value{Int(9)}, nil))); !ok || err != nil || v != Int(1) {
		t.Error("language-level __eq__ and __hash__ do not find the key", v, ok, err)
	}
	_, err = th.finish(Binary(th, OpSub, x, Str("s")))
	wantErr(t, err, "TypeError: unsupported operand type(s) for -: 'B' and 'str'")

	// Version: a change of the base shows through the subclass.
	before := b.Version
	if err := SetAttr(th, ob(a), "late", Int(3)); err != nil {
		t.Fatal(err)
	}
	if b.Version == before {
		t.Error("a base's change does not change the subclass's version")
	}
	wantRepr(t, must(GetAttr(th, x, "late")), "3")
	if loc := Locate(x.AsInstance(), "x"); loc.Kind != AttrSlot || x.AsInstance().Slots[loc.Slot] != Int(5) {
		t.Errorf("Locate x: %+v", loc)
	}
	if loc := Locate(x.AsInstance(), "f"); loc.Kind != AttrMethod || loc.Owner != b {
		t.Errorf("Locate f: %+v", loc)
	}

	// C3.
	o := class(t, th, "O", nil, nil)
	p := class(t, th, "P", []Value{ob(o)}, nil)
	q := class(t, th, "Q", []Value{ob(o)}, nil)
	r := class(t, th, "R", []Value{ob(p), ob(q)}, nil)
	names := ""
	for _, c := range r.MRO {
		names += c.Name + " "
	}
	if names != "R P Q O object " {
		t.Errorf("MRO %s", names)
	}
	_, err = th.finish(BuildClass(th, "X", []Value{ob(o), ob(p)}, NewDict(0), nil))
	wantErr(t, err, "TypeError: Cannot create a consistent method resolution\norder (MRO) for bases O, P")
	_, err = th.finish(BuildClass(th, "X", []Value{BoolClass.Value()}, NewDict(0), nil))
	wantErr(t, err, "TypeError: type 'bool' is not an acceptable base type")

	// Properties, __dict__, deletion, __class__.
	ns := NewDict(0)
	get := langFunc("get", func(t *Thread, a []Value, kw []Kwarg) (Value, error) { return Int(11), nil })
	set := langFunc("set", func(t *Thread, a []Value, kw []Kwarg) (Value, error) {
		return None, SetAttr(t, a[0], "stored", a[1])
	})
	ns.SetStr("p", (&Property{Get: get, Set: set}).Value())
	ns.SetStr("q", (&Property{Get: get}).Value())
	pc := must(BuildClass(th, "PC", nil, ns, nil)).AsClass()
	y := must(CallClass(th, pc, nil, nil))
	wantRepr(t, must(GetAttr(th, y, "p")), "11")
	if _, err := th.finish(Value{}, SetAttr(th, y, "p", Int(3))); err != nil {
		t.Fatal(err)
	}
	_, err = th.finish(Value{}, SetAttr(th, y, "q", Int(3)))
	wantErr(t, err, "AttributeError: property 'q' of 'PC' object has no setter")
	SetAttr(th, y, "z", Int(4))
	wantRepr(t, must(GetAttr(th, y, "__dict__")), "{'stored': 3, 'z': 4}")
	if err := DelAttr(th, y, "stored"); err != nil {
		t.Fatal(err)
	}
	wantErr(t, DelAttr(th, y, "stored"), "AttributeError: 'PC' object has no attribute 'stored'")
	wantRepr(t, must(GetAttr(th, y, "__dict__")), "{'z': 4}")
	wantRepr(t, must(GetAttr(th, pc.Value(), "__mro__")), "(<class '__main__.PC'>, <class 'object'>)")
	_, err = th.finish(CallClass(th, pc, []Value{Int(1)}, nil))
	wantErr(t, err, "TypeError: PC() takes no arguments")
}

func TestBuiltinSubclasses(t *testing.T) {
	th := newThread()
	must := th.must(t)
	size := class(t, th, "Size", []Value{TupleClass.Value()}, nil)
	s := must(CallClass(th, size, []Value{ListOf(Int(2), Int(3))}, nil))
	wantRepr(t, s, "(2, 3)")
	wantRepr(t, must(GetItem(th, s, Int(1))), "3")
	if eq, _ := Equal(th, s, Tuple(Int(2), Int(3))); !eq {
		t.Error("a subclass of tuple does not equal the tuple")
	}
	wantRepr(t, must(Binary(th, OpAdd, s, Tuple(Int(4)))), "(2, 3, 4)")
	if n, _ := Len(th, s); n != 2 {
		t.Error("len")
	}
	od := class(t, th, "OD", []Value{DictClass.Value()}, methods{
		"__missing__": func(t *Thread, a []Value, kw []Kwarg) (Value, error) {
			return Int(0), SetItem(t, a[0], a[1], Int(0))
		},
	})
	d := must(CallClass(th, od, nil, []Kwarg{{"a", Int(1)}}))
	wantRepr(t, must(GetItem(th, d, Str("b"))), "0")
	wantRepr(t, d, "{'a': 1, 'b': 0}")
	lst := class(t, th, "L", []Value{ListClass.Value()}, methods{
		"__init__": func(t *Thread, a []Value, kw []Kwarg) (Value, error) {
			s, _ := NewSuper(TypeOf(a[0]), a[0])
			f, err := GetAttr(t, s.Value(), "__init__")
			if err != nil {
				return Value{}, err
			}
			return CallAny(t, f, []Value{ListOf(a[1], a[1])}, nil)
		},
	})
	wantRepr(t, must(CallClass(th, lst, []Value{Int(7)}, nil)), "[7, 7]")
	myint := class(t, th, "I", []Value{IntClass.Value()}, nil)
	i := must(CallClass(th, myint, []Value{Str("12")}, nil))
	wantRepr(t, must(Binary(th, OpMul, i, Int(2))), "24")
	wantRepr(t, must(GetItem(th, ListOf(Int(1), Int(2)), must(CallClass(th, myint, []Value{Int(1)}, nil)))), "2")
	if ok, _ := IsInstance(th, i, Tuple(StrClass.Value(), IntClass.Value())); !ok {
		t.Error("isinstance")
	}

	// Exceptions.
	myErr := class(t, th, "MyErr", []Value{ExcValueError.Value()}, methods{
		"__str__": func(t *Thread, a []Value, kw []Kwarg) (Value, error) { return Str("custom"), nil },
	})
	e := must(CallClass(th, myErr, []Value{Int(1), Str("x")}, nil))
	err := RaiseValue(th, e)
	r, ok := err.(*Raised)
	if !ok || !r.Matches(ExcException) || r.Matches(ExcTypeError) {
		t.Errorf("raise gave %v", err)
	}
	wantRepr(t, e, "MyErr(1, 'x')")
	wantRepr(t, must(StrOf(th, e)), "'custom'")
	wantRepr(t, must(GetAttr(th, e, "args")), "(1, 'x')")
	if ok, err := ExceptMatches(r, Tuple(ExcTypeError.Value(), ExcValueError.Value())); !ok || err != nil {
		t.Error("except with a tuple")
	}
	wantErr(t, RaiseValue(th, Int(3)), "TypeError: exceptions must derive from BaseException")
}

func TestIteration(t *testing.T) {
	th := newThread()
	must := th.must(t)
	n := int64(0)
	counter := class(t, th, "C", nil, methods{
		"__iter__": func(t *Thread, a []Value, kw []Kwarg) (Value, error) { n = 0; return a[0], nil },
		"__next__": func(t *Thread, a []Value, kw []Kwarg) (Value, error) {
			if n == 4 {
				return Value{}, stopIteration()
			}
			n++
			return Int(n), nil
		},
	})
	c := must(CallClass(th, counter, nil, nil))
	call := func(name string, args ...Value) Value {
		t.Helper()
		return must(CallAny(th, Universe(Model)[name], args, nil))
	}
	wantRepr(t, call("list", c), "[1, 2, 3, 4]")
	wantRepr(t, call("tuple", c), "(1, 2, 3, 4)")
	wantRepr(t, call("sum", c), "10")
	wantRepr(t, call("max", c), "4")
	wantRepr(t, call("sorted", c), "[1, 2, 3, 4]")
	wantRepr(t, call("list", call("zip", c, Str("ab"))), "[(1, 'a'), (2, 'b')]")
	wantRepr(t, call("list", call("enumerate", c)), "[(0, 1), (1, 2), (2, 3), (3, 4)]")
	double := langFunc("double", func(t *Thread, a []Value, kw []Kwarg) (Value, error) { return Binary(t, OpMul, a[0], Int(2)) })
	odd := langFunc("odd", func(t *Thread, a []Value, kw []Kwarg) (Value, error) { return Binary(t, OpMod, a[0], Int(2)) })
	wantRepr(t, call("list", call("map", double, c)), "[2, 4, 6, 8]")
	wantRepr(t, call("list", call("filter", odd, c)), "[1, 3]")
	wantRepr(t, call("list", call("filter", odd, call("map", double, c))), "[]")
	wantRepr(t, call("any", call("map", odd, ListOf(Int(2), Int(3)))), "True")
	neg := langFunc("neg", func(t *Thread, a []Value, kw []Kwarg) (Value, error) { return Unary(t, OpNeg, a[0]) })
	wantRepr(t, must(CallAny(th, Universe(Model)["sorted"], []Value{c}, []Kwarg{{"key", neg}})), "[4, 3, 2, 1]")
	wantRepr(t, must(CallAny(th, Universe(Model)["min"], []Value{c}, []Kwarg{{"key", neg}})), "4")
	l := NewList([]Value{Int(0)})
	wantRepr(t, must(InPlace(th, OpAdd, l.Value(), c)), "[0, 1, 2, 3, 4]")
	if ok := must(Value{}, nil); !ok.IsUnset() {
		t.Error()
	}
	v, err := th.finish(contains(th, c, Int(3)))
	if err != nil || v != True {
		t.Error("in by iteration", v, err)
	}
	wantRepr(t, must(strJoin(th, []Value{Str("-"), call("map", Universe(Model)["str"], c)}, nil)), "'1-2-3-4'")

	d := NewDict(0)
	d.SetStr("a", Int(1))
	it := must(Iter(th, d.Value()))
	Next(th, it)
	d.SetStr("b", Int(1))
	_, _, err = Next(th, it)
	wantErr(t, err, "RuntimeError: dictionary changed size during iteration")

	th.Dialect = Strict
	it = must(Iter(th, l.Value()))
	wantErr(t, l.Append(th, None), "RuntimeError: cannot append to list during iteration")
	As0[Closer](it).Close()
	if err := l.Append(th, None); err != nil {
		t.Error(err)
	}
}

func As0[T any](v Value) T { x, _ := As[T](v); return x }

func contains(t *Thread, x, e Value) (Value, error) {
	b, err := Contains(t, x, e)
	return Bool(b), err
}

// TestDictModel runs random operations on a Dict and on a plain list of pairs.
func TestDictModel(t *testing.T) {
	th := newThread()
	rng := rand.New(rand.NewSource(1))
	key := func() Value {
		i := rng.Int63n(40) - 10
		switch rng.Intn(6) {
		case 0:
			return Float(float64(i))
		case 1:
			return Bool(i&1 != 0)
		case 2:
			return Str(fmt.Sprint(i))
		case 3:
			return Tuple(Int(i), Str("k"))
		case 4:
			return Float(float64(i) + 0.5)
		}
		return Int(i)
	}
	type pairKV struct{ k, v Value }
	for round := 0; round < 30; round++ {
		d := NewDict(rng.Intn(20))
		var model []pairKV
		find := func(k Value) int {
			for i, p := range model {
				if eq, _ := Equal(th, p.k, k); eq {
					return i
				}
			}
			return -1
		}
		for step := 0; step < 2000; step++ {
			k := key()
			i := find(k)
			switch rng.Intn(4) {
			case 0, 1:
				v := Int(int64(step))
				if err := d.Set(th, k, v); err != nil {
					t.Fatal(err)
				}
				if i >= 0 {
					model[i].v = v
				} else {
					model = append(model, pairKV{k, v})
				}
			case 2:
				_, ok, err := d.Delete(th, k)
				if err != nil || ok != (i >= 0) {
					t.Fatalf("delete %v: %v %v", k.Starlark(), ok, err)
				}
				if ok {
					model = append(model[:i], model[i+1:]...)
				}
			case 3:
				v, ok, err := d.Lookup(th, k)
				if err != nil || ok != (i >= 0) || ok && v != model[i].v {
					t.Fatalf("lookup %v: %v %v", k.Starlark(), ok, err)
				}
			}
			if d.Len() != len(model) {
				t.Fatalf("%d entries, want %d", d.Len(), len(model))
			}
		}
		pos := 0
		for _, p := range model {
			k, v, next, ok := d.Next(pos)
			if !ok || k != p.k && !Same(k, p.k) && plainRepr(k) != plainRepr(p.k) || v != p.v {
				t.Fatal("order differs")
			}
			pos = next
		}
	}
	big1, big2 := th.must(t)(Binary(th, OpPow, Int(2), Int(70))), Float(math.Pow(2, 70))
	d := NewDict(0)
	d.Set(th, big1, True)
	if _, ok, _ := d.Lookup(th, big2); !ok {
		t.Error("2**70 and 2.0**70 are one key")
	}
	s := &Dict{Strict: true}
	s.Set(th, Int(1), Str("int"))
	s.Set(th, True, Str("bool"))
	if s.Len() != 2 {
		t.Error("a strict dict tells True from 1")
	}
}

func TestFreeze(t *testing.T) {
	th := newThread()
	inner := NewList([]Value{Int(1)})
	d := NewDict(0)
	d.SetStr("l", inner.Value())
	c := class(t, th, "F", nil, nil)
	o := th.must(t)(CallClass(th, c, nil, nil))
	SetAttr(th, o, "d", d.Value())
	m := NewModule("m")
	m.Set("o", Tuple(o))
	cell := &Cell{V: m.Value()}
	Freeze(cell.Value())
	wantErr(t, inner.Append(th, None), "RuntimeError: cannot append to frozen list")
	wantErr(t, d.Set(th, Int(1), None), "RuntimeError: cannot insert into frozen hash table")
	wantErr(t, SetAttr(th, o, "x", None), "RuntimeError: cannot set attribute 'x' of frozen 'F' object")
	wantErr(t, SetAttr(th, c.Value(), "x", None), "RuntimeError: cannot set attribute 'x' of frozen class 'F'")
	wantErr(t, SetAttr(th, m.Value(), "x", None), "RuntimeError: cannot assign attribute 'x' of frozen module 'm'")
	if IntClass.Flags&FlagFrozen != 0 {
		t.Error("a built-in class was frozen")
	}
	// A long chain does not need a deep stack.
	v := None
	for i := 0; i < 1_000_000; i++ {
		v = NewList([]Value{v}).Value()
	}
	Freeze(v)
	_, err := reprString(th, v)
	wantErr(t, err, "RecursionError: maximum recursion depth exceeded while getting the repr of an object")
	l := NewList(nil)
	l.Elems = append(l.Elems, l.Value())
	wantRepr(t, l.Value(), "[[...]]")
	l2 := NewList(nil)
	l2.Elems = append(l2.Elems, l2.Value())
	_, err = th.finish(Compare(th, Eq, l.Value(), l2.Value()))
	if r, ok := err.(*Raised); !ok || r.Class != ExcRecursionError {
		t.Errorf("comparing cycles: %v", err)
	}
}

func TestHostInterop(t *testing.T) {
	th := newThread()
	must := th.must(t)
	enc := FromStarlark(json.Module.Members["encode"])
	dec := FromStarlark(json.Module.Members["decode"])
	d := NewDict(0)
	d.SetStr("a", ListOf(Int(1), Float(2.5), None, True))
	d.SetStr("b", Tuple(Str("x")))
	text := must(CallAny(th, enc, []Value{d.Value()}, nil))
	wantRepr(t, text, `'{"a":[1,2.5,null,true],"b":["x"]}'`)
	back := must(CallAny(th, dec, []Value{text}, nil))
	if back.AsDict() == nil {
		t.Fatalf("decode gave %T", back.Starlark())
	}
	wantRepr(t, back, "{'a': [1, 2.5, None, True], 'b': ['x']}")
	// A host function that asks for the concrete types, changes what it gets
	// and returns it.
	f := starlark.NewBuiltin("f", func(h *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
		var l *starlark.List
		var m *starlark.Dict
		if err := starlark.UnpackArgs("f", args, kw, "l", &l, "m?", &m); err != nil {
			return nil, err
		}
		if m != nil {
			m.SetKey(starlark.String("n"), starlark.MakeInt(l.Len()))
		}
		l.Append(starlark.String("new"))
		if ThreadOf(h) != th {
			return nil, errors.New("no way back to the thread")
		}
		return l, nil
	})
	l := NewList([]Value{Int(1)})
	m := NewDict(0)
	r := must(CallAny(th, FromStarlark(f), []Value{l.Value()}, []Kwarg{{"m", m.Value()}}))
	if r != l.Value() {
		t.Error("the list did not come back as itself")
	}
	wantRepr(t, l.Value(), "[1, 'new']")
	wantRepr(t, m.Value(), "{'n': 1}")
	_, err := th.finish(CallAny(th, FromStarlark(f), []Value{Int(1)}, nil))
	wantErr(t, err, "RuntimeError: f: for parameter l: got int, want list")
	// Our objects through starlark's interfaces.
	var it starlark.Iterable = l
	iter := it.Iterate()
	var x starlark.Value
	n := 0
	for iter.Next(&x) {
		n++
	}
	iter.Done()
	if n != 2 || l.Flags != 0 {
		t.Error("iteration by a host")
	}
	var _ starlark.IterableMapping = m
	var _ starlark.HasSetKey = m
	var _ starlark.HasSetIndex = l
	var _ starlark.Sliceable = l
	var _ starlark.HasSetField = (*Instance)(nil)
	if v, err := starlark.Call(th.HostThread(), ForHost(ListClass.Value()), starlark.Tuple{starlark.Tuple{starlark.None}}, nil); err != nil || v.String() != "[None]" {
		t.Error("a host calling a class", v, err)
	}
	if ok, err := starlark.Equal(l, NewList([]Value{Int(1), Str("new")})); !ok || err != nil {
		t.Error("starlark.Equal of our lists", ok, err)
	}
}

func TestStrict(t *testing.T) {
	th := newThread()
	th.Dialect = Strict
	fail := func(v Value, err error) string {
		if _, err = th.finish(v, err); err == nil {
			return "no error: " + v.Starlark().String()
		}
		return err.(*Raised).Message()
	}
	for _, c := range []struct{ got, want string }{
		{fail(Binary(th, OpAdd, Str("a"), Int(1))), "unknown binary op: string + int"},
		{fail(Binary(th, OpAdd, True, Int(1))), "unknown binary op: bool + int"},
		{fail(Binary(th, OpDiv, Int(1), Int(0))), "floating-point division by zero"},
		{fail(Binary(th, OpFloorDiv, Int(1), Int(0))), "floored division by zero"},
		{fail(Compare(th, Lt, Int(1), Str("a"))), "int < string not implemented"},
		{fail(GetAttr(th, Str("x"), "zzz")), "string has no .zzz field or method"},
		{fail(GetAttr(th, ListOf(), "sort")), "list has no .sort field or method"},
		{fail(GetItem(th, ListOf(Int(1)), Int(3))), "list index 3 out of range [-1:0]"},
		{fail(Iter(th, Str("abc"))), "string value is not iterable"},
		{fail(CallAny(th, Int(1), nil, nil)), "invalid call of non-function (int)"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	must := th.must(t)
	if eq, _ := Equal(th, True, Int(1)); eq {
		t.Error("True == 1 in the strict dialect")
	}
	if v := must(Binary(th, OpDiv, Int(6), Int(3))); !v.IsFloat() {
		t.Error("/ is float division")
	}
	if n, _ := Len(th, Str("héllo")); n != 6 {
		t.Error("len of a string is in bytes")
	}
	u := Universe(Strict)
	v := must(CallAny(th, u["sorted"], []Value{ListOf(Int(3), Int(1))}, nil))
	if v.AsList() == nil || v.Starlark().String() != "[1, 3]" {
		t.Errorf("sorted gave %v", v.Starlark())
	}
	split := must(GetAttr(th, Str("a b"), "split"))
	if v := must(CallAny(th, split, nil, nil)); v.AsList() == nil {
		t.Error("split does not give a list of ours")
	}
	if s, _ := must(CallAny(th, u["type"], []Value{Str("")}, nil)).AsString(); s != "string" {
		t.Errorf("type %q", s)
	}
}

// watchLog is an observer that writes down what it hears.
type watchLog struct{ log []string }

func (w *watchLog) say(what string, obj Value, step Step, key, v Value) {
	s := what + " " + typeName(obj) + "." + step.String()
	if !key.IsUnset() {
		s += " " + plainRepr(key)
	}
	if !v.IsUnset() && !v.Is(ItabClass) {
		if _, fn := As[Function](v); !fn {
			s += " = " + plainRepr(v)
		}
	}
	w.log = append(w.log, s)
}
func (w *watchLog) Read(obj Value, step Step, key, got Value) Value {
	w.say("read", obj, step, key, got)
	return got
}
func (w *watchLog) Absent(obj Value, step Step, key Value) { w.say("absent", obj, step, key, Value{}) }
func (w *watchLog) Outcome(obj Value, step Step, key Value, r bool) {
	w.say("outcome", obj, step, key, Bool(r))
}
func (w *watchLog) Write(obj Value, step Step, key, old, new Value) {
	w.say("write", obj, step, key, new)
}
func (w *watchLog) Born(Value)                         {}
func (w *watchLog) Call(Value, []Value, []Kwarg) error { return nil }
func (w *watchLog) Result(b *Builtin, v Value)         {}
func (w *watchLog) Printed(text Value)                 { x, _ := text.AsString(); w.log = append(w.log, "printed "+x) }

func TestObserver(t *testing.T) {
	th := newThread()
	c := class(t, th, "O", nil, methods{"m": func(t *Thread, a []Value, kw []Kwarg) (Value, error) { return None, nil }})
	o := th.must(t)(CallClass(th, c, nil, nil))
	SetAttr(th, o, "x", Int(1))
	d := NewDict(0)
	d.SetStr("k", Int(5))
	l := NewList([]Value{Int(8)})
	w := &watchLog{}
	th.Observer = w
	GetAttr(th, o, "x")
	GetAttr(th, o, "m")
	GetAttr(th, o, "nope")
	SetAttr(th, o, "x", Int(2))
	GetItem(th, d.Value(), Str("k"))
	Contains(th, d.Value(), Str("z"))
	GetItem(th, l.Value(), Int(-1))
	Len(th, l.Value())
	l.Append(th, None)
	Truth(th, l.Value())
	got := strings.Join(w.log, "\n")
	want := `read O.attr 'x' = 1
absent O.attr 'm'
read type.attr 'm'
absent O.attr 'nope'
absent type.attr 'nope'
absent type.attr 'nope'
write O.attr 'x' = 2
read dict.item 'k' = 5
outcome dict.has 'z' = False
read list.len = 1
read list.item 0 = 8
read list.len = 1
write list.item 1 = None
read list.len = 2`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

type fired struct{ slots []int }

func (f *fired) Fired(w *Watch, slot int) { f.slots = append(f.slots, slot) }

func TestWatch(t *testing.T) {
	th := newThread()
	c := class(t, th, "W", nil, nil)
	o := th.must(t)(CallClass(th, c, nil, nil))
	SetAttr(th, o, "a", Int(1))
	SetAttr(th, o, "b", Int(1))
	f := &fired{}
	o.AsInstance().Watch = &Watch{Bits: 1<<1 | 1<<WatchShape, Owner: f}
	SetAttr(th, o, "a", Int(2))
	SetAttr(th, o, "b", Int(2))
	SetAttr(th, o, "c", Int(2))
	c.Watch = &Watch{Bits: 1 << WatchShape, Owner: f}
	SetAttr(th, c.Value(), "z", None)
	l := NewList(nil)
	l.Watch = &Watch{Bits: 1 << WatchShape, Owner: f}
	l.Append(th, None)
	if fmt.Sprint(f.slots) != "[1 63 63 63]" {
		t.Errorf("fired %v", f.slots)
	}
}

func TestStrings(t *testing.T) {
	th := newThread()
	rng := rand.New(rand.NewSource(2))
	alphabet := []rune("abcé日😀")
	for n := 0; n < 300; n++ {
		r := make([]rune, rng.Intn(400))
		for i := range r {
			r[i] = alphabet[rng.Intn(len(alphabet))]
		}
		s := string(r)
		if l := th.strLen(s); l != len(r) {
			t.Fatalf("length %d, want %d", l, len(r))
		}
		for k := 0; k < 20 && len(r) > 0; k++ {
			i := rng.Intn(len(r))
			if v, err := GetItem(th, Str(s), Int(int64(i))); err != nil || plainRepr(v) != plainRepr(Str(string(r[i]))) {
				t.Fatalf("s[%d]: %v", i, err)
			}
			j := i + rng.Intn(len(r)-i)
			v, err := GetItem(th, Str(s), (&Slice{Int(int64(i)), Int(int64(j)), None}).Value())
			if got, _ := v.AsString(); err != nil || got != string(r[i:j]) {
				t.Fatalf("s[%d:%d]", i, j)
			}
		}
	}
	// Concatenation shares a buffer, but never shows it.
	base := Str(strings.Repeat("x", 300))
	must := th.must(t)
	a := must(Binary(th, OpAdd, base, Str("A")))
	b := must(Binary(th, OpAdd, a, Str("B")))
	c := must(Binary(th, OpAdd, a, Str("C")))
	sb, _ := b.AsString()
	sc, _ := c.AsString()
	if sb[301:] != "B" || sc[301:] != "C" {
		t.Error("concatenations overwrite each other")
	}
	if v := th.intStr(-123); plainRepr(v) != "'-123'" || unsafe.Sizeof(shortText{}) != 32 {
		t.Error("short strings")
	}
}

func FuzzFormatSpec(f *testing.F) {
	for _, s := range []string{"", "08.3f", "*^+#20,x", "é<5", ".10g", "_b", "z.1e", "=+09,d"} {
		f.Add(s, int64(42), 3.25, "text")
	}
	f.Fuzz(func(t *testing.T, spec string, i int64, x float64, s string) {
		if len(spec) > 6 {
			for _, c := range spec {
				if c >= '5' && c <= '9' {
					return // keep widths small
				}
			}
		}
		th := newThread()
		for _, v := range []Value{Int(i), Float(x), Str(s), True} {
			r, err := Format(th, v, spec)
			if err != nil {
				if _, ok := err.(*Raised); !ok {
					t.Fatalf("%q: %v", spec, err)
				}
				continue
			}
			if _, ok := r.AsString(); !ok {
				t.Fatal("not a string")
			}
		}
		strFormat(th, spec, []Value{Int(i), Float(x)}, nil, Value{})
		percent(th, spec, Tuple(Int(i), Float(x)), false)
	})
}

func BenchmarkDict(b *testing.B) {
	d := NewDict(0)
	keys := make([]string, 1000)
	for i := range keys {
		keys[i] = fmt.Sprintf("key%d", i)
		d.SetStr(keys[i], None)
		d.Set(nil, Int(int64(i)), None)
	}
	b.Run("int", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			if d.FastInt(uint64(i%1000)) == nil {
				b.Fatal()
			}
		}
	})
	b.Run("str", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			if d.FastStr(keys[i%1000]) == nil {
				b.Fatal()
			}
		}
	})
}
