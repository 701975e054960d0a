package starlark_test

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/value"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"
)

// assertHost is what the source of the assert module needs: error goes to report.
func assertHost(report func(t *value.Thread, msg string)) map[string]value.Value {
	m := map[string]value.Value{
		"module":   value.FromStarlark(starlark.NewBuiltin("module", starlarkstruct.MakeModule)),
		"_floateq": value.FromStarlark(starlark.NewBuiltin("floateq", floatEq)),
		"matches":  value.FromStarlark(starlark.NewBuiltin("matches", matches)),
	}
	one := func(name, shown string, fn func(t *value.Thread, x value.Value) (value.Value, error)) {
		m[name] = value.NewBuiltin(shown, func(t *value.Thread, args []value.Value, kw []value.Kwarg) (value.Value, error) {
			if len(args) != 1 || len(kw) > 0 {
				return value.Value{}, value.TypeErrorf("%s: got %d arguments, want 1", shown, len(args)+len(kw))
			}
			return fn(t, args[0])
		}).Value()
	}
	one("error", "error", func(t *value.Thread, x value.Value) (value.Value, error) {
		msg, err := value.StrOf(t, x)
		if err != nil {
			return value.Value{}, err
		}
		s, _ := msg.AsString()
		report(t, s)
		return value.None, nil
	})
	one("catch", "catch", func(t *value.Thread, fn value.Value) (value.Value, error) {
		if _, err := t.Machine.Call(fn, nil, nil); err != nil {
			return value.Str(message(err)), nil
		}
		return value.None, nil
	})
	one("_freeze", "freeze", func(_ *value.Thread, x value.Value) (value.Value, error) {
		value.Freeze(x)
		return x, nil
	})
	return m
}

// message is the text of an error as Starlark words it, without a class.
func message(err error) string {
	if r, ok := err.(*value.Raised); ok {
		return r.Message()
	}
	return err.Error()
}

func matches(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var pattern, str string
	if err := starlark.UnpackArgs(b.Name(), args, kw, "pattern", &pattern, "str", &str); err != nil {
		return nil, err
	}
	ok, err := regexp.MatchString(pattern, str)
	return starlark.Bool(ok), err
}

// floatEq reports whether two floats are at most one unit in the last place apart.
func floatEq(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var x, y float64
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kw, 2, &x, &y); err != nil {
		return nil, err
	}
	near := x == y || math.IsNaN(x) && math.IsNaN(y)
	if !near && !math.IsNaN(x) && !math.IsNaN(y) {
		p, q := math.Float64bits(x), math.Float64bits(y)
		near = p == q+1 || q == p+1
	}
	return starlark.Bool(near), nil
}

// testHost is what the test files find predeclared.
func testHost() map[string]value.Value {
	return map[string]value.Value{
		"struct":    value.FromStarlark(starlark.NewBuiltin("struct", starlarkstruct.Make)),
		"fibonacci": value.FromStarlark(fibonacci{}),
		"hasfields": value.FromStarlark(starlark.NewBuiltin("hasfields",
			func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
				if len(args)+len(kw) > 0 {
					return nil, fmt.Errorf("%s: unexpected arguments", b.Name())
				}
				return &fields{attrs: starlark.StringDict{}}, nil
			})),
	}
}

// fields is a host object that takes any attribute whose name does not begin
// with "no", and for which list+fields is 42.
type fields struct {
	attrs  starlark.StringDict
	frozen bool
}

func (f *fields) String() string        { return "hasfields" }
func (f *fields) Type() string          { return "hasfields" }
func (f *fields) Truth() starlark.Bool  { return true }
func (f *fields) Hash() (uint32, error) { return 42, nil }

func (f *fields) Freeze() {
	if !f.frozen {
		f.frozen = true
		f.attrs.Freeze()
	}
}

func (f *fields) Attr(name string) (starlark.Value, error) { return f.attrs[name], nil }
func (f *fields) AttrNames() []string                      { return f.attrs.Keys() }

func (f *fields) SetField(name string, v starlark.Value) error {
	if f.frozen {
		return fmt.Errorf("cannot set field on a frozen hasfields")
	}
	if strings.HasPrefix(name, "no") {
		return starlark.NoSuchAttrError(fmt.Sprintf("no .%s field", name))
	}
	f.attrs[name] = v
	return nil
}

func (f *fields) Binary(op syntax.Token, y starlark.Value, _ starlark.Side) (starlark.Value, error) {
	if _, isList := y.(*starlark.List); isList && op == syntax.PLUS {
		return starlark.MakeInt(42), nil
	}
	return nil, nil
}

// fibonacci is a host object that can be iterated over without end.
type fibonacci struct{}

func (fibonacci) String() string             { return "fib" }
func (fibonacci) Type() string               { return "fib" }
func (fibonacci) Truth() starlark.Bool       { return true }
func (fibonacci) Hash() (uint32, error)      { return 0, fmt.Errorf("fib is unhashable") }
func (fibonacci) Freeze()                    {}
func (fibonacci) Iterate() starlark.Iterator { return &fibIterator{0, 1} }

type fibIterator struct{ x, y int }

func (it *fibIterator) Next(p *starlark.Value) bool {
	*p = starlark.MakeInt(it.x)
	it.x, it.y = it.y, it.x+it.y
	return true
}
func (it *fibIterator) Done() {}
