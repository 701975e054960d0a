package guards

import (
	"strconv"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// An Expr computes a number or string from values that a check has kept.
type Expr struct {
	Kind ExprKind
	Op   uint8 // value.Op or value.Cmp
	X, Y *Expr
	ID   int
	Of   *Source // what value ID is, for messages
	V    value.Value
	Spec string // of a format
	// Args are the operands of a call of more than two.
	Args []*Expr
}

// ExprKind is the form of an Expr.
type ExprKind uint8

const (
	ExprConst ExprKind = iota
	ExprVal
	ExprBinary
	ExprUnary
	ExprCompare
	ExprFormat
	ExprConcat // of X and Y, which are strings
	ExprMax    // of X and Y, which are ints
	ExprCall   // of V, a builtin or class, on X and Y or on Args
)

// Eval computes the expression. ok is false where the operation raises.
func (e *Expr) Eval(t *value.Thread, vals []value.Value) (v value.Value, ok bool) {
	switch e.Kind {
	case ExprConst:
		return e.V, true
	case ExprVal:
		return vals[e.ID], true
	}
	if e.Kind == ExprCall {
		return e.call(t, vals)
	}
	x, ok := e.X.Eval(t, vals)
	if !ok {
		return value.Value{}, false
	}
	var y value.Value
	if e.Y != nil {
		if y, ok = e.Y.Eval(t, vals); !ok {
			return value.Value{}, false
		}
	}
	var err error
	switch e.Kind {
	case ExprBinary:
		v, err = value.Binary(t, value.Op(e.Op), x, y)
	case ExprUnary:
		v, err = value.Unary(t, value.Op(e.Op), x)
	case ExprCompare:
		v, err = value.Compare(t, value.Cmp(e.Op), x, y)
	case ExprMax:
		if v = x; !x.IsInt() || !y.IsInt() {
			return value.Value{}, false
		} else if y.Int64() > x.Int64() {
			v = y
		}
	case ExprFormat:
		v, err = value.Format(t, x, e.Spec)
	case ExprConcat:
		v = value.Concat(t, []value.Value{x, y})
	}
	return v, err == nil && !v.IsUnset()
}

// operands of a call.
func (e *Expr) operands() []*Expr {
	switch {
	case e.Args != nil:
		return e.Args
	case e.Y != nil:
		return []*Expr{e.X, e.Y}
	}
	return []*Expr{e.X}
}

func (e *Expr) call(t *value.Thread, vals []value.Value) (v value.Value, ok bool) {
	var buf [8]value.Value
	args := buf[:0]
	for _, o := range e.operands() {
		if v, ok = o.Eval(t, vals); !ok {
			return value.Value{}, false
		}
		args = append(args, v)
	}
	v, err := value.CallAny(t, e.V, args, nil)
	return v, err == nil && !v.IsUnset()
}

func (e *Expr) String() string {
	switch e.Kind {
	case ExprConst:
		return Text(e.V)
	case ExprVal:
		if e.Of != nil {
			return e.Of.String()
		}
		return "#" + strconv.Itoa(e.ID)
	case ExprBinary:
		return "(" + e.X.String() + " " + value.Op(e.Op).String() + " " + e.Y.String() + ")"
	case ExprUnary:
		return value.Op(e.Op).String() + e.X.String()
	case ExprCompare:
		return "(" + e.X.String() + " " + value.Cmp(e.Op).String() + " " + e.Y.String() + ")"
	case ExprMax:
		return "max(" + e.X.String() + ", " + e.Y.String() + ")"
	case ExprCall:
		s := Text(e.V) + "("
		for i, o := range e.operands() {
			if i > 0 {
				s += ", "
			}
			s += o.String()
		}
		return s + ")"
	case ExprFormat:
		return "format(" + e.X.String() + ", " + strconv.Quote(e.Spec) + ")"
	}
	return "(" + e.X.String() + " ++ " + e.Y.String() + ")"
}
