package tracer

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// The two halves of the joint graph, and what a replay makes of them: nodes of the tape.

// joint makes the forward graph of an entry from one with the backward in it,
// whose outputs are the exit's, then the gradients, and whose last inputs are the
// tangents.
func (r *recorder) joint(g *graph.Graph, forward int, loose map[*graph.Value]bool) *graph.Graph {
	lt := r.e.tape
	j := &graph.Joint{G: g, Forward: forward, Outs: len(g.Outputs) - len(r.grads), Loose: loose}
	for i := range r.grads {
		j.Grads = append(j.Grads, j.Outs+i)
	}
	p := j.Cut()
	lt.back, lt.saved = p.Backward, p.Saved
	// A part fills in zeros for what does not come, when no guard can be taken any more:
	// that no length is negative is to be known by then.
	for _, v := range lt.back.Inputs {
		v.Len.Lt(sym.C(0))
	}
	for _, n := range lt.back.Nodes {
		for _, v := range n.Out {
			v.Len.Lt(sym.C(0))
		}
	}
	for _, l := range lt.levels {
		for k := range l.tans {
			if l.tans[k] >= 0 {
				l.tans[k] += len(p.Saved)
			}
		}
	}
	for _, v := range r.lates {
		lt.late = append(lt.late, v.late)
	}
	r.tr.dump("joint", r.reg.Name(), func() string { return jointText(g, p) })
	return p.Forward
}

func jointText(g *graph.Graph, p *graph.Partition) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- joint --\n%s-- forward half, %d values saved, %d bytes beside the inputs --\n%s-- backward half --\n%s", g, len(p.Saved), p.Bytes, p.Forward, p.Backward)
	return b.String()
}

// part is the code of a level for a choice of gradients.
func (lt *liveTape) part(l *tapeLevel, come, wanted []bool) (p *tapePart, err error) {
	key := fmt.Sprint(come, wanted)
	lt.mu.Lock()
	defer lt.mu.Unlock()
	if p := l.parts[key]; p != nil {
		return p, nil
	}
	p = &tapePart{}
	dead := map[int]bool{}
	var tans []int
	for i, c := range come {
		if l.tans[i] < 0 {
			continue
		}
		tans = append(tans, l.tans[i])
		if !c {
			dead[l.tans[i]] = true
		}
	}
	var want, ends []int
	for i, g := range l.grads {
		if g >= 0 && wanted[i] {
			want, ends = append(want, g), append(ends, i)
		}
	}
	if len(want) > 0 {
		g, used, given := lt.back.Part(want, tans, dead)
		for i, ok := range given {
			if ok {
				p.ends = append(p.ends, ends[i])
			}
		}
		p.used = used
		if len(p.ends) > 0 {
			if p.exe, err = lt.compiler.Compile(context.Background(), g); err != nil {
				return nil, err
			}
		}
	}
	l.parts[key] = p
	return p, nil
}

// prepare makes the code that is sure to be wanted: of levels with one tensor.
func (lt *liveTape) prepare() error {
	for _, l := range lt.levels {
		if len(l.outs) != 1 || l.tans[0] < 0 || lt.back == nil {
			continue
		}
		want := make([]bool, len(l.ends))
		for i := range want {
			want[i] = true
		}
		if _, err := lt.part(l, []bool{true}, want); err != nil {
			return err
		}
	}
	return nil
}

// lasting reports a gradient that runs through no node that saves anything: no
// pass releases it, and a constant of its gradient may be among what the cut saves.
func (lt *liveTape) lasting() bool {
	return slices.ContainsFunc(lt.levels, func(l *tapeLevel) bool { return l.lasts })
}

// held is what a replay has for the backward half.
type held struct {
	saved, late []tensor.Buffer
	args        *graph.RunArgs
}

// hold makes the tape of a replay: the fronts of all outputs.
func (m *maker) hold() {
	lt := m.e.tape
	k := &held{args: m.args, saved: make([]tensor.Buffer, len(lt.saved)), late: make([]tensor.Buffer, len(lt.late))}
	for i, s := range lt.saved {
		if s.Input >= 0 {
			k.saved[i] = m.args.In[s.Input]
		} else {
			k.saved[i] = m.args.Out[s.Output]
		}
	}
	for i, st := range lt.late {
		if st.owner != nil {
			k.late[i] = tensorOf(st.owner.Ref().Get(m.vals)).Store.Buf
		} else {
			k.late[i] = m.bufs[st.cur]
		}
	}
	drop := func() { *k = held{args: k.args} }
	if lt.lasting() {
		drop = func() {}
	}
	m.whole = m.x.NewWhole(lt.saves, lt.ranks, drop)
	for _, i := range lt.spent {
		m.whole.Spent(i)
	}
	m.fronts = make([]*eager.Node, len(lt.outs))
	was := m.remake(lt)
	for _, l := range lt.levels {
		next := make([]eager.Edge, len(l.ends))
		for i, e := range l.ends {
			if e.out >= 0 {
				next[i] = eager.Edge{Node: m.fronts[e.out]}
				continue
			}
			t := m.get(e.to).AsInstance().Native.(*eager.Tensor)
			if old, ok := was[t]; ok && !e.new {
				next[i] = old
			} else {
				next[i] = edgeOf(t.Edge())
			}
		}
		run := func(x *eager.Context, grad []*eager.Tensor, want []bool) ([]*eager.Tensor, error) {
			return lt.run(x, l, k, next, grad, want)
		}
		for i, f := range m.x.NewHalf(m.whole, l.half, run, next) {
			m.fronts[l.outs[i]] = f
		}
	}
}

// settle gives outside tensors their new histories, and takes the versions of what
// is saved: all has been written.
func (m *maker) settle() {
	for _, v := range m.views {
		if v.stale {
			v.t.Outdate()
		} else {
			v.t.Refresh()
		}
	}
	if m.whole == nil {
		return
	}
	lt := m.e.tape
	for _, h := range lt.hung {
		t := m.get(h.t).AsInstance().Native.(*eager.Tensor)
		t.Behind(m.fronts[h.out])
		t.Refresh()
	}
	for _, l := range lt.levels {
		for _, e := range l.ends {
			if e.new && !e.stale {
				m.get(e.to).AsInstance().Native.(*eager.Tensor).Refresh()
			}
		}
	}
	native := func(r *recipe) *eager.Tensor { return m.get(r).AsInstance().Native.(*eager.Tensor) }
	for i := range lt.checks {
		c := &lt.checks[i]
		geom := c.geom
		if c.meta != nil {
			geom = m.geometry(c.meta)
		}
		var w, of *eager.Tensor
		switch s := m.made[c.st]; {
		case c.t != nil:
			t := native(c.t)
			if c.meta == nil {
				geom.Off += t.Off - c.from
			}
			w = t.Window(geom)
		case s != nil:
			w = eager.New(s, geom)
		case c.since != 0: // written to in the region, and out of reach
			s = tensor.NewStorage(tensor.HostBuffer(nil))
			for range c.st.times {
				s.Wrote()
			}
			w = eager.New(s, geom)
		default:
			continue // nobody can reach it
		}
		switch {
		case c.of != nil:
			of = native(c.of)
		case c.stand != nil:
			var base *eager.Tensor
			if c.base != nil {
				base = native(c.base)
			}
			of = c.stand.Stand(w.Store, geom, base, c.own, c.ownOut)
			if c.stale {
				of.Outdate()
			}
		}
		m.whole.Check(c.node, w, of, c.name, c.out, c.since)
	}
	m.whole.Begin()
}

// run computes the gradients of a level's ends.
func (lt *liveTape) run(x *eager.Context, l *tapeLevel, held *held, next []eager.Edge, grad []*eager.Tensor, want []bool) ([]*eager.Tensor, error) {
	come := make([]bool, len(grad))
	for i, g := range grad {
		come[i] = g != nil
	}
	p, err := lt.part(l, come, want)
	if err != nil {
		return nil, err
	}
	out := make([]*eager.Tensor, len(next))
	if len(p.ends) == 0 {
		return out, nil
	}
	a := &graph.RunArgs{Bind: held.args.Bind, Nums: held.args.Nums, State: held.args.State}
	keep := make([]*eager.Tensor, 0, len(grad))
	late := len(lt.back.Inputs) - len(lt.late)
	for _, k := range p.used {
		switch {
		case k < len(held.saved):
			a.In = append(a.In, held.saved[k])
			continue
		case k >= late:
			a.In = append(a.In, held.late[k-late])
			continue
		}
		g := grad[slices.Index(l.tans, k)]
		if !g.IsContiguous() || g.Off != 0 {
			if g, err = x.Op("_contiguous", g); err != nil {
				return nil, err
			}
		}
		keep = append(keep, g)
		a.In = append(a.In, g.Store.Buf)
	}
	for _, i := range p.ends {
		t, err := next[i].Fresh(x)
		if err != nil {
			return nil, err
		}
		out[i] = t
		a.Out = append(a.Out, t.Store.Buf)
	}
	ctx := x.Ctx
	if ctx == nil {
		ctx = context.Background()
	}
	err = p.exe.Run(ctx, a)
	runtime.KeepAlive(keep)
	return out, err
}
