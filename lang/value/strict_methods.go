package value

import (
	"errors"
	"fmt"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/syntax"
	"go.starlark.net/starlark"
)

// The methods of our containers in the strict dialect: the model dialect's Go
// code behind Starlark's checks of the arguments, with Starlark's words.

// strictMethods are the methods by the second word of the receiver's type.
var strictMethods map[uint64]map[string]*Builtin

// StrictMethod finds a method of one of our containers.
func StrictMethod(x Value, name string) (Value, bool) {
	if x.IsTagged() {
		return Value{}, false
	}
	if b := strictMethods[x.N][name]; b != nil {
		return b.Value(), true
	}
	return Value{}, false
}

// strictRow is a method whose parameters are positional. params has a letter
// each: v any value, i an int, t an iterable, n an int or None; those behind "?"
// are optional.
type strictRow struct {
	name, params string
	verb         string // "cannot verb frozen list": what comes before all else
	bare         bool   // errors do not name the method
	fn           BuiltinFn
}

func initStrictMethods() {
	listAs := func(name, params, verb string) strictRow { return strictRow{name: name, params: params, verb: verb} }
	row := func(name, params string) strictRow { return strictRow{name: name, params: params} }
	strictMethods = map[uint64]map[string]*Builtin{
		ItabList: strictTable(ListClass,
			listAs("append", "v", "append to"), listAs("clear", "", "clear"), listAs("extend", "t", "extend"),
			strictRow{name: "index", params: "v?nn", fn: strictIndex}, listAs("insert", "iv", "insert into"),
			row("pop", "?i"), listAs("remove", "v", "remove from")),
		ItabDict: strictTable(DictClass,
			strictRow{name: "clear", bare: true}, row("get", "v?v"), row("items", ""), row("keys", ""), row("pop", "v?v"),
			row("popitem", ""), row("setdefault", "v?v"), row("values", "")),
		ItabSet: strictTable(SetClass,
			row("add", "v"), strictRow{name: "clear", fn: strictSetClear}, row("difference", "t"), row("discard", "v"),
			row("intersection", "t"), row("issubset", "t"), row("issuperset", "t"), row("pop", ""), row("remove", "v"),
			row("symmetric_difference", "t")),
	}
	free := func(itab uint64, name string, fn BuiltinFn) {
		strictMethods[itab][name] = &Builtin{Name: name, Max: -1, WantsKw: true, Method: true,
			Fn: func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
				v, err := fn(t, args, kw)
				return v, named(name, err)
			}}
	}
	free(ItabDict, "update", func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
		if len(args) > 2 {
			return Value{}, TypeErrorf("got %d arguments, want at most 1", len(args)-1)
		}
		return None, strictUpdate(t, args[0].AsDict(), args[1:], kw)
	})
	free(ItabSet, "update", func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
		s, _ := asSet(args[0])
		return None, s.insertAll(t, args[1:], kw)
	})
	free(ItabSet, "union", func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
		s, _ := asSet(args[0])
		s = s.copy()
		if err := s.insertAll(t, args[1:], kw); err != nil {
			return Value{}, err
		}
		return t.born(s.Value()), nil
	})
}

// strictTable makes a type's methods; what a row does not say itself is the
// model dialect's method.
func strictTable(c *Class, rows ...strictRow) map[string]*Builtin {
	table := map[string]*Builtin{}
	for _, r := range rows {
		fn, pure := r.fn, false
		if fn == nil {
			f, ok := c.Find(r.name)
			if !ok {
				panic("BUG: no method " + c.Name + "." + r.name)
			}
			b, _ := As[*Builtin](f.Value)
			fn, pure = b.Fn, b.Pure
		}
		required, optional, _ := strings.Cut(r.params, "?")
		params := required + optional
		table[r.name] = &Builtin{Name: r.name, Max: -1, WantsKw: true, Method: true, Pure: pure, Owner: c,
			Fn: func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
				if err := strictArgs(t, r.name, args[1:], kw, len(required), params); err != nil {
					return Value{}, err
				}
				if l := args[0].AsList(); l != nil && r.verb != "" {
					if err := l.Writable(r.verb); err != nil {
						return Value{}, named(r.name, err)
					}
				}
				v, err := fn(t, args, nil)
				if r.bare {
					return v, err
				}
				return v, named(r.name, err)
			}}
	}
	return table
}

// strictArgs words wrong arguments as starlark.UnpackPositionalArgs does.
func strictArgs(t *Thread, name string, args []Value, kw []Kwarg, least int, params string) error {
	if len(kw) > 0 {
		return TypeErrorf("%s: unexpected keyword arguments", name)
	}
	if len(args) < least {
		bound := ""
		if least < len(params) {
			bound = "at least "
		}
		return TypeErrorf("%s: got %d arguments, want %s%d", name, len(args), bound, least)
	}
	if len(args) > len(params) {
		bound := ""
		if least < len(params) {
			bound = "at most "
		}
		return TypeErrorf("%s: got %d arguments, want %s%d", name, len(args), bound, len(params))
	}
	for i, a := range args {
		want := ""
		switch params[i] {
		case 'i':
			if a.Is(ItabBigInt) {
				return TypeErrorf("%s: for parameter %d: %s out of range (want value in signed 64-bit range)", name, i+1, a.Starlark())
			}
			if !a.IsInt() {
				want = "int"
			}
		case 't':
			if _, ok := As[starlark.Iterable](a); !ok {
				want = "iterable"
			}
		}
		if want != "" {
			return TypeErrorf("%s: for parameter %d: got %s, want %s", name, i+1, TypeName(t, a), want)
		}
	}
	return nil
}

// named puts the method's name before the text of an exception.
func named(name string, err error) error {
	var r *Raised
	if err == nil || !errors.As(err, &r) {
		return err
	}
	e := Errorf(r.Class, "%s: %s", name, r.Args[0].mustText())
	e.Host, e.Worded = r.Host, true
	return e
}

func (v Value) mustText() string {
	if s, ok := v.AsString(); ok {
		return s
	}
	return plain(v)
}

// strictIndex is list.index.
func strictIndex(t *Thread, args []Value, _ []Kwarg) (Value, error) {
	l := args[0].AsList()
	span := Slice{argOr(args, 2, None), argOr(args, 3, None), None}
	lo, hi, _, err := span.Indices(t, len(l.Elems))
	if err != nil {
		return Value{}, err
	}
	i, err := l.find(t, args[1], lo, max(lo, hi))
	if err == nil && i < 0 {
		err = ValueErrorf("value not in list")
	}
	return Int(int64(i)), err
}

// strictSetClear is set.clear: to clear an empty set is no change, even of a
// frozen one.
func strictSetClear(t *Thread, args []Value, _ []Kwarg) (Value, error) {
	s, _ := asSet(args[0])
	if s.Len() == 0 {
		return None, nil
	}
	return None, s.d.Clear(t)
}

// strictUpdate is dict.update for at most one argument.
func strictUpdate(t *Thread, d *Dict, args []Value, kw []Kwarg) error {
	if len(args) == 1 {
		if m, ok := As[starlark.IterableMapping](args[0]); ok {
			for _, it := range m.Items() {
				if err := d.Set(t, FromStarlark(it[0]), FromStarlark(it[1])); err != nil {
					return err
				}
			}
		} else if err := strictPairs(t, d, args[0]); err != nil {
			return err
		}
	}
	for i, k := range kw {
		for _, before := range kw[:i] {
			if before.Name == k.Name {
				return TypeErrorf("duplicate keyword arg: %s", starlark.String(k.Name))
			}
		}
		if err := d.Set(t, Str(k.Name), k.Value); err != nil {
			return err
		}
	}
	return nil
}

func strictPairs(t *Thread, d *Dict, x Value) error {
	iterable, ok := As[starlark.Iterable](x)
	if !ok {
		return TypeErrorf("got %s, want iterable", TypeName(t, x))
	}
	it := iterable.Iterate()
	defer it.Done()
	var pair starlark.Value
	for i := 0; it.Next(&pair); i++ {
		p, ok := pair.(starlark.Iterable)
		if !ok {
			return TypeErrorf("dictionary update sequence element #%d is not iterable (%s)", i, pair.Type())
		}
		switch n := starlark.Len(pair); {
		case n < 0:
			return TypeErrorf("dictionary update sequence element #%d has unknown length (%s)", i, pair.Type())
		case n != 2:
			return ValueErrorf("dictionary update sequence element #%d has length %d, want 2", i, n)
		}
		var k, v starlark.Value
		in := p.Iterate()
		in.Next(&k)
		in.Next(&v)
		in.Done()
		if err := d.Set(t, FromStarlark(k), FromStarlark(v)); err != nil {
			return err
		}
	}
	return nil
}

// insertAll adds the elements of any number of iterables.
func (s *Set) insertAll(t *Thread, args []Value, kw []Kwarg) error {
	if len(kw) > 0 {
		return TypeErrorf("does not accept keyword arguments")
	}
	insert := func(from starlark.Iterable) error {
		it := from.Iterate()
		defer it.Done()
		var x starlark.Value
		for it.Next(&x) {
			if err := s.Add(t, FromStarlark(x)); err != nil {
				return err
			}
		}
		return nil
	}
	for i, a := range args {
		from, ok := As[starlark.Iterable](a)
		if !ok {
			return TypeErrorf("argument #%d is not iterable: %s", i+1, TypeName(t, a))
		}
		if err := insert(from); err != nil {
			return err
		}
	}
	return nil
}

// spelled adds a suggestion to the message about a field that is not there.
func spelled(msg, name string, fields []string) string {
	if near := syntax.Nearest(name, fields); near != "" {
		return fmt.Sprintf("%s (did you mean .%s?)", msg, near)
	}
	return msg
}
