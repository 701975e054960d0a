package guards

import (
	"fmt"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// Text is a short text of a value, without running anything of the program.
func Text(v value.Value) string {
	switch {
	case v.IsUnset():
		return "unset"
	case v.IsTagged():
		return v.Starlark().String()
	case v.Is(value.ItabString):
		s, _ := v.AsString()
		if len(s) > 40 {
			s = s[:37] + "..."
		}
		return fmt.Sprintf("%q", s)
	case v.Is(value.ItabInstance):
		return "<" + v.AsInstance().Class().Name + " object>"
	case v.Is(value.ItabClass):
		return "<class " + v.AsClass().Name + ">"
	case v.Is(value.ItabModule):
		return "<module " + (*value.Module)(v.P).Name + ">"
	}
	if b, ok := value.As[*value.Builtin](v); ok {
		return "<builtin " + b.Name + ">"
	}
	if f, ok := v.Starlark().(value.Function); ok {
		_, name := f.FuncName()
		return "<function " + name + ">"
	}
	return "<" + value.TypeOf(v).Name + ">"
}

// String is the guard in one line: its source, and what must hold.
func (g *Guard) String() string {
	var b strings.Builder
	switch {
	case g.Expr != nil:
		b.WriteString(g.Expr.String())
	case g.Source != nil:
		b.WriteString(g.Source.String())
	case g.Load != LoadNone:
		b.WriteString(g.Load.String() + " " + g.Name)
	default:
		b.WriteString(g.A.String())
	}
	switch g.Test {
	case TestNone:
	case TestEqual:
		b.WriteString(" == " + Text(g.Want))
	case TestIs, TestFunc:
		b.WriteString(" is " + Text(g.Want))
	case TestLen, TestTuple:
		fmt.Fprintf(&b, " has length %d", g.J2)
	case TestShape:
		fmt.Fprintf(&b, " is a %s with attributes %v", g.Shape.Class.Name, g.Shape.Names())
	case TestHas, TestHasNot:
		fmt.Fprintf(&b, " %s %s", g.Test, g.B)
	case TestSame, TestDistinct, TestStorage, TestApart:
		fmt.Fprintf(&b, " %s %s", g.Test, g.B)
	case TestTrue, TestFalse:
		b.WriteString(map[Test]string{TestTrue: " holds", TestFalse: " does not hold"}[g.Test])
	case TestMode:
		fmt.Fprintf(&b, " are %v", g.Mode)
	case TestTensor:
		fmt.Fprintf(&b, " is a tensor %v", g.Meta)
	default:
		b.WriteString(" " + g.Test.String())
	}
	if g.Dst >= 0 {
		fmt.Fprintf(&b, " -> #%d", g.Dst)
	}
	if g.Why != "" {
		b.WriteString(" (" + g.Why + ")")
	}
	return b.String()
}
