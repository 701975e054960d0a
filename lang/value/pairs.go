package value

// NextPair advances an iterator whose items are pairs, and gives the two parts of
// one without the tuple: for loops with two targets over enumerate, dict.items and
// zip have no use for it. known is false, and nothing has happened, for any other
// iterator and where an observer has to be told or language code to be called.
func NextPair(t *Thread, it Value) (a, b Value, ok, known bool, err error) {
	if t.Observer != nil || it.IsTagged() {
		return
	}
	switch o := it.iface().(type) {
	case *DictIter:
		if o.Kind != viewItems || o.Back || o.Pos < 0 || o.D.live != o.Len || t.Dialect == Strict {
			return
		}
		if err := t.tick(); err != nil {
			return a, b, false, true, err
		}
		var next int
		if a, b, next, ok = o.D.Next(o.Pos); !ok {
			next = -1
		}
		o.Pos = next
		return a, b, ok, true, nil
	case *Enumerate:
		in, simple := simpleIter(o.It)
		if !simple {
			return
		}
		if err := t.tick(); err != nil {
			return a, b, false, true, err
		}
		if b, ok, err = in.Next(t); ok {
			a = o.count(t)
		}
		return a, b, ok, true, err
	case *Zip:
		if len(o.Its) != 2 || o.done || o.Strict {
			return
		}
		x, simple1 := simpleIter(o.Its[0])
		y, simple2 := simpleIter(o.Its[1])
		if !simple1 || !simple2 {
			return
		}
		if err := t.tick(); err != nil {
			return a, b, false, true, err
		}
		if a, ok, err = x.Next(t); ok {
			b, ok, err = y.Next(t)
		}
		o.done = !ok
		return a, b, ok, true, err
	}
	return
}

// simpleIter is an iterator that neither runs language code nor fails.
func simpleIter(it Value) (Iterator, bool) {
	if it.IsTagged() {
		return nil, false
	}
	switch o := it.iface().(type) {
	case *ListIter:
		return o, true
	case *TupleIter:
		return o, true
	case *RangeIter:
		return o, true
	}
	return nil, false
}
