package vm

import (
	"unsafe"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// An iteration stands in three registers:
//
//	range       step  │ next item │ items left
//	list        list  │ next index │          (the model dialect; the end is remembered by an index past all)
//	generator   it    │            │
//	any other   its iterator       │
//
// The first says which; value.Iter made the last kind.

func init() {
	op := func(o bytecode.Op, f operation) { operations[o] = f }
	op(bytecode.GETITER, func(th *Thread, fr *frame, ins uint64) error {
		x := *fr.b(ins)
		it := fr.window(uint64(uint16(ins>>16)), 3)
		if !x.IsTagged() {
			switch x.N {
			case value.ItabRange:
				r := (*value.Range)(x.P)
				it[0], it[1], it[2] = value.Int(r.Step), value.Int(r.Start), value.Int(int64(r.Len()))
				return nil
			case value.ItabList:
				if th.Dialect == value.Model {
					it[0], it[1], it[2] = x, value.Int(0), value.None
					return nil
				}
			case ItabGenerator:
				it[0], it[1], it[2] = x, value.None, value.None
				return nil
			}
		}
		v, err := value.Iter(&th.Thread, x)
		if err != nil {
			return th.failed(err)
		}
		it[0], it[1], it[2] = v, value.None, value.None
		return nil
	})
	special[bytecode.GETITER] = func(th *Thread, fr *frame, ins uint64, v value.Value) error {
		it := fr.window(uint64(uint16(ins>>16)), 3)
		it[0], it[1], it[2] = v, value.None, value.None
		return nil
	}
	op(bytecode.ITER, func(th *Thread, fr *frame, ins uint64) error {
		x := *fr.b(ins)
		if !x.IsTagged() {
			switch x.N {
			case value.ItabRange, value.ItabList, value.ItabTuple, value.ItabString, value.ItabDict, value.ItabSet, ItabGenerator:
				*fr.a(ins) = x
				return nil
			}
		}
		v, err := value.Iter(&th.Thread, x)
		return th.outcome(fr, ins, v, err)
	})
	op(bytecode.FORITER, forIter)
	op(bytecode.ITERDONE, func(th *Thread, fr *frame, ins uint64) error {
		th.closeIter(fr.a(ins))
		return nil
	})
	op(bytecode.GETYIELD, operations[bytecode.GETITER])
	special[bytecode.GETYIELD] = special[bytecode.GETITER]
	op(bytecode.YIELD, func(th *Thread, fr *frame, ins uint64) error {
		v := *fr.b(ins)
		*fr.a(ins) = value.None
		kind := fr.kind
		th.suspend(fr)
		below := th.fr
		switch {
		case kind&forFrame != 0:
			wait := uint64(below.waiting())
			*below.a(wait) = v
			below.jump(wait)
			return nil
		case kind&delegFrame != 0:
			*below.a(uint64(below.waiting())) = v
			return nil
		}
		return th.deliver(v, nil)
	})
	op(bytecode.SEND, send)
	special[bytecode.SEND] = func(th *Thread, fr *frame, ins uint64, v value.Value) error {
		if v.IsUnset() {
			*fr.a(ins) = value.None
			fr.jump(ins)
			return nil
		}
		*fr.a(ins) = v
		return nil
	}
	op(bytecode.UNPACK, func(th *Thread, fr *frame, ins uint64) error {
		return th.unpack(fr, ins, *fr.b(ins), int(ins>>48), -1)
	})
	op(bytecode.UNPACKEX, func(th *Thread, fr *frame, ins uint64) error {
		return th.unpack(fr, ins, *fr.b(ins), int(ins>>48&255), int(ins>>56))
	})
	unpacked := func(th *Thread, fr *frame, ins uint64, v value.Value) error {
		after := -1
		n := int(ins >> 48)
		if bytecode.Op(uint8(ins)) == bytecode.UNPACKEX {
			n, after = int(ins>>48&255), int(ins>>56)
		}
		return th.spreadOut(fr, ins, v.AsList().Elems, n, after)
	}
	special[bytecode.UNPACK] = unpacked
	special[bytecode.UNPACKEX] = unpacked
}

func (th *Thread) closeIter(it *value.Value) {
	if c, ok := value.As[value.Closer](*it); ok && th.Dialect == value.Strict {
		c.Close()
	}
}

func forIter(th *Thread, fr *frame, ins uint64) error {
	trapped, polled := fr.p.loops.Load() != 0, false
	if th.fuel--; th.fuel <= 0 {
		if err := th.poll(); err != nil {
			return err
		}
		polled = true
	}
	if (polled || trapped) && th.asks() && th.counts() {
		// Control is to stand before this instruction.
		fr.ip = unsafe.Add(fr.ip, -8)
		if th.count(Header{Code: fr.p.info, PC: fr.pc() + 1}, trapped) {
			return nil
		}
		fr.ip = unsafe.Add(fr.ip, 8)
	}
	off := uint64(uint16(ins >> 32))
	it := fr.window(off, 3)
	switch {
	case it[0].IsInt() && th.Observer != nil:
		return th.observedRange(fr, ins, it)
	case it[0].IsInt():
		if it[2].N == 0 {
			return nil
		}
		it[2].N--
		n := it[1]
		it[1] = value.Int(int64(it[1].N + it[0].N))
		return th.finish(fr, ins, n)
	case it[0].Is(value.ItabList) && th.Observer != nil:
		return th.observedList(fr, ins, it)
	case it[0].Is(value.ItabList):
		l := (*value.List)(it[0].P)
		i := it[1].N
		if i >= uint64(len(l.Elems)) {
			it[1].N = 1 << 62
			return nil
		}
		it[1].N++
		return th.finish(fr, ins, l.Elems[i])
	case it[0].Is(ItabGenerator):
		g := (*Generator)(it[0].P)
		if g.st == genDone {
			return nil
		}
		return th.enter(g, forFrame)
	}
	if it[0].Is(itabTupleIter) && th.Observer == nil {
		t := (*value.TupleIter)(it[0].P)
		if t.Pos >= len(t.Tuple) {
			return nil
		}
		t.Pos++
		*fr.a(ins) = value.FromStarlark(t.Tuple[t.Pos-1])
		fr.jump(ins)
		return nil
	}
	if body := *(*uint64)(unsafe.Add(fr.ip, (int64(ins)>>48)*8)); bytecode.Op(uint8(body)) == bytecode.UNPACK && !th.stepped &&
		uint16(body>>32) == uint16(ins>>16) && body>>48 == 2 {
		// for a, b in pairs: the tuple would be unpacked next, and nothing else is done with it.
		if a, b, ok, known, err := value.NextPair(&th.Thread, it[0]); known {
			if !ok || err != nil {
				return err
			}
			w := fr.window(uint64(uint16(body>>16)), 2)
			w[0], w[1] = a, b
			fr.jump(ins)
			fr.ip = unsafe.Add(fr.ip, 8)
			return nil
		}
	}
	v, ok, err := value.Next(&th.Thread, it[0])
	if err != nil {
		return th.failed(err)
	}
	if !ok {
		return nil
	}
	return th.finish(fr, ins, v)
}

var itabTupleIter = value.ItabOf((*value.TupleIter)(nil))

// observedRange steps over a range whose numbers an observer may have replaced
// by symbolic ones.
func (th *Thread) observedRange(fr *frame, ins uint64, it []value.Value) error {
	t := &th.Thread
	done, err := value.Compare(t, value.Eq, it[2], value.Int(0))
	if err != nil || done.IsTrue() {
		return err
	}
	left, err := value.Binary(t, value.OpSub, it[2], value.Int(1))
	if err != nil {
		return err
	}
	n := it[1]
	next, err := value.Binary(t, value.OpAdd, n, it[0])
	if err != nil {
		return err
	}
	it[1], it[2] = next, left
	return th.finish(fr, ins, n)
}

// observedList likewise steps over a list; the key that the observer is told is
// the index as the register has it.
func (th *Thread) observedList(fr *frame, ins uint64, it []value.Value) error {
	l := (*value.List)(it[0].P)
	i := it[1]
	at := i
	if h, ok := value.As[value.Hinted](i); ok {
		at = h.Hint()
	}
	if at.N >= uint64(len(l.Elems)) {
		th.Observer.Absent(it[0], value.StepItem, i)
		it[1] = value.Int(1 << 62)
		return nil
	}
	next, err := value.Binary(&th.Thread, value.OpAdd, i, value.Int(1))
	if err != nil {
		return err
	}
	v := th.Observer.Read(it[0], value.StepItem, i, l.Elems[at.N])
	it[1] = next
	return th.finish(fr, ins, v)
}

// send does SEND: advance what a yield from delegates to.
func send(th *Thread, fr *frame, ins uint64) error {
	it := fr.window(uint64(uint16(ins>>32)), 3)
	sent := *fr.a(ins)
	switch {
	case it[0].Is(ItabGenerator):
		g := (*Generator)(it[0].P)
		if g.st == genDone {
			*fr.a(ins) = value.None
			fr.jump(ins)
			return nil
		}
		fresh := g.ip == startOf(g.p)
		if err := th.enter(g, delegFrame); err != nil {
			return err
		}
		if !fresh {
			top := th.fr
			*top.a(uint64(top.waiting())) = sent
		} else if !sent.IsNone() {
			th.thrown = value.TypeErrorf("can't send non-None value to a just-started generator")
		}
		return nil
	case !sent.IsNone():
		if kind := loopIterator(it[0]); kind != "" {
			return value.AttributeErrorf("send", "'%s' object has no attribute 'send'", kind)
		}
		f, err := value.GetAttr(&th.Thread, it[0], "send")
		if err != nil {
			return th.failed(err)
		}
		v, pushed, err := th.start(f, []value.Value{sent}, nil)
		if pushed {
			return nil
		}
		return th.deliver(v, err)
	}
	// Like FORITER, without the jump.
	var v value.Value
	switch {
	case it[0].IsInt():
		if it[2].N > 0 {
			it[2].N--
			v = it[1]
			it[1] = value.Int(int64(it[1].N + it[0].N))
		}
	case it[0].Is(value.ItabList):
		if l := (*value.List)(it[0].P); it[1].N < uint64(len(l.Elems)) {
			v = l.Elems[it[1].N]
			it[1].N++
			if th.Observer != nil {
				v = th.Observer.Read(it[0], value.StepItem, value.Int(int64(it[1].N-1)), v)
			}
		}
	default:
		if in := it[0].AsInstance(); in != nil {
			// Called as it is: what StopIteration carries is the result.
			if f, has := in.Class().Find("__next__"); has && f.Value.Is(ItabFunction) {
				got, pushed, err := th.start(f.Value, []value.Value{it[0]}, nil)
				if pushed {
					return nil
				}
				return th.deliver(got, err)
			}
		}
		var ok bool
		var err error
		if v, ok, err = value.Next(&th.Thread, it[0]); err != nil {
			if r, stop := err.(*value.Raised); stop && r.Class.IsSubclass(value.ExcStopIteration) {
				return th.sendDone(fr, ins, r)
			}
			return th.failed(err)
		}
		if !ok {
			v = value.Value{}
		}
	}
	return th.finish(fr, ins, v)
}

// loopIterator names the iterator that the machine keeps as a bare range or list.
func loopIterator(it value.Value) string {
	switch {
	case it.IsInt():
		return "range_iterator"
	case it.Is(value.ItabList):
		return "list_iterator"
	}
	return ""
}

// sendDone ends a SEND whose iterator has raised StopIteration.
func (th *Thread) sendDone(fr *frame, ins uint64, r *value.Raised) error {
	v := value.None
	if len(r.Args) > 0 {
		v = r.Args[0]
	}
	*fr.a(ins) = v
	fr.jump(ins)
	return nil
}

// unpack spreads the items of v over the window at A: n of them, or with after
// >= 0 n, a list of the middle, and after more.
func (th *Thread) unpack(fr *frame, ins uint64, v value.Value, n, after int) error {
	if !v.IsTagged() {
		switch v.N {
		case value.ItabTuple:
			tup, _ := v.AsTuple()
			if after < 0 && len(tup) == n {
				for i, w := 0, fr.window(uint64(uint16(ins>>16)), n); i < n; i++ {
					w[i] = value.FromStarlark(tup[i])
				}
				return nil
			}
			elems := make([]value.Value, len(tup))
			for i, e := range tup {
				elems[i] = value.FromStarlark(e)
			}
			return th.spreadOut(fr, ins, elems, n, after)
		case value.ItabList:
			l := v.AsList()
			elems := append([]value.Value(nil), l.Elems...)
			if th.Observer != nil {
				th.Observer.Read(v, value.StepLen, value.Value{}, value.Int(int64(len(elems))))
				for i := range elems {
					elems[i] = th.Observer.Read(v, value.StepItem, value.Int(int64(i)), elems[i])
				}
			}
			return th.spreadOut(fr, ins, elems, n, after)
		}
	}
	it, err := value.Iter(&th.Thread, v)
	s := &collect{max: n}
	if after >= 0 {
		s.max = -1
	}
	if err != nil {
		nc, ok := err.(*value.NeedCall)
		if !ok {
			if r := value.AsRaised(err); r.Class == value.ExcTypeError && !v.Is(value.ItabInstance) {
				if th.Dialect == value.Strict {
					return value.TypeErrorf("got %s in sequence assignment", value.TypeName(&th.Thread, v))
				}
				return value.TypeErrorf("cannot unpack non-iterable %s object", value.TypeName(&th.Thread, v))
			}
			return err
		}
		call := *nc
		s.first = &call
	}
	s.it = it
	return th.failed(&value.NeedCall{Then: s})
}

// collect gathers the items of an iterator into a list: one more than max, if
// there are that many.
type collect struct {
	first *value.NeedCall // gives the iterator
	it    value.Value
	max   int
	elems []value.Value
	state uint8
}

func (s *collect) Step(t *value.Thread, in value.Value, err error) value.Action {
	if err != nil {
		return value.Raise(err)
	}
	switch s.state {
	case 0:
		s.state = 1
		if s.first != nil {
			return value.Action{Kind: value.ActCall, Call: s.first}
		}
		in = s.it
		fallthrough
	case 1:
		s.state = 2
		s.it = in
		return value.NextOf(s.it)
	}
	if !in.IsUnset() {
		s.elems = append(s.elems, in)
		if s.max < 0 || len(s.elems) <= s.max {
			return value.NextOf(s.it)
		}
	}
	if c, ok := value.As[value.Closer](s.it); ok && t.Dialect == value.Strict {
		c.Close()
	}
	l := value.NewList(s.elems).Value()
	if t.Observer != nil {
		t.Observer.Born(l)
	}
	return value.Return(l)
}

func (s *collect) Roots(visit func(*value.Value)) {
	visit(&s.it)
	for i := range s.elems {
		visit(&s.elems[i])
	}
}

func (th *Thread) spreadOut(fr *frame, ins uint64, elems []value.Value, n, after int) error {
	base := uint64(uint16(ins >> 16))
	if after < 0 {
		if len(elems) != n {
			return th.unpackCount(fr, ins, len(elems), n)
		}
		copy(fr.window(base, n), elems)
		return nil
	}
	if len(elems) < n+after {
		return value.ValueErrorf("not enough values to unpack (expected at least %d, got %d)", n+after, len(elems))
	}
	w := fr.window(base, n+1+after)
	copy(w, elems[:n])
	w[n] = value.ListOf(elems[n : len(elems)-after]...)
	if th.Observer != nil {
		th.Observer.Born(w[n])
	}
	copy(w[n+1:], elems[len(elems)-after:])
	return nil
}

func (th *Thread) unpackCount(fr *frame, ins uint64, got, want int) error {
	if fr.p.dialect == value.Strict {
		if got > want {
			return value.ValueErrorf("too many values to unpack (got %d, want %d)", got, want)
		}
		return value.ValueErrorf("too few values to unpack (got %d, want %d)", got, want)
	}
	if got > want {
		return value.ValueErrorf("too many values to unpack (expected %d)", want)
	}
	return value.ValueErrorf("not enough values to unpack (expected %d, got %d)", want, got)
}
