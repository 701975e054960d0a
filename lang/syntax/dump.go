package syntax

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

var opNames = [...]string{
	Add: "+", Sub: "-", Mult: "*", MatMult: "@", Div: "/", FloorDiv: "//", Mod: "%", Pow: "**",
	LShift: "<<", RShift: ">>", BitOr: "|", BitXor: "^", BitAnd: "&", UAdd: "+", USub: "-", Invert: "~", Not: "not",
}

var cmpNames = [...]string{
	Eq: "==", NotEq: "!=", Lt: "<", LtE: "<=", Gt: ">", GtE: ">=", Is: "is", IsNot: "is not", In: "in", NotIn: "not in",
}

var compNames = [...]string{"list", "set", "dict", "generator"}

func (o Op) String() string       { return opNames[o] }
func (o CmpOp) String() string    { return cmpNames[o] }
func (k CompKind) String() string { return compNames[k] }

// Text returns the value of c as Python writes it (bytes in Go's escapes).
func (c *Constant) Text() string {
	switch c.Kind {
	case NoneConst:
		return "None"
	case TrueConst:
		return "True"
	case FalseConst:
		return "False"
	case EllipsisConst:
		return "..."
	case IntConst:
		return strconv.FormatInt(c.Int, 10)
	case BigConst:
		return c.Big.String()
	case FloatConst:
		return strconv.FormatFloat(c.Float, 'g', -1, 64)
	case ImagConst:
		return strconv.FormatFloat(c.Float, 'g', -1, 64) + "j"
	case BytesConst:
		return "b" + strconv.QuoteToASCII(c.Str)
	}
	return strconv.Quote(c.Str)
}

// Fprint writes the text form of a tree, that of --dump=ast: a line for each
// node with its kind, its span, its plain fields, and below it, indented, its
// children by field. A Name that lang/resolve has bound shows its Ref.
//
//	Assign 1:1-1:10
//	  Targets: Name 1:1-1:2 x
//	  Value: BinOp 1:5-1:10 +
//	    X: Constant 1:5-1:6 1
//	    Y: Name 1:9-1:10 y
func Fprint(w io.Writer, n Node) error {
	var b strings.Builder
	dump(&b, 0, "", reflect.ValueOf(n))
	_, err := io.WriteString(w, b.String())
	return err
}

// Fields of these types are plain: they stand on the node's own line.
var (
	nodeType  = reflect.TypeFor[Node]()
	spanType  = reflect.TypeFor[Span]()
	posType   = reflect.TypeFor[Pos]()
	scopeType = reflect.TypeFor[*Scope]()
	bigType   = reflect.TypeFor[*big.Int]()
	optsType  = reflect.TypeFor[Options]()
	errsType  = reflect.TypeFor[[]*Error]()
)

// dump writes one node; its kind decides nothing, its fields everything, so that a
// new kind of node needs nothing here.
func dump(b *strings.Builder, depth int, label string, v reflect.Value) {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	b.WriteString(strings.Repeat("  ", depth))
	b.WriteString(label)
	if !v.IsValid() || v.IsNil() {
		b.WriteString("-\n")
		return
	}
	n := v.Interface().(Node)
	s := v.Elem()
	t := s.Type()
	fmt.Fprintf(b, "%s %s", t.Name(), n.Range())
	if c, ok := n.(*Constant); ok {
		fmt.Fprintf(b, " %s\n", c.Text())
		return
	}
	for i := range t.NumField() {
		f := s.Field(i)
		switch f.Type() {
		case spanType, posType, scopeType, bigType, optsType, errsType:
			continue
		}
		switch x := f.Interface().(type) {
		case string:
			fmt.Fprintf(b, " %s", x)
		case []string:
			fmt.Fprintf(b, " %s", strings.Join(x, " "))
		case bool:
			if x {
				fmt.Fprintf(b, " %s", t.Field(i).Name)
			}
		case Op, CompKind:
			fmt.Fprintf(b, " %s", x)
		case []CmpOp:
			for _, op := range x {
				fmt.Fprintf(b, " [%s]", op)
			}
		case byte:
			if x != 0 {
				fmt.Fprintf(b, " !%c", x)
			}
		case int:
			fmt.Fprintf(b, " %s=%d", t.Field(i).Name, x)
		case Ref:
			if x.Kind != Unresolved {
				fmt.Fprintf(b, " %s:%d", x.Kind, x.Index)
			}
		}
	}
	b.WriteByte('\n')
	for i := range t.NumField() {
		f, name := s.Field(i), t.Field(i).Name+": "
		switch {
		case f.Type() == scopeType || f.Type() == errsType:
		case f.Kind() == reflect.Slice && f.Type().Elem().Implements(nodeType):
			for j := range f.Len() {
				dump(b, depth+1, name, f.Index(j))
			}
		case f.Type().Implements(nodeType) && (f.Kind() == reflect.Pointer || f.Kind() == reflect.Interface) && !f.IsNil():
			dump(b, depth+1, name, f)
		}
	}
}

// Children returns the nodes directly below n in the order of the text.
func Children(n Node) []Node {
	var out []Node
	add := func(v reflect.Value) {
		for v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		if v.IsValid() && !v.IsNil() {
			out = append(out, v.Interface().(Node))
		}
	}
	s := reflect.ValueOf(n).Elem()
	for i := range s.NumField() {
		f := s.Field(i)
		switch {
		case f.Type() == scopeType || f.Type() == errsType:
		case f.Kind() == reflect.Slice && f.Type().Elem().Implements(nodeType):
			for j := range f.Len() {
				add(f.Index(j))
			}
		case f.Type().Implements(nodeType) && (f.Kind() == reflect.Pointer || f.Kind() == reflect.Interface):
			add(f)
		}
	}
	if _, ok := n.(*JoinedStr); ok {
		return out // a debug field's text lies within the field
	}
	slices.SortStableFunc(out, func(a, b Node) int {
		p, q := a.Range().Start, b.Range().Start
		return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
	})
	return out
}

// Inspect calls f for n and, where f says so, for all below it. It goes by
// reflection: it is for tools and tests, not for the compiler.
func Inspect(n Node, f func(Node) bool) {
	if !f(n) {
		return
	}
	for _, c := range Children(n) {
		Inspect(c, f)
	}
}

func sortedKeys(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
