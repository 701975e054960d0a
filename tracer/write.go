package tracer

import (
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/guards"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// effectKind says what of the outside an effect changes.
type effectKind uint8

const (
	effGlobal   effectKind = iota // global Name of module
	effAttr                       // attribute Name of instance; without value: removed
	effCell                       // content of cell
	effAppend                     // list gets an element
	effListSet                    // element I of list
	effListPop                    // the list's last element goes
	effDictSet                    // key of dict
	effDictDel                    // key of dict goes
	effGrad                       // gradient of tensor
	effGradMode                   // grad mode becomes I
	effPrint                      // text goes to the output
	effRequires                   // tensor wants a gradient, or not: I
	effAdvance                    // iterator goes on by I items, or to its end
)

var effectNames = [...]string{"global", "attribute", "cell", "append", "list item", "list pop", "key", "del key", "grad", "grad mode", "print", "requires grad", "advance"}

// effect is one change of the outside, in order.
type effect struct {
	kind  effectKind
	name  string
	i     int
	ended bool
	gone  bool // the attribute or content is removed

	obj, key, val value.Value // while recording
	target, k, v  *recipe
}

// effect notes a change and returns its number.
func (r *recorder) effect(e effect) int {
	r.writes++
	r.e.effects = append(r.e.effects, e)
	return len(r.e.effects) - 1
}

// over notes what a place of the outside holds now. What the region put there before
// is seen by nobody, and its value is let go: a replay puts None there in between.
func (r *recorder) over(k slotKey, e effect) {
	if i, ok := r.last[k]; ok {
		r.superseded(i)
	}
	r.slots[k] = e.val
	r.last[k] = r.effect(e)
}

// superseded says that the value of effect i is overwritten; -1: of none.
func (r *recorder) superseded(i int) {
	if i >= 0 && !r.e.effects[i].val.IsUnset() {
		r.e.effects[i].val = value.None
	}
}

// touch notes an object of the outside that is written.
func (r *recorder) touch(v value.Value) {
	if !r.touched[idOf(v)] {
		r.touched[idOf(v)] = true
		r.order = append(r.order, idOf(v))
	}
}

// Write implements value.Observer.
func (r *recorder) Write(obj value.Value, step value.Step, key, old, new value.Value) {
	if !r.alive() {
		if hasSymbol(new) {
			r.leak(obj, step, key)
		}
		return
	}
	if r.isBorn(obj) && step != value.StepNative {
		r.own++
		return
	}
	if hasSymbol(new) {
		r.leak(obj, step, key)
	}
	name, _ := key.AsString()
	switch step {
	case value.StepGlobal:
		if r.source(obj) == nil {
			return
		}
		r.touch(obj)
		r.over(slotKey{idOf(obj), name}, effect{kind: effGlobal, obj: obj, name: name, val: new, gone: new.IsUnset()})
		return
	case value.StepAttr:
		if obj.Is(value.ItabInstance) {
			if r.source(obj) == nil {
				return
			}
			r.touch(obj)
			r.over(slotKey{idOf(obj), name}, effect{kind: effAttr, obj: obj, name: name, val: new, gone: new.IsUnset()})
			return
		}
	case value.StepCell:
		if r.source(obj) == nil {
			return
		}
		r.touch(obj)
		r.over(slotKey{idOf(obj), "*"}, effect{kind: effCell, obj: obj, val: new, gone: new.IsUnset()})
		return
	case value.StepItem:
		switch {
		case obj.Is(value.ItabList):
			r.writeList(obj.AsList(), key, new)
			return
		case obj.Is(value.ItabDict):
			r.writeDict(obj, key, new)
			return
		}
	case value.StepNative:
		if name == "grad" {
			if in := obj.AsInstance(); in != nil {
				if t, ok := in.Native.(*eager.Tensor); ok {
					r.writeGrad(obj, t, new)
					return
				}
			}
		}
		if name == "requires_grad" {
			if r.isBorn(obj) {
				return // part of its final state
			}
			if r.source(obj) != nil {
				r.effect(effect{kind: effRequires, obj: obj, i: int(new.N) & 1})
			}
			return
		}
		if name == "grad_mode" {
			r.effect(effect{kind: effGradMode, i: int(new.N)})
			return
		}
	}
	r.kill("write of %s to a %s", step, value.TypeOf(obj).Name)
}

// leak remembers a place of the outside into which a symbol goes.
func (r *recorder) leak(obj value.Value, step value.Step, key value.Value) {
	name, _ := key.AsString()
	switch {
	case step == value.StepGlobal && obj.Is(value.ItabModule):
		m := (*value.Module)(obj.P)
		r.leaks = append(r.leaks, func() {
			if v, ok := m.Get(name); ok && hasSymbol(v) {
				m.Set(name, r.unwrap(v))
			}
		})
	case step == value.StepAttr && obj.Is(value.ItabInstance):
		in := obj.AsInstance()
		r.leaks = append(r.leaks, func() { r.unsymbol(in.Slots) })
	case step == value.StepAttr && obj.Is(value.ItabClass):
		c := obj.AsClass()
		r.leaks = append(r.leaks, func() {
			if v, ok := c.Own(name); ok && hasSymbol(v) {
				c.SetRaw(name, r.unwrap(v))
			}
		})
	case step == value.StepCell:
		c := (*value.Cell)(obj.P)
		r.leaks = append(r.leaks, func() { c.V = r.unwrap(c.V) })
	case obj.Is(value.ItabList):
		l := obj.AsList()
		r.leaks = append(r.leaks, func() { r.unsymbol(l.Elems) })
	case obj.Is(value.ItabDict):
		d := obj.AsDict()
		r.leaks = append(r.leaks, func() {
			if v, ok, _ := d.Lookup(nil, key); ok && hasSymbol(v) {
				d.Set(nil, key, r.unwrap(v))
			}
		})
	}
}

func (r *recorder) writeList(l *value.List, key, new value.Value) {
	st := r.touchList(l)
	if st == nil {
		return
	}
	i := int(key.Int64())
	switch {
	case new.IsUnset():
		if i != len(st.cur)-1 {
			r.kill("a list loses an element that is not its last")
			return
		}
		r.listLen(l)
		r.lose(st, i)
		st.cur = st.cur[:i]
		r.effect(effect{kind: effListPop, obj: l.Value()})
	case i == len(st.cur):
		st.cur = append(st.cur, listSlot{-1, new, r.effect(effect{kind: effAppend, obj: l.Value(), val: new})})
	case i < len(st.cur):
		if i >= len(st.pre) || len(st.cur) < len(st.pre) {
			r.listLen(l) // the index counts from the length before
		} else {
			r.listHas(l, i)
		}
		r.lose(st, i)
		st.cur[i] = listSlot{-1, new, r.effect(effect{kind: effListSet, obj: l.Value(), i: i, val: new})}
	default:
		r.kill("a list is not as it was recorded")
	}
}

// lose lets go of element i of a list that is changed, which is overwritten or
// removed.
func (r *recorder) lose(st *listState, i int) {
	c := &st.cur[i]
	if c.pre < 0 {
		r.superseded(c.effect)
	} else {
		st.pre[c.pre] = value.Value{}
		delete(st.items, c.pre)
	}
	*c = listSlot{pre: -1, effect: -1}
}

// listHas guards that the list has element i.
func (r *recorder) listHas(l *value.List, i int) {
	s := r.src[idOf(l.Value())]
	r.add(guards.Guard{Load: guards.LoadItem, A: s.Ref(), J: i, Test: guards.TestNone, Dst: -1, Source: s})
}

func (r *recorder) writeDict(d, k, new value.Value) {
	id, _, ok := r.key(k)
	if !ok || id == "" {
		r.kill("a key of type %s", value.TypeOf(k).Name)
		return
	}
	st := r.touchDict(d)
	if st == nil {
		return
	}
	if o, ok := st.own[id]; ok {
		r.superseded(o.effect)
	}
	delete(st.reads, id) // own is looked at first
	i := -1
	if new.IsUnset() {
		r.dictHasPre(d, st, k, id)
		r.effect(effect{kind: effDictDel, obj: d, key: k})
	} else {
		i = r.effect(effect{kind: effDictSet, obj: d, key: k, val: new})
	}
	st.own[id] = ownKey{new, i}
}

// dictHasPre guards that a key that is deleted was there, unless the region put
// it there.
func (r *recorder) dictHasPre(d value.Value, st *dictState, k value.Value, id string) {
	if _, ok := st.own[id]; !ok {
		r.dictHas(d, k, true)
	}
}

// Call implements value.Observer: it decides which builtins are recorded through.
func (r *recorder) Call(fn value.Value, args []value.Value, kw []value.Kwarg) error {
	if !r.alive() {
		for i := range args {
			args[i] = r.unwrap(args[i])
		}
		for i := range kw {
			kw[i].Value = r.unwrap(kw[i].Value)
		}
		return nil
	}
	b, ok := value.As[*value.Builtin](fn)
	if !ok {
		r.breakAt(cause{Reason: HostFunction})
		r.clean(args, kw)
		return r.raised()
	}
	if why := r.refuses(b, args, kw); why.Reason != NoReason {
		r.breakAt(why)
		r.clean(args, kw)
		return r.raised()
	}
	if b.Name == "len" && b.Owner == nil && len(args) == 1 {
		if v, ok := r.lenOf(args[0]); ok {
			return &value.Given{Value: v}
		}
	}
	if len(r.symbols) > 0 && len(kw) == 0 {
		if v, ok := r.compute(b, args); ok {
			return &value.Given{Value: v}
		}
	}
	if b.Symbols {
		return nil
	}
	typeOnly := b.Owner == nil && (b.Name == "isinstance" || b.Name == "callable")
	for i := range args {
		if typeOnly {
			args[i] = plain(args[i])
		} else if r.takes(b, i) {
			continue
		} else {
			args[i] = r.burn(args[i])
		}
	}
	for i := range kw {
		kw[i].Value = r.burn(kw[i].Value)
	}
	return nil
}

// raised takes back what a break has thrown, for an instruction that has not been
// carried out yet.
func (r *recorder) raised() error {
	if r.raise != nil {
		r.th.Throw(nil)
	}
	return r.raise
}

// takes reports an argument that the builtin only stores or hands on.
func (r *recorder) takes(b *value.Builtin, i int) bool {
	switch {
	case b.Owner == value.ListClass && b.Name == "append":
		return i == 1
	case b.Owner == nil && (b.Name == "setattr" && i == 2):
		return true
	case b.Owner == value.DictClass && (b.Name == "get" || b.Name == "setdefault" || b.Name == "pop"):
		return i == 2
	}
	return false
}

// clean unwraps arguments after the recording has ended.
func (r *recorder) clean(args []value.Value, kw []value.Kwarg) {
	for i := range args {
		args[i] = r.unwrap(args[i])
	}
	for i := range kw {
		kw[i].Value = r.unwrap(kw[i].Value)
	}
}

// unrecorded are builtins that depend on nothing but their arguments and still
// break a recording: they write text, or make objects that nobody is told of.
var unrecorded = map[string]bool{"id": true, "vars": true, "dir": true, "input": true, "open": true, "hash": true, "__import__": true, "locals": true, "globals": true}

// refuses says why a builtin is not recorded through.
func (r *recorder) refuses(b *value.Builtin, args []value.Value, kw []value.Kwarg) cause {
	if b.Owner == nil && b.Name == "graph_break" {
		return cause{Reason: Asked}
	}
	if !b.Pure && !b.Told {
		return cause{Builtin, nameOf(b)}
	}
	if b.Owner == nil && unrecorded[b.Name] {
		return cause{Builtin, b.Name}
	}
	for _, k := range kw {
		if k.Name == "out" {
			return cause{Reason: OutArgument}
		}
	}
	for _, a := range args {
		if isGenerator(a) && !r.born[idOf(a)] {
			return cause{Reason: Generator}
		}
	}
	if (b.Name == "setattr" && b.Owner == nil || b.Name == "__setattr__" || b.Name == "__delattr__") && len(args) > 1 {
		if name, _ := plain(args[1]).AsString(); name == "__class__" || name == "__dict__" {
			return cause{Reason: ClassChange}
		}
	}
	return cause{}
}

func nameOf(b *value.Builtin) string {
	if b.Owner != nil {
		return b.Owner.Name + "." + b.Name
	}
	return b.Name
}
