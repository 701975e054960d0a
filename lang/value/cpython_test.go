package value

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"sort"
	"strings"
	"testing"
)

// goMachine stands in for the machine: it can call what is written in Go, and
// fakeFunc, which plays a function of the language.
type goMachine struct{ t *Thread }

type fakeFunc struct {
	name string
	fn   func(t *Thread, args []Value, kw []Kwarg) (Value, error)
	object
}

func (f *fakeFunc) String() string             { return "<function " + f.name + ">" }
func (f *fakeFunc) Type() string               { return "function" }
func (f *fakeFunc) Hash() (uint32, error)      { return 0, nil }
func (f *fakeFunc) ClassOf() *Class            { return FunctionClass }
func (f *fakeFunc) FuncName() (string, string) { return f.name, f.name }
func (f *fakeFunc) AttrDir() []string          { return nil }
func (f *fakeFunc) AttrGet(t *Thread, n string) (Value, bool, error) {
	return Value{}, false, nil
}
func (f *fakeFunc) AttrSet(t *Thread, n string, v Value) (bool, error) { return false, nil }

func langFunc(name string, fn func(t *Thread, args []Value, kw []Kwarg) (Value, error)) Value {
	return FromStarlark(&fakeFunc{name: name, fn: fn})
}

func (m *goMachine) Where() []Entry { return nil }
func (m *goMachine) Call(fn Value, args []Value, kw []Kwarg) (Value, error) {
	if f, ok := As[*fakeFunc](fn); ok {
		return m.t.finish(f.fn(m.t, args, kw))
	}
	return m.t.finish(CallAny(m.t, fn, args, kw))
}
func (m *goMachine) Next(it Value) (Value, bool, error) {
	v, ok, err := Next(m.t, it)
	if _, isCall := err.(*NeedCall); isCall {
		v, err = m.t.finish(v, err)
		ok = !v.IsUnset()
	}
	return v, ok, err
}

func newThread() *Thread {
	t := &Thread{}
	t.Machine = &goMachine{t}
	return t
}

func decodeValue(t *testing.T, x any) Value {
	list := func(x any) []Value {
		var out []Value
		for _, e := range x.([]any) {
			out = append(out, decodeValue(t, e))
		}
		return out
	}
	switch x := x.(type) {
	case nil:
		return None
	case bool:
		return Bool(x)
	case map[string]any:
		for k, v := range x {
			switch k {
			case "i":
				b, _ := new(big.Int).SetString(v.(string), 10)
				return BigInt(b)
			case "f":
				f, err := floatFromHex(v.(string))
				if err != nil {
					t.Fatal(err)
				}
				return Float(f)
			case "s":
				return Str(v.(string))
			case "b":
				b, _ := hex.DecodeString(v.(string))
				return BytesOf(b)
			case "l":
				return NewList(list(v)).Value()
			case "t":
				return Tuple(list(v)...)
			case "set", "fs":
				s, err := setOf(newThread(), list(v))
				if err != nil {
					t.Fatal(err)
				}
				s.Const = k == "fs"
				return s.Value()
			case "d":
				d := NewDict(0)
				for _, kv := range v.([]any) {
					p := list(kv)
					if err := d.Set(newThread(), p[0], p[1]); err != nil {
						t.Fatal(err)
					}
				}
				return d.Value()
			case "sl":
				p := list(v)
				return (&Slice{p[0], p[1], p[2]}).Value()
			case "r":
				p := v.([]any)
				n := func(i int) int64 { return int64(p[i].(float64)) }
				return (&Range{n(0), n(1), n(2)}).Value()
			}
		}
	}
	t.Fatalf("cannot decode %v", x)
	return Value{}
}

func showValue(th *Thread, v Value, err error) string {
	if err != nil {
		r, ok := err.(*Raised)
		if !ok {
			return "not an exception: " + err.Error()
		}
		return r.Class.Name + ": " + r.Message()
	}
	if s, ok := As[*Set](v); ok {
		items, _, _ := goItems(th, s.Value())
		l, err := th.finish(sortedFn(th, []Value{NewList(items).Value()}, nil))
		if err != nil {
			return fmt.Sprintf("set:%d", s.Len())
		}
		return "set:" + plainRepr(l)
	}
	_, isView := As[*DictView](v)
	_, isIter := As[Iterator](v)
	if isView || isIter {
		l, err := th.finish(CallClass(th, ListClass, []Value{v}, nil))
		if err != nil {
			return showValue(th, Value{}, err)
		}
		return "iter:" + plainRepr(l)
	}
	s, err := reprString(th, v)
	if err != nil {
		return err.Error()
	}
	return s
}

func runCase(th *Thread, kind, name string, a []Value, kw []Kwarg) (Value, error) {
	boolean := func(b bool, err error) (Value, error) { return Bool(b), err }
	switch kind {
	case "binary":
		for op, text := range opText {
			if text == name && op < OpNeg {
				return Binary(th, op, a[0], a[1])
			}
		}
	case "unary":
		for op, text := range opText {
			if text == name && op >= OpNeg {
				return Unary(th, op, a[0])
			}
		}
	case "compare":
		for op, text := range cmpText {
			if text == name {
				return Compare(th, Cmp(op), a[0], a[1])
			}
		}
	case "contains":
		return boolean(Contains(th, a[0], a[1]))
	case "getitem":
		return GetItem(th, a[0], a[1])
	case "format":
		return Format(th, a[0], name)
	case "percent":
		return Binary(th, OpMod, Str(name), a[0])
	case "call":
		return CallAny(th, Universe(Model)[name], a, kw)
	case "method":
		m, err := GetAttr(th, a[0], name)
		if err != nil {
			return Value{}, err
		}
		return CallAny(th, m, a[1:], kw)
	}
	panic("no such case: " + kind + " " + name)
}

// TestCPython compares operations on built-in values with what CPython 3.11
// said of them (testdata/gen_cases.py).
func TestCPython(t *testing.T) {
	file, err := os.Open("testdata/cpython.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	data, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	sc := bufio.NewScanner(data)
	sc.Buffer(nil, 1<<20)
	n, bad := 0, map[string]int{}
	for sc.Scan() {
		var c []any
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		kind, name := c[0].(string), c[1].(string)
		var args []Value
		for _, a := range c[2].([]any) {
			args = append(args, decodeValue(t, a))
		}
		var kw []Kwarg
		names := []string{}
		for k := range c[3].(map[string]any) {
			names = append(names, k)
		}
		sort.Strings(names)
		for _, k := range names {
			kw = append(kw, Kwarg{k, decodeValue(t, c[3].(map[string]any)[k])})
		}
		want := c[4].(string)
		var shown []string
		for _, a := range args {
			shown = append(shown, plainRepr(a))
		}
		th := newThread()
		v, err := th.finish(runCase(th, kind, name, args, kw))
		got := showValue(th, v, err)
		n++
		if got != want {
			bad[kind]++
			if bad[kind] <= 400 {
				t.Errorf("%s %q (%s) %v:\n got %s\nwant %s", kind, name, strings.Join(shown, ", "), names, got, want)
			}
		}
	}
	if err := sc.Err(); err != nil || n < 30000 {
		t.Fatalf("only %d cases: %v", n, err)
	}
	t.Logf("%d cases", n)
}
