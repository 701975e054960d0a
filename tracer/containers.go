package tracer

import (
	"fmt"
	"weak"

	"github.com/larkspur-ml/larkspur/guards"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// listState is what is known of a list of the outside. Guards speak of the list
// as it was before; cur maps what it is now to that.
type listState struct {
	pre      []value.Value
	touched  bool
	measured bool // its length is guarded
	walked   bool // an iterator of the outside runs over it
	cur      []listSlot
	items    map[int]value.Value // what was read, by index before
}

// listSlot is an element of a changed list: one from before, or the region's own.
type listSlot struct {
	pre    int // index before; -1: own
	v      value.Value
	effect int // that put it there
}

func (r *recorder) list(l *value.List) *listState {
	st := r.lists[weak.Make(l)]
	if st == nil {
		if r.source(l.Value()) == nil {
			return nil
		}
		st = &listState{items: map[int]value.Value{}, pre: append([]value.Value(nil), l.Elems...)}
		r.lists[weak.Make(l)] = st
	}
	return st
}

func (r *recorder) listLen(l *value.List) {
	if r.born[idOf(l.Value())] {
		return
	}
	st := r.list(l)
	if st == nil || st.measured {
		return
	}
	st.measured = true
	s := r.src[idOf(l.Value())]
	r.add(guards.Guard{A: s.Ref(), Test: guards.TestLen, J2: len(st.pre), Dst: -1, Source: s})
}

// listItem is a read of element key, which may be symbolic where a loop walks
// the list.
func (r *recorder) listItem(l *value.List, key, v value.Value) value.Value {
	if r.born[idOf(l.Value())] {
		if s := asSymbol(key); s != nil {
			s.Concrete()
		}
		return v
	}
	st := r.list(l)
	if st == nil {
		return v
	}
	s := r.src[idOf(l.Value())]
	sym := asSymbol(key)
	if sym == nil && r.cur.index != nil {
		sym, r.cur.index = r.cur.index, nil
	}
	if sym != nil {
		if st.touched {
			r.kill("a list changes while a loop walks it")
			return v
		}
		st.walked = true
		return r.note(guards.Guard{Load: guards.LoadItem, A: s.Ref(), Index: sym.e}, s, "["+sym.e.String()+"]", v, true)
	}
	i := int(key.Int64())
	if st.touched {
		if i >= len(st.cur) {
			r.kill("a list is not as it was recorded")
			return v
		}
		if i >= len(st.pre) || len(st.cur) < len(st.pre) {
			r.listLen(l)
		}
		c := st.cur[i]
		if c.pre < 0 {
			return r.again(c.v, v)
		}
		i = c.pre
		v = r.again(st.pre[i], v)
	}
	if w, ok := st.items[i]; ok {
		return r.again(w, v)
	}
	w := r.note(guards.Guard{Load: guards.LoadItem, A: s.Ref(), J: i}, s, fmt.Sprintf("[%d]", i), v, false)
	st.items[i] = w
	return w
}

// listEnd: there is no element key: a loop over the list ends.
func (r *recorder) listEnd(l *value.List, key value.Value) {
	if r.born[idOf(l.Value())] {
		if s := asSymbol(key); s != nil {
			s.Concrete()
		}
		return
	}
	st := r.list(l)
	if st == nil {
		return
	}
	if s := asSymbol(key); s != nil && !st.touched {
		src := r.src[idOf(l.Value())]
		r.add(guards.Guard{A: src.Ref(), Test: guards.TestEnd, Index: s.e, Dst: -1, Source: src})
		return
	} else if s != nil {
		s.Concrete()
	}
	r.listLen(l)
}

// touchList is the first write to a list.
func (r *recorder) touchList(l *value.List) *listState {
	st := r.list(l)
	if st == nil {
		return nil
	}
	if st.walked {
		r.kill("a list changes while a loop walks it")
		return nil
	}
	if !st.touched {
		st.touched = true
		for i := range st.pre {
			st.cur = append(st.cur, listSlot{pre: i})
		}
	}
	r.touch(l.Value())
	return st
}

// dictState is what is known of a dict or set of the outside.
type dictState struct {
	pre      []value.Value // keys before
	touched  bool
	ordered  bool
	measured bool
	own      map[string]ownKey
	reads    map[string]value.Value
	has      map[string]bool
}

// ownKey is what the region has made of a key: its value, or unset if removed.
type ownKey struct {
	v      value.Value
	effect int // that put it there; -1: none
}

func (r *recorder) dict(d value.Value) *dictState {
	st := r.dicts[idOf(d)]
	if st == nil {
		if r.source(d) == nil {
			return nil
		}
		st = &dictState{own: map[string]ownKey{}, reads: map[string]value.Value{}, has: map[string]bool{}}
		st.pre, _ = guards.Keys(d)
		r.dicts[idOf(d)] = st
	}
	return st
}

// key is the identity of a dict's key, and how a guard names it. ok is false for
// keys whose equality is more than identity or text.
func (r *recorder) key(k value.Value) (id string, ref guards.Ref, ok bool) {
	if s, isStr := k.AsString(); isStr {
		return "s" + s, guards.ConstRef(k), true
	}
	if k.IsInt() {
		return fmt.Sprint("i", k.Int64()), guards.ConstRef(k), true
	}
	if k.IsNone() {
		return "n", guards.ConstRef(k), true
	}
	if in := k.AsInstance(); in != nil {
		if eq, found := in.Class().Find("__eq__"); found && eq.Owner.Module != "builtins" && eq.Owner.Slots == nil {
			return "", guards.Ref{}, false
		}
		if h, found := in.Class().Find("__hash__"); found && h.Owner.Module != "builtins" && h.Owner.Slots == nil {
			return "", guards.Ref{}, false
		}
		if value.Payload(k) != k {
			return "", guards.Ref{}, false
		}
	} else if !k.Is(value.ItabClass) && !k.Is(value.ItabModule) {
		return "", guards.Ref{}, false
	}
	s := r.src[idOf(k)]
	if s == nil {
		return "", guards.Ref{}, r.isBorn(k)
	}
	return fmt.Sprintf("p%p", k.P), s.Ref(), true
}

func (r *recorder) dictItem(d, k, v value.Value) value.Value {
	if r.born[idOf(d)] {
		return v
	}
	st := r.dict(d)
	id, ref, ok := r.key(k)
	if st == nil {
		return v
	}
	if !ok || id == "" {
		r.kill("a key of type %s", value.TypeOf(k).Name)
		return v
	}
	if o, ok := st.own[id]; ok {
		return r.again(o.v, v)
	}
	if w, ok := st.reads[id]; ok {
		return r.again(w, v)
	}
	s := r.src[idOf(d)]
	w := r.note(guards.Guard{Load: guards.LoadKey, A: s.Ref(), B: ref}, s, "["+guards.Text(k)+"]", v, false)
	st.reads[id] = w
	return w
}

func (r *recorder) dictAbsent(d, k value.Value) { r.dictHas(d, k, false) }

func (r *recorder) dictHas(d, k value.Value, has bool) {
	if r.born[idOf(d)] {
		return
	}
	st := r.dict(d)
	if st == nil {
		return
	}
	id, ref, ok := r.key(k)
	if !ok {
		r.kill("a key of type %s", value.TypeOf(k).Name)
		return
	}
	if id == "" {
		return // born in the region: no container of the outside has it, unless put there
	}
	if _, ok := st.own[id]; ok {
		return
	}
	if _, ok := st.reads[id]; ok {
		return
	}
	if _, ok := st.has[id]; ok {
		return
	}
	st.has[id] = has
	g := guards.Guard{A: r.src[idOf(d)].Ref(), B: ref, Test: guards.TestHas, Dst: -1, Source: r.src[idOf(d)]}
	if !has {
		g.Test = guards.TestHasNot
	}
	r.add(g)
}

func (r *recorder) dictLen(d value.Value) {
	if r.born[idOf(d)] {
		return
	}
	st := r.dict(d)
	if st == nil || st.measured || st.ordered {
		return
	}
	if st.touched {
		r.dictOrder(d)
		return
	}
	st.measured = true
	s := r.src[idOf(d)]
	r.add(guards.Guard{A: s.Ref(), Test: guards.TestLen, J2: len(st.pre), Dst: -1, Source: s})
}

func (r *recorder) dictOrder(d value.Value) {
	if r.born[idOf(d)] {
		return
	}
	if !d.Is(value.ItabDict) && !d.Is(value.ItabSet) {
		r.kill("order of a %s", value.TypeOf(d).Name)
		return
	}
	st := r.dict(d)
	if st == nil || st.ordered {
		return
	}
	st.ordered = true
	s := r.src[idOf(d)]
	r.add(guards.Guard{A: s.Ref(), Test: guards.TestOrder, Keys: st.pre, Dst: -1, Source: s})
	for i, k := range st.pre {
		// Keys are what the guard compares by identity: constants of the check.
		r.fix(k, s, fmt.Sprintf(" key %d", i))
	}
}

func (r *recorder) touchDict(d value.Value) *dictState {
	st := r.dict(d)
	if st == nil {
		return nil
	}
	st.touched = true
	r.touch(d)
	return st
}

// iterState is an iterator object in use.
type iterState struct {
	n     int // items taken here
	ended bool
	first value.Value // of an enumerate: its number at the start
}

func (r *recorder) iter(it value.Value) *iterState {
	st := r.iters[idOf(it)]
	if st != nil {
		return st
	}
	if r.born[idOf(it)] {
		st = &iterState{}
		r.iters[idOf(it)] = st
		return st
	}
	s := r.source(it)
	if s == nil {
		return nil
	}
	if li, ok := value.As[*value.ListIter](it); ok {
		l := li.List.Value()
		if r.born[idOf(l)] {
			r.kill("an outside iterator over a list of the region")
			return nil
		}
		r.note(guards.Guard{Load: guards.LoadList, A: s.Ref()}, s, " list", l, false)
		if ls := r.list(li.List); ls == nil || ls.touched {
			r.kill("a list changes while a loop walks it")
			return nil
		} else {
			ls.walked = true
		}
	}
	st = &iterState{}
	r.iters[idOf(it)] = st
	r.walked = append(r.walked, walked{idOf(it), st, sourced(s)})
	r.touch(it)
	return st
}

// walked is an iterator of the outside that has been advanced.
type walked struct {
	it   identity
	st   *iterState
	from *recipe
}

// inner notes an iterator that another one of the outside draws from.
func (r *recorder) inner(s *guards.Source, i int, it value.Value) {
	r.note(guards.Guard{Load: guards.LoadInner, A: s.Ref(), J: i}, s, fmt.Sprintf(" inner %d", i), it, false)
	r.inners[idOf(it)] = true
}

// enumerated is the number that an enumerate gives with an item.
func (r *recorder) enumerated(e, got value.Value) value.Value {
	if r.born[idOf(e)] {
		return got
	}
	s := r.source(e)
	if s == nil {
		return got
	}
	st := r.iters[idOf(e)]
	if st == nil {
		st = &iterState{}
		r.iters[idOf(e)] = st
		r.walked = append(r.walked, walked{idOf(e), st, sourced(s)})
		r.touch(e)
		st.first = r.note(guards.Guard{Load: guards.LoadCount, A: s.Ref()}, s, " count", got, true)
	}
	r.writes++
	v, err := value.Binary(&r.th.Thread, value.OpAdd, st.first, value.Int(int64(st.n)))
	if err != nil {
		r.kill("BUG: %s", err)
		return got
	}
	st.n++
	return v
}

// iterItem is an item that an iterator gives. Its position has moved already.
func (r *recorder) iterItem(it, v value.Value) value.Value {
	st := r.iter(it)
	if st == nil {
		return v
	}
	r.own++
	n := st.n
	st.n++
	if !r.born[idOf(it)] {
		s := r.src[idOf(it)]
		r.writes++
		return r.note(guards.Guard{Load: guards.LoadNext, A: s.Ref(), J: n}, s, fmt.Sprintf(" item %d", n), v, true)
	}
	switch o := it.Starlark().(type) {
	case *value.ListIter:
		return r.listItem(o.List, value.Int(int64(o.Pos-1)), v)
	case *value.TupleIter, *value.StrIter, *value.BytesIter, *value.RangeIter:
		return v
	case *value.DictIter:
		return r.dictIterItem(st, o, n, v)
	}
	r.kill("iterator of type %s", value.TypeOf(it).Name)
	return v
}

func (r *recorder) dictIterItem(st *iterState, it *value.DictIter, n int, v value.Value) value.Value {
	d := it.Of
	if r.born[idOf(d)] {
		return v
	}
	ds := r.dict(d)
	if ds == nil || it.Back {
		r.kill("iterator of a dict")
		return v
	}
	if ds.touched {
		r.kill("a dict that was changed is walked")
		return v
	}
	r.dictOrder(d)
	if n >= len(ds.pre) {
		r.kill("iterator of a dict")
		return v
	}
	k := ds.pre[n]
	if d.Is(value.ItabSet) {
		return v
	}
	switch it.Gives() {
	case "values":
		return r.dictItem(d, k, v)
	case "items":
		x := secondOf(v)
		if w := r.dictItem(d, k, x); w != x {
			return value.Tuple(k, w)
		}
	}
	return v
}

func secondOf(v value.Value) value.Value {
	if tup, ok := v.AsTuple(); ok && len(tup) == 2 {
		return value.FromStarlark(tup[1])
	}
	return value.Value{}
}

func (r *recorder) iterEnd(it value.Value) {
	st := r.iter(it)
	if st == nil || st.ended {
		return
	}
	if r.inners[idOf(it)] {
		r.kill("a zip or enumerate of the outside ends")
		return
	}
	st.ended = true
	if !r.born[idOf(it)] {
		s := r.src[idOf(it)]
		r.add(guards.Guard{A: s.Ref(), Test: guards.TestEnd, J: st.n, Dst: -1, Source: s})
		r.writes++
		return
	}
	switch o := it.Starlark().(type) {
	case *value.ListIter:
		r.listLen(o.List)
	case *value.DictIter:
		if d := o.Of; !r.born[idOf(d)] {
			r.dictOrder(d)
		}
	case *value.ReversedIter, *value.TupleIter, *value.StrIter, *value.BytesIter, *value.RangeIter:
	default:
		r.kill("end of an iterator of type %s", value.TypeOf(it).Name)
	}
}
