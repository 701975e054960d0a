package torch

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// The pickle of a file made by torch.save, read by a machine that knows data
// and the few constructors of tensors, and nothing that could run code (as
// weights_only=True in PyTorch). Opcodes: pickletools.py of CPython, protocols 2 to 4.

// pkGlobal is a name that the pickle refers to: "torch._utils._rebuild_tensor_v2".
type pkGlobal string

// pkTuple is a tuple that holds what is no value: storages and globals.
type pkTuple []any

type pkMark struct{}

// unpickler is the machine. Its stack holds value.Value, pkGlobal, pkTuple,
// pkMark and what persistent returns.
type unpickler struct {
	b     []byte
	at    int
	stack []any
	memo  map[int]any
	// persistent resolves a persistent id, reduce calls an allowed global.
	persistent func(id any) (any, error)
	reduce     func(fn pkGlobal, args []any) (any, error)
}

type pkError struct{ msg string }

func (e *pkError) Error() string { return e.msg }

func (u *unpickler) fail(format string, args ...any) { panic(&pkError{fmt.Sprintf(format, args...)}) }

func (u *unpickler) take(n int) []byte {
	if n < 0 || n > len(u.b)-u.at {
		u.fail("pickle data was truncated")
	}
	s := u.b[u.at : u.at+n]
	u.at += n
	return s
}

func (u *unpickler) line() string {
	for i := u.at; i < len(u.b); i++ {
		if u.b[i] == '\n' {
			s := string(u.b[u.at:i])
			u.at = i + 1
			return s
		}
	}
	u.fail("pickle data was truncated")
	return ""
}

func (u *unpickler) push(x any) { u.stack = append(u.stack, x) }

func (u *unpickler) pop() any {
	if len(u.stack) == 0 {
		u.fail("unexpected end of the pickle's stack")
	}
	x := u.stack[len(u.stack)-1]
	u.stack = u.stack[:len(u.stack)-1]
	return x
}

func (u *unpickler) top() any {
	x := u.pop()
	u.push(x)
	return x
}

// popMark takes what lies above the last mark.
func (u *unpickler) popMark() []any {
	for i := len(u.stack) - 1; i >= 0; i-- {
		if _, ok := u.stack[i].(pkMark); ok {
			items := append([]any(nil), u.stack[i+1:]...)
			u.stack = u.stack[:i]
			return items
		}
	}
	u.fail("no mark on the pickle's stack")
	return nil
}

// asValue is x as a value of the language.
func (u *unpickler) asValue(x any) value.Value {
	switch x := x.(type) {
	case value.Value:
		return x
	case pkGlobal:
		u.fail("unsupported global %s", string(x))
	}
	u.fail("a storage where a value is expected")
	return value.Value{}
}

// global pushes what a name stands for: a value where reduce knows one.
func (u *unpickler) global(name string) {
	if v, err := u.reduce(pkGlobal(name), nil); err == nil {
		u.push(v)
		return
	}
	u.push(pkGlobal(name))
}

// tuple is a tuple of items, as a value if all of them are.
func (u *unpickler) tuple(items []any) any {
	elems := make([]value.Value, len(items))
	for i, x := range items {
		v, ok := x.(value.Value)
		if !ok {
			return pkTuple(items)
		}
		elems[i] = v
	}
	return value.Tuple(elems...)
}

func tupleItems(x any) ([]any, bool) {
	switch x := x.(type) {
	case pkTuple:
		return x, true
	case value.Value:
		if _, ok := x.AsTuple(); ok {
			elems, _ := sequence(x)
			items := make([]any, len(elems))
			for i, e := range elems {
				items[i] = e
			}
			return items, true
		}
	}
	return nil, false
}

func (u *unpickler) setItems(target any, items []any) {
	v, _ := target.(value.Value)
	d := v.AsDict()
	if d == nil || len(items)%2 != 0 {
		u.fail("items for what is no dict")
	}
	for i := 0; i < len(items); i += 2 {
		k := u.asValue(items[i])
		if k.AsInstance() != nil {
			u.fail("a dict key that is an object")
		}
		// Tuples that share parts could take for ever to hash.
		if elems, _ := sequence(k); slices.ContainsFunc(elems, func(e value.Value) bool { _, nested := e.AsTuple(); return nested }) {
			u.fail("a dict key of nested tuples")
		}
		if err := d.Set(&value.Thread{}, k, u.asValue(items[i+1])); err != nil {
			u.fail("%s", err)
		}
	}
}

func (u *unpickler) appendTo(target any, items []any) {
	v, _ := target.(value.Value)
	l := v.AsList()
	if l == nil {
		u.fail("items for what is no list")
	}
	for _, x := range items {
		l.Elems = append(l.Elems, u.asValue(x))
	}
}

// run reads the pickle and returns the object that it stands for.
func (u *unpickler) run() (v value.Value, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *pkError:
			err = e
		default:
			panic(e)
		}
	}()
	u.memo = map[int]any{}
	le := binary.LittleEndian
	for {
		switch op := u.take(1)[0]; op {
		case 0x80: // PROTO
			if p := u.take(1)[0]; p > 5 {
				u.fail("unsupported pickle protocol: %d", p)
			}
		case 0x95: // FRAME
			u.take(8)
		case '.': // STOP
			return u.asValue(u.pop()), nil
		case '(':
			u.push(pkMark{})
		case '0':
			u.pop()
		case '1':
			u.popMark()
		case '2':
			u.push(u.top())
		case 'N':
			u.push(value.None)
		case 0x88:
			u.push(value.True)
		case 0x89:
			u.push(value.False)
		case 'J':
			u.push(value.Int(int64(int32(le.Uint32(u.take(4))))))
		case 'K':
			u.push(value.Int(int64(u.take(1)[0])))
		case 'M':
			u.push(value.Int(int64(le.Uint16(u.take(2)))))
		case 'I': // INT, in decimal; 00 and 01 are bools
			switch s := u.line(); s {
			case "00":
				u.push(value.False)
			case "01":
				u.push(value.True)
			default:
				i, err := strconv.ParseInt(s, 10, 64)
				if err != nil {
					u.fail("invalid int %q", s)
				}
				u.push(value.Int(i))
			}
		case 0x8a: // LONG1
			u.push(bigInt(u.take(int(u.take(1)[0]))))
		case 'G':
			u.push(value.Float(math.Float64frombits(binary.BigEndian.Uint64(u.take(8)))))
		case 'X':
			u.push(value.Str(string(u.take(int(le.Uint32(u.take(4)))))))
		case 0x8c:
			u.push(value.Str(string(u.take(int(u.take(1)[0])))))
		case 'U':
			u.push(value.Str(string(u.take(int(u.take(1)[0])))))
		case 'T':
			u.push(value.Str(string(u.take(int(le.Uint32(u.take(4)))))))
		case 'C':
			u.push(value.BytesOf(u.take(int(u.take(1)[0]))))
		case 'B':
			u.push(value.BytesOf(u.take(int(le.Uint32(u.take(4))))))
		case ']':
			u.push(value.NewList(nil).Value())
		case '}':
			u.push(value.NewDict(0).Value())
		case ')':
			u.push(value.Tuple())
		case 0x8f:
			u.push(value.FromStarlark(value.NewSet(0)))
		case 'l':
			items := u.popMark()
			l := value.NewList(nil).Value()
			u.appendTo(l, items)
			u.push(l)
		case 'd':
			items := u.popMark()
			d := value.NewDict(0).Value()
			u.setItems(d, items)
			u.push(d)
		case 't':
			u.push(u.tuple(u.popMark()))
		case 0x85, 0x86, 0x87:
			n := int(op) - 0x84
			items := make([]any, n)
			for i := n - 1; i >= 0; i-- {
				items[i] = u.pop()
			}
			u.push(u.tuple(items))
		case 'a':
			x := u.pop()
			u.appendTo(u.top(), []any{x})
		case 'e':
			items := u.popMark()
			u.appendTo(u.top(), items)
		case 's':
			v, k := u.pop(), u.pop()
			u.setItems(u.top(), []any{k, v})
		case 'u':
			items := u.popMark()
			u.setItems(u.top(), items)
		case 0x90: // ADDITEMS
			items := u.popMark()
			s, ok := value.As[*value.Set](u.asValue(u.top()))
			if !ok {
				u.fail("items for what is no set")
			}
			for _, x := range items {
				if _, isTuple := u.asValue(x).AsTuple(); isTuple {
					u.fail("a set of tuples")
				}
				if err := s.Add(&value.Thread{}, u.asValue(x)); err != nil {
					u.fail("%s", err)
				}
			}
		case 'q':
			u.memo[int(u.take(1)[0])] = u.top()
		case 'r':
			u.memo[int(le.Uint32(u.take(4)))] = u.top()
		case 0x94:
			u.memo[len(u.memo)] = u.top()
		case 'h', 'j':
			n := 0
			if op == 'h' {
				n = int(u.take(1)[0])
			} else {
				n = int(le.Uint32(u.take(4)))
			}
			x, ok := u.memo[n]
			if !ok {
				u.fail("memo value %d is missing", n)
			}
			u.push(x)
		case 'c':
			mod := u.line()
			u.global(mod + "." + u.line())
		case 0x93: // STACK_GLOBAL
			name, _ := u.asValue(u.pop()).AsString()
			mod, _ := u.asValue(u.pop()).AsString()
			u.global(mod + "." + name)
		case 'R', 0x81: // REDUCE, NEWOBJ
			args, ok := tupleItems(u.pop())
			fn, isGlobal := u.pop().(pkGlobal)
			if !ok || !isGlobal {
				u.fail("a call of what is no function")
			}
			x, err := u.reduce(fn, args)
			if err != nil {
				u.fail("%s", err)
			}
			u.push(x)
		case 'b': // BUILD: attributes of an OrderedDict or a tensor, which are not kept
			u.pop()
			u.top()
		case 'Q':
			x, err := u.persistent(u.pop())
			if err != nil {
				u.fail("%s", err)
			}
			u.push(x)
		default:
			u.fail("unsupported pickle opcode %#x at %d", op, u.at-1)
		}
	}
}

// bigInt reads a two's complement little-endian integer.
func bigInt(b []byte) value.Value {
	be := make([]byte, len(b))
	for i, c := range b {
		be[len(b)-1-i] = c
	}
	n := new(big.Int).SetBytes(be)
	if len(b) > 0 && b[len(b)-1]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return value.BigInt(n)
}

// pickler writes protocol 2.
type pickler struct {
	b    strings.Builder
	memo map[value.Value]int
	n    int
	// tensor writes a tensor; other writes what else there may be, false where it cannot.
	tensor func(p *pickler, v value.Value) (bool, error)
	depth  int
}

func (p *pickler) raw(b ...byte)      { p.b.Write(b) }
func (p *pickler) global(m, n string) { p.b.WriteString("c" + m + "\n" + n + "\n") }

func (p *pickler) str(s string) {
	p.raw('X')
	p.b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(s))))
	p.b.WriteString(s)
}

func (p *pickler) int(i int64) {
	switch {
	case i >= 0 && i < 256:
		p.raw('K', byte(i))
	case i >= math.MinInt32 && i <= math.MaxInt32:
		p.raw('J')
		p.b.Write(binary.LittleEndian.AppendUint32(nil, uint32(int32(i))))
	default:
		p.raw(0x8a, 8)
		p.b.Write(binary.LittleEndian.AppendUint64(nil, uint64(i)))
	}
}

// put remembers what was just written, so that a second reference is one.
func (p *pickler) put(v value.Value) {
	p.memo[v] = p.n
	p.raw('r')
	p.b.Write(binary.LittleEndian.AppendUint32(nil, uint32(p.n)))
	p.n++
}

func (p *pickler) write(v value.Value) error {
	if p.depth++; p.depth > 500 {
		return value.Errorf(value.ExcRecursionError, "maximum recursion depth exceeded while pickling an object")
	}
	defer func() { p.depth-- }()
	switch {
	case v.IsNone():
		p.raw('N')
		return nil
	case v.IsBool():
		p.raw(map[bool]byte{true: 0x88, false: 0x89}[v.IsTrue()])
		return nil
	case v.IsInt():
		p.int(v.Int64())
		return nil
	case v.IsFloat():
		p.raw('G')
		p.b.Write(binary.BigEndian.AppendUint64(nil, math.Float64bits(v.Float64())))
		return nil
	}
	if n, ok := p.memo[v]; ok {
		p.raw('j')
		p.b.Write(binary.LittleEndian.AppendUint32(nil, uint32(n)))
		return nil
	}
	if s, ok := v.AsString(); ok {
		p.str(s)
		return nil
	}
	if done, err := p.tensor(p, v); done || err != nil {
		return err
	}
	pay := value.Payload(v)
	if l := pay.AsList(); l != nil {
		p.raw(']')
		p.put(v)
		p.raw('(')
		for _, e := range l.Elems {
			if err := p.write(e); err != nil {
				return err
			}
		}
		p.raw('e')
		return nil
	}
	if d := pay.AsDict(); d != nil {
		if v == pay {
			p.raw('}')
		} else { // a subclass: OrderedDict is what loads everywhere
			p.global("collections", "OrderedDict")
			p.raw(')', 'R')
		}
		p.put(v)
		p.raw('(')
		for i := 0; ; {
			k, e, next, ok := d.Next(i)
			if !ok {
				break
			}
			i = next
			if err := p.write(k); err != nil {
				return err
			}
			if err := p.write(e); err != nil {
				return err
			}
		}
		p.raw('u')
		return nil
	}
	if tup, ok := pay.AsTuple(); ok {
		p.raw('(')
		for _, e := range tup {
			if err := p.write(value.FromStarlark(e)); err != nil {
				return err
			}
		}
		p.raw('t')
		return nil
	}
	return value.TypeErrorf("cannot pickle '%s' object: torch.save takes tensors, numbers, strings, and lists, tuples and dicts of them (for a Module, save its state_dict())", typeName(v))
}
