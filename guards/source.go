package guards

import (
	"strconv"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// A Source says how a value was first reached. Sources form chains by Parent;
// their text is made only when somebody asks.
type Source struct {
	Parent *Source
	Step   string // ".weight", "[3]", "local x"
	// ID is the number under which a check keeps the value; -1 where it is the
	// constant Obj.
	ID  int
	Obj value.Value
}

// Ref names a value of a check: one kept earlier, or a constant.
type Ref struct {
	ID    int
	Const value.Value
}

// Ref is the source as an operand.
func (s *Source) Ref() Ref { return Ref{s.ID, s.Obj} }

// Fixed reports a source that is a constant.
func (s *Source) Fixed() bool { return s.ID < 0 }

// ConstRef is the Ref of a constant.
func ConstRef(v value.Value) Ref { return Ref{-1, v} }

func (s *Source) String() string {
	if s == nil {
		return ""
	}
	var parts []string
	for x := s; x != nil; x = x.Parent {
		parts = append(parts, x.Step)
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i])
	}
	return b.String()
}

// Get is the value that r stands for.
func (r Ref) Get(vals []value.Value) value.Value {
	if r.ID >= 0 {
		return vals[r.ID]
	}
	return r.Const
}

func (r Ref) String() string {
	if r.ID >= 0 {
		return "#" + strconv.Itoa(r.ID)
	}
	return Text(r.Const)
}
