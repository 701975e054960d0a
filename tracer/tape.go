package tracer

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/tensor"
)

// A tape that is alive in the exit.
//
// The tape itself says where gradients go: detach, no_grad, writes in place and
// custom rules have left their marks on it. So the backward graph is not derived
// from the forward graph; the pass is run once, without computing anything, while the
// recorder still listens, from the tensors of the exit to where the tape leaves the
// region. What is recorded then is one joint graph, which a minimum cut divides.
//
// Tensors of the exit lie on each other's tapes: a loss that is returned with the
// logits it was computed from. The pass from each stops at the others, so that at a
// replay a gradient passes through every tensor that the program has in hand.
// Tensors of which none lies on another's tape share a level, and a level is one
// node.

// liveTape is the tape of an entry's exit.
type liveTape struct {
	outs   []*tapeOut
	levels []*tapeLevel // gradients flow from higher to lower ones
	checks []tapeCheck
	bits   int  // nodes of the recorded tape that keep tensors
	spent  bool // and one more, for all that have been released
	mark   *eager.Mark
	hung   []hanging

	back     *graph.Graph // all levels; inputs: what is saved, then the tangents
	saved    []graph.Saved
	compiler graph.Compiler
	mu       sync.Mutex
}

// tapeOut is a tensor of the exit.
type tapeOut struct {
	t     *eager.Tensor // while recording, as edge and ends
	edge  eager.Edge
	name  string
	reach []int
	ends  []eager.Edge
	level int // 1 and up
	spent bool
	at    int // among its level's
}

// tapeLevel is one node of a replay.
type tapeLevel struct {
	spent bool // of one output whose tape has been released
	outs  []int
	ends  []tapeEnd
	grads []int // by end: output of the backward graph; -1: no gradient reaches it
	half  *eager.Half
	parts map[string]*tapePart // by which gradients come
	tans  []int                // inputs of the backward graph: tangents of outs
}

// tapeEnd is where a level's gradients go: to another output, or to a tensor.
type tapeEnd struct {
	out int // -1: to
	to  *recipe
}

// tapeCheck is a saved tensor that the program can reach.
type tapeCheck struct {
	node int
	t    *recipe // a tensor that has the storage; nil: own
	own  *storage
	geom tensor.Geometry
	of   *recipe
	name string
	out  int
}

// hanging is a tensor of the outside whose history ends in the region.
type hanging struct {
	t   *recipe
	out int
}

// tapePart is the code for one choice of gradients.
type tapePart struct {
	exe  graph.Executable
	used []int
	ends []int // of the level, in order of the code's outputs
}

// onTape notes a tensor of the exit that is on the tape.
func (r *recorder) onTape(t *eager.Tensor) {
	for _, o := range r.taped {
		if o == t {
			return
		}
	}
	r.taped = append(r.taped, t)
}

// tapes records the backward pass of the tensors of the exit.
func (r *recorder) tapes() {
	for _, t := range r.hung {
		if n := t.Hangs().Node; n != nil && n.Newer(r.seq) {
			r.onTape(t)
		}
	}
	if len(r.taped) == 0 || r.why != "" {
		return
	}
	lt := &liveTape{mark: r.x.Mark, compiler: r.tr.opts.Compiler}
	index := map[eager.Edge]int{}
	alive := len(r.taped) > 1 || len(r.hung) > 0
	for _, t := range r.taped {
		e := t.Hangs()
		if _, ok := index[e]; ok {
			r.kill("two tensors of one place on the tape in the exit")
			return
		}
		if m := r.memo[r.tr.opts.Wrap(t)]; m != nil && m.t != nil && m.t.form.Alive != "" {
			alive = true
		}
		index[e] = len(lt.outs)
		lt.outs = append(lt.outs, &tapeOut{t: t, edge: e, name: e.Node.Name})
	}
	if !alive {
		return // made again as it is: it holds nothing
	}
	if r.reg.mark == nil && r.tr.twice.Load() {
		r.kill("a tape in the exit whose gradients the program may differentiate again")
		return
	}
	if r.plainSizes("sizes of a tape that is alive in the exit"); r.why != "" {
		return
	}
	cut := func(e eager.Edge) bool {
		_, out := index[e]
		return out || !e.Node.Newer(r.seq)
	}
	bit := map[*eager.Node]int{}
	stable := map[*val]bool{}
	for _, o := range lt.outs {
		reach, why := eager.ReachOf(o.edge, cut)
		if why != "" {
			r.kill("the tape of a tensor in the exit cannot be made anew: %s", why)
			return
		}
		o.ends = reach.Ends
		if reach.Released {
			o.spent, lt.spent = true, true
			continue
		}
		for _, n := range reach.Saves {
			i, ok := bit[n]
			if !ok {
				i = len(bit)
				bit[n] = i
				r.checks(lt, i, n, stable)
			}
			o.reach = append(o.reach, i)
		}
		sort.Ints(o.reach)
	}
	lt.bits = len(bit)
	if lt.spent {
		lt.bits++
		for _, o := range lt.outs {
			if o.spent {
				o.reach = []int{lt.bits - 1}
			}
		}
	}
	top := 0
	for _, o := range lt.outs {
		top = max(top, o.depth(lt, index))
	}
	r.tapeFrom, r.valFrom = len(r.nodes), r.values
	r.dry(func() {
		for l := 1; l <= top && r.why == ""; l++ {
			r.spentAt(lt, l, index)
			r.pull(lt, l, index)
		}
	})
	for _, t := range r.hung {
		if i, ok := index[t.Hangs()]; ok {
			lt.hung = append(lt.hung, hanging{r.recipe(r.tr.opts.Wrap(t)), i})
		}
	}
	for _, t := range r.taped {
		if m := r.memo[r.tr.opts.Wrap(t)]; m != nil && m.t != nil {
			m.t.front = index[t.Hangs()] + 1
			m.t.form = m.t.form.OffTape()
			m.t.leaves = nil
		}
	}
	for _, o := range lt.outs { // no replay needs them
		o.t, o.edge, o.ends = nil, eager.Edge{}, nil
	}
	r.stable = stable
	r.e.tape = lt
}

// dry runs f, which records a backward pass that the program has not asked for.
func (r *recorder) dry(f func()) {
	r.pulling, r.x.Dry = true, true
	defer func() { r.pulling, r.x.Dry = false, false }()
	f()
}

// depth is an output's level: one above the highest that its gradient reaches.
func (o *tapeOut) depth(lt *liveTape, index map[eager.Edge]int) int {
	if o.level == 0 {
		l := 1
		for _, e := range o.ends {
			if i, ok := index[e]; ok {
				l = max(l, 1+lt.outs[i].depth(lt, index))
			}
		}
		o.level = l
	}
	return o.level
}

// checks notes what a node of the tape keeps that the program can reach.
func (r *recorder) checks(lt *liveTape, bit int, n *eager.Node, stable map[*val]bool) {
	n.EachSaved(func(w *tensor.Tensor, of *eager.Tensor, e eager.Edge, same bool) {
		st := r.memory(w.Store)
		if st == nil {
			r.kill("the tape keeps a tensor of unknown origin")
			return
		}
		if !same {
			r.kill("the tape keeps a tensor that has been written to")
			return
		}
		stable[st.cur] = true
		c := tapeCheck{node: bit, own: st, geom: w.Geometry}
		if st.owner != nil {
			c.t = st.outside()
		}
		if of != nil && of.Store == w.Store {
			obj := r.tr.opts.Wrap(of)
			if r.src[idOf(obj)] != nil || r.memo[obj] != nil {
				c.of = r.recipe(obj)
			}
		}
		if e.Node != nil && e.Node.Variable() == nil {
			c.name, c.out = e.Node.FullName(), e.Out
		}
		lt.checks = append(lt.checks, c)
	})
}

// spentAt makes the nodes of a level's outputs that have been released. Each has one of
// its own: a pass fails at it only on the way to what its own gradient reaches.
func (r *recorder) spentAt(lt *liveTape, level int, index map[eager.Edge]int) {
	for i, o := range lt.outs {
		if !o.spent || o.level != level {
			continue
		}
		l := &tapeLevel{half: &eager.Half{Mark: lt.mark, Names: []string{o.name}, Reach: [][]int{o.reach}}, outs: []int{i}, spent: true}
		r.leave(l, o.ends, index)
		lt.levels = append(lt.levels, l)
	}
}

// leave notes where the gradients of a level go.
func (r *recorder) leave(l *tapeLevel, ends []eager.Edge, index map[eager.Edge]int) {
	for _, e := range ends {
		end := tapeEnd{out: -1}
		if i, ok := index[e]; ok {
			end.out = i
		} else if t := r.tensorAt(e); t != nil {
			end.to = r.recipe(r.tr.opts.Wrap(t))
		} else {
			r.kill("a gradient leaves the region where no tensor is known")
			return
		}
		l.ends = append(l.ends, end)
	}
}

// pull runs the backward pass of a level and records it.
func (r *recorder) pull(lt *liveTape, level int, index map[eager.Edge]int) {
	l := &tapeLevel{half: &eager.Half{Mark: lt.mark}, parts: map[string]*tapePart{}}
	var roots, ends []eager.Edge
	var tans []*eager.Tensor
	seen := map[eager.Edge]bool{}
	for i, o := range lt.outs {
		if o.spent || o.level != level {
			continue
		}
		o.at = len(l.outs)
		l.outs = append(l.outs, i)
		l.half.Names = append(l.half.Names, o.name)
		l.half.Reach = append(l.half.Reach, o.reach)
		roots = append(roots, o.edge)
		t := r.tangent(o.t)
		if t == nil {
			return
		}
		tans = append(tans, t)
		for _, e := range o.ends {
			if !seen[e] {
				seen[e] = true
				ends = append(ends, e)
			}
		}
	}
	if r.leave(l, ends, index); r.why != "" || len(roots) == 0 {
		return
	}
	grads, err := r.x.Pull(roots, tans, ends)
	if err != nil {
		r.kill("the backward pass of the exit fails: %s", err)
		return
	}
	if r.why != "" {
		return
	}
	taken := map[*tensor.Storage]bool{}
	for _, t := range tans {
		taken[t.Store] = true
	}
	for _, g := range grads {
		if g == nil {
			l.grads = append(l.grads, -1)
			continue
		}
		st := r.memory(g.Store)
		if st == nil || st.cur.node == nil || st.cur.id < r.valFrom || taken[g.Store] || !g.IsContiguous() || !covers(st.meta(g), st.cur.len) {
			if g, err = r.ownCopy(g); err != nil {
				r.kill("%s", err)
				return
			}
			st = r.memory(g.Store)
		}
		if r.why != "" {
			return
		}
		taken[g.Store] = true
		l.grads = append(l.grads, len(r.grads))
		r.grads = append(r.grads, st.cur)
	}
	lt.levels = append(lt.levels, l)
}

// own is a row-major copy.
func (r *recorder) ownCopy(t *eager.Tensor) (*eager.Tensor, error) {
	mode := r.x.GradMode
	r.x.GradMode = false
	defer func() { r.x.GradMode = mode }()
	return r.x.Op("_contiguous", t)
}

// tangent makes the gradient of an output: a new input of the graph. It is
// recorded as a copy of the output, which is then taken out, so that it has the size that the recorder
// knows.
func (r *recorder) tangent(t *eager.Tensor) *eager.Tensor {
	g, err := r.ownCopy(t)
	if err != nil {
		r.kill("%s", err)
		return nil
	}
	st := r.memory(g.Store)
	if r.why != "" || st == nil || st.cur.node == nil || st.cur.node != r.nodes[len(r.nodes)-1] {
		r.kill("BUG: a tangent that is not a copy")
		return nil
	}
	r.nodes = r.nodes[:len(r.nodes)-1]
	st.cur.node = nil
	r.tangents = append(r.tangents, st.cur)
	return g
}

// tensorAt finds the tensor whose gradient goes to an edge that leaves the region.
func (r *recorder) tensorAt(e eager.Edge) *eager.Tensor {
	if t := e.Node.Variable(); t != nil {
		return t
	}
	if t := r.was[e]; t != nil {
		return t
	}
	for _, o := range r.objects {
		if t := tensorOf(o.value()); t != nil {
			if t.Hangs() == e {
				return t
			}
		}
	}
	return nil
}

// rehang notes a tensor of the outside whose history is about to change.
func (r *recorder) rehang(t *eager.Tensor) {
	obj := r.tr.opts.Wrap(t)
	if r.src[idOf(obj)] == nil { // the base of a view, perhaps held by a variable that nothing has read
		for i := range min(r.low+1, len(r.deferred)) {
			r.readAll(i)
		}
	}
	if r.source(obj) == nil {
		return
	}
	for _, h := range r.hung {
		if h == t {
			return
		}
	}
	if e := t.Hangs(); e.Node != nil {
		r.was[e] = t
	}
	r.hung = append(r.hung, t)
}

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
	at := len(p.Saved)
	for _, l := range lt.levels {
		if l.parts == nil {
			continue
		}
		for range l.outs {
			l.tans = append(l.tans, at)
			at++
		}
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
func (lt *liveTape) part(l *tapeLevel, come []bool) (p *tapePart, err error) {
	key := fmt.Sprint(come)
	lt.mu.Lock()
	defer lt.mu.Unlock()
	if p := l.parts[key]; p != nil {
		return p, nil
	}
	p = &tapePart{}
	dead := map[int]bool{}
	for i, c := range come {
		if !c {
			dead[l.tans[i]] = true
		}
	}
	var want, ends []int
	for i, g := range l.grads {
		if g >= 0 {
			want, ends = append(want, g), append(ends, i)
		}
	}
	g, used, given := lt.back.Part(want, l.tans, dead)
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
	l.parts[key] = p
	return p, nil
}

// prepare makes the code that is sure to be wanted: of levels with one tensor.
func (lt *liveTape) prepare() error {
	for _, l := range lt.levels {
		if len(l.outs) == 1 && l.parts != nil {
			if _, err := lt.part(l, []bool{true}); err != nil {
				return err
			}
		}
	}
	return nil
}

// lasting reports an output whose gradient runs through no node that saves anything: no
// pass releases it, and a constant of its gradient may be among what the cut saves.
func (lt *liveTape) lasting() bool {
	return slices.ContainsFunc(lt.outs, func(o *tapeOut) bool { return len(o.reach) == 0 })
}

// hold makes the tape of a replay: the fronts of all outputs.
func (m *maker) hold() {
	lt := m.e.tape
	saved := make([]tensor.Buffer, len(lt.saved))
	for i, s := range lt.saved {
		if s.Input >= 0 {
			saved[i] = m.args.In[s.Input]
		} else {
			saved[i] = m.args.Out[s.Output]
		}
	}
	drop := func() { saved = nil }
	if lt.lasting() {
		drop = func() {}
	}
	m.whole = eager.NewWhole(lt.bits, lt.spent, drop)
	m.fronts = make([]*eager.Node, len(lt.outs))
	for _, l := range lt.levels {
		next := make([]eager.Edge, len(l.ends))
		for i, e := range l.ends {
			if e.out >= 0 {
				next[i] = eager.Edge{Node: m.fronts[e.out]}
				continue
			}
			var err error
			if next[i], err = m.get(e.to).AsInstance().Native.(*eager.Tensor).Edge(); err != nil || next[i].Node == nil {
				panic("BUG: a tensor of the outside is not on the tape")
			}
		}
		h := *l.half
		args := m.args
		h.Run = func(x *eager.Context, grad []*eager.Tensor) ([]*eager.Tensor, error) {
			if l.spent { // no gradient has come: one that had would have failed
				return make([]*eager.Tensor, len(next)), nil
			}
			return lt.run(x, l, args, saved, next, grad)
		}
		for i, f := range m.x.NewHalf(m.whole, &h, next) {
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
		m.get(h.t).AsInstance().Native.(*eager.Tensor).Behind(m.fronts[h.out])
	}
	for _, c := range lt.checks {
		w := &eager.Tensor{}
		w.Geometry = c.geom
		if c.t != nil {
			t := m.get(c.t).AsInstance().Native.(*eager.Tensor)
			w = t.Window(c.geom)
		} else if s := m.made[c.own]; s != nil {
			w.Store = s
		} else {
			continue // nobody can reach it
		}
		var of *eager.Tensor
		if c.of != nil {
			of = m.get(c.of).AsInstance().Native.(*eager.Tensor)
		}
		m.whole.Check(c.node, w, of, c.name, c.out)
	}
	m.whole.Begin()
}

// run computes the gradients of a level's ends.
func (lt *liveTape) run(x *eager.Context, l *tapeLevel, args *graph.RunArgs, saved []tensor.Buffer, next []eager.Edge, grad []*eager.Tensor) ([]*eager.Tensor, error) {
	come := make([]bool, len(grad))
	for i, g := range grad {
		come[i] = g != nil
	}
	p, err := lt.part(l, come)
	if err != nil {
		return nil, err
	}
	out := make([]*eager.Tensor, len(next))
	if len(p.ends) == 0 {
		return out, nil
	}
	a := &graph.RunArgs{Bind: args.Bind, Nums: args.Nums, State: args.State}
	keep := make([]*eager.Tensor, 0, len(grad))
	for _, k := range p.used {
		if k < len(saved) {
			a.In = append(a.In, saved[k])
			continue
		}
		g := grad[k-l.tans[0]]
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
