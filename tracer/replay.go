package tracer

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/guards"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
)

// world is what guards look at, for a region whose base frame is number base.
type world struct {
	ts   *thread
	x    *eager.Context
	base int
	regs [][]value.Value // of the frames from the base on
	fns  []value.Value
}

// world is what look-ups see from the base frame of a region of n frames.
func (ts *thread) world(base, n int) *world {
	w := &ts.w
	w.ts, w.x, w.base = ts, ts.tr.opts.Context(&ts.th.Thread), base
	w.regs, w.fns = w.regs[:0], w.fns[:0]
	for i := range n {
		regs, fn := ts.th.Window(base + i)
		w.regs, w.fns = append(w.regs, regs), append(w.fns, fn.Value())
	}
	return w
}

func (w *world) Reg(i, j int) value.Value { return w.regs[i][j] }
func (w *world) Fn(i int) value.Value     { return w.fns[i] }

func (w *world) SameModes(m any) bool { return modesOf(w.x) == m.(modes) }

func function(v value.Value) *vm.Function {
	if v.Is(vm.ItabFunction) {
		return (*vm.Function)(v.P)
	}
	return nil
}

func (w *world) Code(v value.Value) any {
	if f := function(v); f != nil {
		return f.Linked()
	}
	return nil
}

func (w *world) SameState(v value.Value, state any) bool {
	f := function(v)
	return f != nil && f.State() == state.(vm.FunctionState)
}

// Watch implements guards.Frames.
func (w *world) Watch(v value.Value) (at **value.Watch, ok bool) {
	if f := function(v); f != nil {
		return f.Watch(), true
	}
	if t := tensorOf(v); t != nil && t.Steady() {
		return watchOf(t), true
	}
	return nil, false
}

// watchOf is the watch of a tensor's metadata.
func watchOf(t *eager.Tensor) **value.Watch {
	w, ok := t.Watch.(*value.Watch)
	if !ok {
		w = guards.NewWatch()
		t.Watch = w
	}
	return &w
}

func (w *world) Bare(v value.Value) bool {
	f := function(v)
	return f != nil && f.Bare()
}

func (w *world) Cell(v value.Value, i int) value.Value {
	if f := function(v); f != nil && i < len(f.Cells()) {
		return f.Cells()[i].Value()
	}
	return value.Value{}
}

func (w *world) Default(v value.Value, i int) value.Value {
	if f := function(v); f != nil && i < len(f.Defaults()) {
		return f.Defaults()[i]
	}
	return value.Value{}
}

func tensorOf(v value.Value) *eager.Tensor {
	if in := v.AsInstance(); in != nil {
		t, _ := in.Native.(*eager.Tensor)
		return t
	}
	return nil
}

func (w *world) Matches(v value.Value, m any) bool {
	t := tensorOf(v)
	return t != nil && m.(*meta).holds(t)
}

func (w *world) Size(v value.Value, d int) (n int64, ok bool) {
	t := tensorOf(v)
	switch {
	case t == nil || d >= len(t.Size):
		return 0, false
	case d < 0:
		return int64(t.Store.Buf.Len() / t.DType.Size()), true
	}
	return t.Size[d], true
}

func (w *world) Grad(v value.Value) value.Value {
	t := tensorOf(v)
	switch {
	case t == nil:
		return value.Value{}
	case t.Grad() == nil:
		return value.None
	}
	return w.ts.tr.opts.Wrap(t.Grad())
}

func (w *world) SameStorage(a, b value.Value, apart int64) bool {
	x, y := tensorOf(a), tensorOf(b)
	return x != nil && y != nil && x.Store == y.Store && y.Off-x.Off == apart
}

func (w *world) Apart(a, b value.Value) bool {
	x, y := tensorOf(a), tensorOf(b)
	return x != nil && y != nil && !eager.SameMemory(x.Store, y.Store)
}

// replay looks for an entry of the region whose guards hold and carries it out.
func (ts *thread) replay(reg *Region, base int) *Entry {
	if reg.tree.Load() == nil {
		return nil
	}
	w := ts.world(base, len(reg.chain))
	e, st := ts.find(reg, w)
	if e == nil {
		return nil
	}
	if e.tape != nil && e.tape.back != nil && (e.tape.mark.Twice.Load() || reg.mark == nil && ts.tr.twice.Load()) {
		e.leave(st)
		reg.dead.Store(true)
		reg.mu.Lock()
		reg.Reason = "its gradients are differentiated again"
		reg.drop(e)
		reg.mu.Unlock()
		reg.index()
		return nil
	}
	done := ts.apply(e, w, st)
	e.leave(st)
	if !done {
		if w.x.Ctx != nil && w.x.Ctx.Err() != nil {
			return nil // it is not the recording's fault
		}
		ts.tr.count(func(s *Stats) { s.Failures++ })
		if e.fails.Add(1) > 3 {
			reg.mu.Lock()
			reg.drop(e)
			reg.mu.Unlock()
			reg.index()
		}
		return nil
	}
	e.hits.Add(1)
	e.used.Store(reg.clock.Add(1))
	ts.tr.replays.Add(1)
	if e.tape != nil {
		ts.tr.tapes.Add(1)
	}
	return e
}

// apply runs the graph and then changes what the recording changed. False: nothing
// has been changed.
func (ts *thread) apply(e *Entry, w *world, st *runState) bool {
	th, vals := ts.th, st.vals
	if !th.Room(len(e.frames)) {
		return false
	}
	m := st.maker(ts, e, w)
	states, ok := ts.run(e, w, vals, m)
	if !ok {
		return false
	}
	// New objects first, all from the state before.
	for i := range e.effects { // the tape has edges to those that want a gradient only now
		if f := &e.effects[i]; f.kind == effRequires && f.i != 0 {
			ts.carryOut(f, m.get(f.target), value.Value{}, value.Value{}, w.x)
		}
	}
	if e.tape != nil {
		m.hold()
	}
	todo := st.todo[:0] // effects' targets, keys and values, then frames' functions and registers
	get := func(r *recipe) {
		var v value.Value
		if r != nil {
			v = m.get(r)
		}
		todo = append(todo, v)
	}
	for i := range e.effects {
		f := &e.effects[i]
		get(f.target)
		get(f.k)
		get(f.v)
	}
	for i := range e.frames {
		f := &e.frames[i]
		get(f.fn)
		for _, r := range f.vals {
			get(r)
		}
	}
	st.todo = todo
	for i := range e.effects {
		ts.carryOut(&e.effects[i], todo[3*i], todo[3*i+1], todo[3*i+2], w.x)
	}
	todo = todo[3*len(e.effects):]
	th.DropTo(w.base)
	for i := range e.frames {
		f := &e.frames[i]
		var regs []value.Value
		if i == 0 {
			regs, _ = th.Window(w.base)
			th.Jump(f.pc)
		} else {
			var err error
			if regs, err = th.PushPlain(function(todo[0]), f.pc, f.kind); err != nil {
				panic("BUG: " + err.Error())
			}
		}
		for j, reg := range f.regs {
			regs[reg] = todo[1+j]
		}
		todo = todo[1+len(f.regs):]
	}
	for _, wb := range e.writes {
		t := tensorOf(wb.owner.Get(vals))
		if b := m.bufs[wb.v]; !wb.place || !sameMemory(t.Store.Buf, b) {
			if err := w.x.CopyBuffer(t.Store.Buf, b); err != nil {
				panic("BUG: a write-back failed: " + err.Error())
			}
		}
		for range wb.times {
			t.Store.Wrote()
		}
	}
	th.Handling = nil
	if e.handling != nil {
		th.Handling = value.RaisedOf(m.get(e.handling))
	}
	m.settle()
	for i, g := range e.states {
		copy(ts.generator(g, w.x, e.dev).State.Bytes(), states[i].Bytes())
	}
	return true
}

func (ts *thread) generator(g *tensor.Generator, x *eager.Context, d tensor.Device) *tensor.Generator {
	if g != nil {
		return g
	}
	return x.Generator(d)
}

// run runs the graph into new memory and returns the generators' next states.
func (ts *thread) run(e *Entry, w *world, vals []value.Value, m *maker) ([]tensor.Buffer, bool) {
	for _, b := range e.binds {
		if b.expr == nil {
			m.bind = append(m.bind, tensorOf(b.tensor.Get(vals)).Off)
			continue
		}
		v, ok := b.expr.Eval(&ts.th.Thread, vals)
		if !ok || !v.IsInt() {
			return nil, false
		}
		m.bind = append(m.bind, v.Int64())
	}
	if e.exe == nil && e.tape == nil {
		return nil, true
	}
	a := m.args
	a.Nums, a.Bind = e.nums, m.bind
	if len(e.slots) > 0 {
		a.Nums = append(m.nums[:0], e.nums...)
		m.nums = a.Nums
		for _, s := range e.slots {
			if v := vals[s.kept]; v.IsFloat() {
				a.Nums[s.slot].F = v.Float64()
			} else {
				a.Nums[s.slot].I = v.Int64()
			}
		}
	}
	for _, in := range e.inputs {
		a.In = append(a.In, tensorOf(in.Get(vals)).Store.Buf)
	}
	alloc, err := w.x.Alloc(e.dev)
	if err != nil {
		return nil, false
	}
	for _, v := range e.outs {
		n, ok := v.len.Eval(a.Bind)
		if !ok {
			return nil, false
		}
		b := e.placed(v, vals)
		if b != nil && b.Len() == int(n)*v.dtype.Size() {
			a.InPlace = true
		} else if b, err = alloc.Alloc(int(n) * v.dtype.Size()); err != nil {
			return nil, false
		}
		m.bufs[v] = b
		a.Out = append(a.Out, b)
	}
	for _, v := range e.extra {
		n, ok := v.Len.Eval(a.Bind)
		if !ok {
			return nil, false
		}
		b, err := alloc.Alloc(int(n) * v.DType.Size())
		if err != nil {
			return nil, false
		}
		a.Out = append(a.Out, b)
	}
	for _, g := range e.states {
		s := ts.generator(g, w.x, e.dev).State.Bytes()
		a.State = append(a.State, tensor.HostBuffer(append([]byte(nil), s...)))
	}
	ctx := w.x.Ctx
	if ctx == nil {
		ctx = context.Background()
	}
	if e.exe == nil {
		return nil, true // views only
	}
	err = e.exe.Run(ctx, a)
	runtime.KeepAlive(vals) // the inputs
	runtime.KeepAlive(m)
	if err != nil {
		if ctx.Err() == nil {
			ts.tr.dump("trace", e.reg.Name(), func() string { return fmt.Sprintf("%s: kernel failed: %s\n", e.reg, err) })
			if strings.HasPrefix(err.Error(), "BUG") { // ours, not the data's: no other recording will do better
				ts.tr.warn("kernel", fmt.Sprintf("larkspur: a kernel of %s failed, it is interpreted: %s", e.reg, err))
				e.reg.failed(err.Error(), false)
				e.reg.dead.Store(true)
			}
		}
		return nil, false
	}
	return a.State, true
}

// placed is the memory of the outside in which the graph may compute v, nil if there
// is none.
func (e *Entry) placed(v *val, vals []value.Value) tensor.Buffer {
	for i := range e.writes {
		if w := &e.writes[i]; w.place && w.v == v {
			return tensorOf(w.owner.Get(vals)).Store.Buf
		}
	}
	return nil
}

func sameMemory(a, b tensor.Buffer) bool {
	return a.Len() == b.Len() && unsafe.SliceData(a.Bytes()) == unsafe.SliceData(b.Bytes())
}

// carryOut makes one change of the outside.
func (ts *thread) carryOut(f *effect, target, key, v value.Value, x *eager.Context) {
	t := &ts.th.Thread
	switch f.kind {
	case effGlobal:
		(*value.Module)(target.P).Set(f.name, v)
	case effAttr:
		if f.gone {
			target.AsInstance().Delete(f.name)
		} else {
			target.AsInstance().Set(f.name, v)
		}
	case effCell:
		(*value.Cell)(target.P).Put(v)
	case effAppend:
		target.AsList().Append(t, v)
	case effListSet:
		target.AsList().SetElem(t, f.i, v)
	case effListPop:
		l := target.AsList()
		n := len(l.Elems) - 1
		l.Elems[n] = value.Value{}
		l.Elems = l.Elems[:n]
		l.Watch.Fire(value.WatchShape)
	case effDictSet:
		target.AsDict().Set(t, key, v)
	case effDictDel:
		target.AsDict().Delete(t, key)
	case effGrad:
		if err := tensorOf(target).SetGrad(tensorOf(v)); err != nil {
			panic("BUG: a gradient that does not fit: " + err.Error())
		}
	case effGradMode:
		x.GradMode = f.i != 0
	case effPrint:
		s, _ := v.AsString()
		t.WriteOut(s)
	case effRequires:
		if err := tensorOf(target).SetRequiresGrad(f.i != 0); err != nil {
			panic("BUG: " + err.Error())
		}
	case effAdvance:
		advance(target, f.i, f.ended)
	}
}

// advance moves an iterator on.
func advance(it value.Value, n int, ended bool) {
	switch o := it.Starlark().(type) {
	case *value.ListIter:
		o.Pos += n
		if ended {
			o.Pos = -1
		}
	case *value.TupleIter:
		o.Pos += n
	case *value.RangeIter:
		o.Pos += n
	case *value.Enumerate:
		o.N += int64(n)
	}
}
