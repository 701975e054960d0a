package value

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// StrOf is str(x), a value of type str.
func StrOf(t *Thread, x Value) (Value, error) {
	if x.Is(ItabString) {
		return x, nil
	}
	if x.IsInt() {
		return t.intStr(x.Int64()), nil
	}
	if t.Observer != nil {
		if s, ok := As[Symbolic](x); ok {
			return s.Format(t, x, "")
		}
	}
	if c := classBearer(x); c != nil {
		if f, ok := c.custom(dStr); ok {
			return Value{}, t.needMethod(stringStep{"__str__"}, f, x)
		}
		if c.Slots != nil && c.Slots.Str != nil {
			s, err := c.Slots.Str(t, x)
			return Str(s), err
		}
		if r := RaisedOf(x); r != nil {
			return raisedStr(t, r)
		}
		if _, ok := c.custom(dRepr); !ok {
			if s, ok := Payload(x).AsString(); ok {
				return Str(s), nil
			}
		}
	}
	return ReprOf(t, x)
}

// raisedStr is str() of an exception: its arguments may need language code.
func raisedStr(t *Thread, r *Raised) (Value, error) {
	if len(r.Args) == 1 {
		if r.Class.IsSubclass(ExcKeyError) {
			return ReprOf(t, r.Args[0])
		}
		return StrOf(t, r.Args[0])
	}
	return Str(r.Message()), nil
}

// ReprOf is repr(x), a value of type str.
func ReprOf(t *Thread, x Value) (Value, error) {
	if c := classBearer(x); c != nil {
		if f, ok := c.custom(dRepr); ok {
			return Value{}, t.needMethod(stringStep{"__repr__"}, f, x)
		}
	}
	s, err := reprString(t, x)
	if err != nil {
		return Value{}, err
	}
	return Str(s), nil
}

// stringStep checks what __str__, __repr__ or __format__ returned.
type stringStep struct{ method string }

func (s stringStep) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	p := Payload(in)
	if _, ok := p.AsString(); !ok {
		if s.method == "__format__" {
			return Raise(TypeErrorf("__format__ must return a str, not %s", typeName(in)))
		}
		return Raise(TypeErrorf("%s returned non-string (type %s)", s.method, typeName(in)))
	}
	return Return(p)
}

// strString and reprString run language code re-entrantly: they serve nested
// values and the texts of errors.
func strString(t *Thread, v Value) (string, error) {
	if v.IsUnset() {
		return "<unset>", nil
	}
	r, err := t.finish(StrOf(t, v))
	if err != nil {
		return "", err
	}
	s, _ := r.AsString()
	return s, nil
}

func reprOffline(v Value) string {
	s, err := reprString(offline(), v)
	if err != nil {
		return "<" + typeName(v) + ">"
	}
	return s
}

func plainRepr(v Value) string { return reprOffline(v) }

type reprWriter struct {
	t *Thread
	b strings.Builder
}

func reprString(t *Thread, v Value) (string, error) {
	w := reprWriter{t: t}
	if err := w.write(v); err != nil {
		return "", err
	}
	return w.b.String(), nil
}

// cyclic reports whether v is being shown already, and otherwise pushes it.
func (w *reprWriter) cyclic(v Value) bool {
	for _, s := range w.t.seen {
		if s == v {
			return true
		}
	}
	w.t.seen = append(w.t.seen, v)
	return false
}

func (w *reprWriter) pop() { w.t.seen = w.t.seen[:len(w.t.seen)-1] }

func (w *reprWriter) elems(open, close string, n int, at func(i int) Value) error {
	w.b.WriteString(open)
	for i := 0; i < n; i++ {
		if i > 0 {
			w.b.WriteString(", ")
		}
		if err := w.write(at(i)); err != nil {
			return err
		}
	}
	w.b.WriteString(close)
	return nil
}

func (w *reprWriter) write(v Value) error {
	t := w.t
	switch {
	case v.IsUnset():
		w.b.WriteString("<unset>")
		return nil
	case v.IsInt():
		w.b.WriteString(strconv.FormatInt(v.Int64(), 10))
		return nil
	case v.IsFloat():
		if t.Dialect == Strict {
			w.b.WriteString(starlark.Float(v.Float64()).String())
		} else {
			w.b.WriteString(FloatRepr(v.Float64()))
		}
		return nil
	case v.IsBool():
		if v.IsTrue() {
			w.b.WriteString("True")
		} else {
			w.b.WriteString("False")
		}
		return nil
	case v.IsNone():
		w.b.WriteString("None")
		return nil
	}
	if err := t.enter("while getting the repr of an object"); err != nil {
		return err
	}
	defer t.leave()
	switch o := v.iface().(type) {
	case starlark.String:
		if t.Dialect == Strict {
			w.b.WriteString(o.String())
		} else {
			w.b.WriteString(QuoteStr(string(o)))
		}
		return nil
	case starlark.Bytes:
		if t.Dialect == Strict {
			w.b.WriteString(o.String())
		} else {
			w.b.WriteString(quoteBytes(string(o)))
		}
		return nil
	case starlark.Int:
		s, err := t.IntText(o.BigInt())
		w.b.WriteString(s)
		return err
	case *Range:
		if t.Dialect == Strict && o.Start == 0 && o.Step == 1 {
			fmt.Fprintf(&w.b, "range(%d)", o.Stop)
		} else {
			w.b.WriteString(o.String())
		}
		return nil
	case *List:
		if w.cyclic(v) {
			w.b.WriteString("[...]")
			return nil
		}
		defer w.pop()
		t.readLen(v)
		return w.elems("[", "]", len(o.Elems), func(i int) Value {
			if i >= len(o.Elems) {
				return None
			}
			return t.readElem(o, i)
		})
	case starlark.Tuple:
		close := ")"
		if len(o) == 1 {
			close = ",)"
		}
		return w.elems("(", close, len(o), func(i int) Value { return FromStarlark(o[i]) })
	case *Dict:
		if w.cyclic(v) {
			w.b.WriteString("{...}")
			return nil
		}
		defer w.pop()
		t.readOrder(v)
		w.b.WriteByte('{')
		first := true
		for i := 0; ; {
			k, e, next, ok := o.Next(i)
			if !ok {
				break
			}
			i = next
			if !first {
				w.b.WriteString(", ")
			}
			first = false
			if err := w.write(k); err != nil {
				return err
			}
			w.b.WriteString(": ")
			if err := w.write(t.readItem(v, k, e)); err != nil {
				return err
			}
		}
		w.b.WriteByte('}')
		return nil
	case *Set:
		return w.writeSet(v, o)
	case *DictView:
		items, err := o.items(t)
		if err != nil {
			return err
		}
		return w.elems(o.ClassOf().Name+"([", "])", len(items), func(i int) Value { return items[i] })
	case *AttrDict:
		if o.proxy {
			w.b.WriteString("mappingproxy(")
			err := w.write(o.snapshot().Value())
			w.b.WriteByte(')')
			return err
		}
		return w.write(o.snapshot().Value())
	case *Slice:
		return w.elems("slice(", ")", 3, func(i int) Value { return [...]Value{o.Lo, o.Hi, o.Step}[i] })
	case *BoundMethod:
		if b, ok := As[*Builtin](o.Fn); ok {
			if t.Dialect == Strict {
				fmt.Fprintf(&w.b, "<built-in method %s of %s value>", b.Name, TypeName(t, o.Self))
			} else {
				fmt.Fprintf(&w.b, "<built-in method %s of %s object at %#x>", b.Name, typeName(o.Self), addressOf(o.Self))
			}
			return nil
		}
		fmt.Fprintf(&w.b, "<bound method %s of ", qualnameOf(o.Fn))
		if err := w.write(o.Self); err != nil {
			return err
		}
		w.b.WriteByte('>')
		return nil
	case *ClassMethod:
		return w.elems("<classmethod(", ")>", 1, func(int) Value { return o.Fn })
	case *StaticMethod:
		return w.elems("<staticmethod(", ")>", 1, func(int) Value { return o.Fn })
	case *Instance:
		return w.writeInstance(v, o)
	case *Class:
		if f, ok := customOf(v, dRepr); ok {
			return w.special(f, v)
		}
		w.b.WriteString(o.String())
		return nil
	case AttrObject:
		c := o.ClassOf()
		if c.Slots != nil && c.Slots.Repr != nil {
			s, err := c.Slots.Repr(t, v)
			w.b.WriteString(s)
			return err
		}
		if _, isFn := o.(Function); isFn && t.Dialect == Model {
			fmt.Fprintf(&w.b, "<function %s at %#x>", qualnameOf(v), addressOf(v))
			return nil
		}
	case Iterator:
		fmt.Fprintf(&w.b, "<%s object at %#x>", typeName(v), addressOf(v))
		return nil
	}
	w.b.WriteString(v.iface().String())
	return nil
}

func (w *reprWriter) special(f, v Value) error {
	r, err := callSpecial(w.t, f, v)
	if err != nil {
		return err
	}
	s, ok := Payload(r).AsString()
	if !ok {
		return TypeErrorf("__repr__ returned non-string (type %s)", typeName(r))
	}
	w.b.WriteString(s)
	return nil
}

func (w *reprWriter) writeInstance(v Value, in *Instance) error {
	c := in.Class()
	if f, ok := c.custom(dRepr); ok {
		return w.special(f, v)
	}
	if c.Slots != nil && c.Slots.Repr != nil {
		s, err := c.Slots.Repr(w.t, v)
		w.b.WriteString(s)
		return err
	}
	if r, ok := in.Native.(*Raised); ok {
		close := ")"
		return w.elems(c.Name+"(", close, len(r.Args), func(i int) Value { return r.Args[i] })
	}
	if p := Payload(v); !p.Is(ItabInstance) {
		if s, ok := As[*Set](p); ok {
			w.b.WriteString(c.Name)
			if s.Len() == 0 {
				w.b.WriteString("()")
				return nil
			}
			w.b.WriteByte('(')
			if s.Const { // the class's name stands for frozenset's
				plain := *s
				plain.Const = false
				s, p = &plain, FromStarlark(&plain)
			}
			err := w.write(p)
			w.b.WriteByte(')')
			return err
		}
		return w.write(p)
	}
	mod := c.Module
	if mod == "" || mod == "builtins" {
		fmt.Fprintf(&w.b, "<%s object at %#x>", c.Qualname, addressOf(v))
	} else {
		fmt.Fprintf(&w.b, "<%s.%s object at %#x>", mod, c.Qualname, addressOf(v))
	}
	return nil
}

func (w *reprWriter) writeSet(v Value, s *Set) error {
	name := s.Type()
	if s.Len() == 0 {
		if w.t.Dialect == Strict {
			name += "([])"
		} else {
			name += "()"
		}
		w.b.WriteString(name)
		return nil
	}
	if w.cyclic(v) {
		w.b.WriteString(name + "(...)")
		return nil
	}
	defer w.pop()
	w.t.readOrder(v)
	var items []Value
	for i := 0; ; {
		k, next, ok := s.Next(i)
		if !ok {
			break
		}
		items = append(items, k)
		i = next
	}
	open, close := "{", "}"

	if s.Const {
		open, close = "frozenset({", "})"
	} else if w.t.Dialect == Strict {
		open, close = "set([", "])"
	}
	return w.elems(open, close, len(items), func(i int) Value { return items[i] })
}

// FloatRepr is CPython's repr of a float: the shortest digits that read back.
func FloatRepr(f float64) string {
	var buf [32]byte
	return string(AppendFloat(buf[:0], f))
}

// AppendFloat appends FloatRepr(f).
func AppendFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "nan"...)
	case math.IsInf(f, 1):
		return append(b, "inf"...)
	case math.IsInf(f, -1):
		return append(b, "-inf"...)
	}
	if x := math.Abs(f); x >= 1e16 || x < 1e-4 && x != 0 {
		return strconv.AppendFloat(b, f, 'e', -1, 64) // two digits of exponent at least, as in Python
	}
	n := len(b)
	b = strconv.AppendFloat(b, f, 'f', -1, 64)
	if bytes.IndexByte(b[n:], '.') < 0 {
		b = append(b, ".0"...)
	}
	return b
}

// QuoteStr is CPython's repr of a string.
func QuoteStr(s string) string {
	quote := byte('\'')
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		quote = '"'
	}
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte(quote)
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case c == quote || c == '\\':
				b.WriteByte('\\')
				b.WriteByte(c)
			case c == '\n':
				b.WriteString(`\n`)
			case c == '\r':
				b.WriteString(`\r`)
			case c == '\t':
				b.WriteString(`\t`)
			case c < ' ' || c == 0x7f:
				fmt.Fprintf(&b, `\x%02x`, c)
			default:
				b.WriteByte(c)
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\udc%02x`, c)
		case printable(r):
			b.WriteString(s[i : i+n])
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += n
	}
	b.WriteByte(quote)
	return b.String()
}

// printable is str.isprintable for one code point.
func printable(r rune) bool { return r == ' ' || unicode.IsGraphic(r) && !unicode.Is(unicode.Zs, r) }

func quoteBytes(s string) string {
	quote := byte('\'')
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		quote = '"'
	}
	var b strings.Builder
	b.WriteByte('b')
	b.WriteByte(quote)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == quote || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte(quote)
	return b.String()
}

func nameOf(v Value) string {
	switch o := v.Starlark().(type) {
	case Function:
		n, _ := o.FuncName()
		return n
	case *Builtin:
		return o.Name
	case *Class:
		return o.Name
	case *BoundMethod:
		return nameOf(o.Fn)
	case starlark.Callable:
		return o.Name()
	}
	return typeName(v)
}

func qualnameOf(v Value) string {
	switch o := v.Starlark().(type) {
	case Function:
		_, q := o.FuncName()
		return q
	case *Builtin:
		return o.fullName()
	case *Class:
		return o.Qualname
	}
	return nameOf(v)
}
