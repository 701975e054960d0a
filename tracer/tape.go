package tracer

import (
	"slices"
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
	bit    map[*eager.Node]int // nodes of the recorded tape that keep tensors, while recording
	saves  int                 // how many
	spent  []int               // those that have been released
	ranks  int
	mark   *eager.Mark
	hung   []hanging

	back     *graph.Graph // all levels; inputs: what is saved, then the tangents, then what nodes keep
	saved    []graph.Saved
	late     []*storage // of the latter
	compiler graph.Compiler
	mu       sync.Mutex
}

// tapeOut is a tensor of the exit.
type tapeOut struct {
	t     *eager.Tensor // while recording, as edge and ends
	edge  eager.Edge
	name  string
	ends  []eager.Edge
	level int // 1 and up
}

// tapeLevel is one node of a replay.
type tapeLevel struct {
	outs  []int
	ends  []tapeEnd
	grads []int // by end: output of the backward graph; -1: no gradient reaches it
	half  *eager.Half
	parts map[string]*tapePart // by which gradients come and are wanted
	tans  []int                // by output: its tangent, -1 if no pass gets past its node; in the end the input of the backward graph
	lasts bool

	// while recording
	roots, edges, stop []eager.Edge
	over               []bool // by output: a pass fails at its node
}

// tapeEnd is where a level's gradients go: to another output, or to a tensor.
type tapeEnd struct {
	out int // -1: to
	to  *recipe
	// to is a view of which this is the history after a write of the region, and whether another has followed
	new, stale bool
}

// tapeCheck is a saved tensor.
type tapeCheck struct {
	node  int
	st    *storage
	t     *recipe // of the outside: a tensor that has the storage, and its offset when recorded
	from  int64
	geom  tensor.Geometry
	meta  *tensor.Meta // where sizes are symbolic: geom at each run
	since uint32       // writes since it was saved
	name  string       // of where it was on the tape
	out   int
	of    *recipe // the tensor that was saved, if the program has it in hand
	// else what stands for it: a view of base, behind a node
	stand  *eager.Form
	stale  bool
	base   *recipe
	own    string
	ownOut int
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
	r.hangViews()
	if len(r.taped) == 0 || r.why != "" {
		return
	}
	lt := &liveTape{mark: r.x.Mark, compiler: r.tr.opts.Compiler}
	index := map[eager.Edge]int{}
	alive := len(r.taped) > 1 || len(r.hung) > 0 || len(r.syms) > 0 // nodes that are copied have sizes
	for _, t := range r.taped {
		e := t.Hangs()
		if _, ok := index[e]; ok {
			continue
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
	cut := func(e eager.Edge) bool {
		_, out := index[e]
		return out || !e.Node.Newer(r.seq)
	}
	for _, o := range lt.outs {
		reach, why := eager.ReachOf([]eager.Edge{o.edge}, cut)
		if why != "" {
			r.kill("the tape of a tensor in the exit cannot be made anew: %s", why)
			return
		}
		o.ends = reach.Ends
	}
	top := 0
	for _, o := range lt.outs {
		top = max(top, o.depth(lt, index))
	}
	for l := 1; l <= top; l++ {
		lt.levels = append(lt.levels, r.level(lt, l, index, cut))
	}
	if r.why != "" {
		return
	}
	r.tapeFrom, r.valFrom = len(r.nodes), r.values
	r.dry(func() {
		defer r.later()()
		for _, l := range lt.levels {
			if r.pull(lt, l); r.why != "" {
				break
			}
		}
	})
	if len(r.grads) > 0 && r.reg.mark == nil && r.tr.twice.Load() {
		r.kill("a tape in the exit whose gradients the program may differentiate again")
		return
	}
	var reach []*eager.Reach
	for _, l := range lt.levels {
		reach = append(reach, l.half.Reach)
	}
	lt.ranks, lt.saves, lt.bit = eager.Rank(reach), len(lt.bit), nil
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
	for _, l := range lt.levels {
		l.roots, l.edges, l.stop = nil, nil, nil
	}
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

// level notes what lies behind the outputs of a level, and where their gradients leave it.
func (r *recorder) level(lt *liveTape, level int, index map[eager.Edge]int, cut func(eager.Edge) bool) *tapeLevel {
	l := &tapeLevel{half: &eager.Half{Mark: lt.mark, Level: level}, parts: map[string]*tapePart{}}
	for i, o := range lt.outs {
		if o.level == level {
			l.outs = append(l.outs, i)
			l.half.Names = append(l.half.Names, o.name)
			l.roots = append(l.roots, o.edge)
		}
	}
	reach, _ := eager.ReachOf(l.roots, cut)
	l.half.Reach = reach
	l.edges = append([]eager.Edge(nil), reach.Ends...)
	over := make([]bool, len(reach.Nodes))
	for i := range reach.Nodes {
		b := &reach.Nodes[i]
		k := b.Node.Keeper()
		if k == nil {
			continue
		}
		at, ok := lt.bit[k]
		released, written := b.Node.Over()
		if !ok {
			if lt.bit == nil {
				lt.bit = map[*eager.Node]int{}
			}
			at = len(lt.bit)
			lt.bit[k] = at
			if released {
				lt.spent = append(lt.spent, at)
			}
			r.checks(lt, at, k)
		}
		b.Saves = at
		over[i] = released || written
	}
	for i, k := range reach.Roots {
		l.over = append(l.over, over[k])
		if over[k] {
			l.stop = append(l.stop, l.roots[i])
		}
	}
	for i := range reach.Nodes {
		for _, e := range reach.Nodes[i].Node.Next() {
			if e.Node == nil || cut(e) {
				continue
			}
			if r, w := e.Node.Over(); r || w {
				l.stop = append(l.stop, e)
			}
		}
	}
	l.lasts = reach.Lasting()
	for _, e := range reach.Ends {
		end := tapeEnd{out: -1}
		if i, ok := index[e]; ok {
			end.out = i
		} else if t, remade := r.tensorAt(e); t != nil {
			end.new, end.stale = remade, t.Stale()
			end.to = r.recipe(r.tr.opts.Wrap(t))
		} else {
			r.kill("a gradient leaves the region where no tensor is known")
		}
		l.ends = append(l.ends, end)
	}
	return l
}

// checks notes what a node of the tape keeps.
func (r *recorder) checks(lt *liveTape, bit int, n *eager.Node) {
	n.EachSaved(func(w, of *eager.Tensor, e eager.Edge, since uint32) {
		st := r.memory(w.Store)
		if st == nil {
			r.kill("the tape keeps a tensor of unknown origin")
			return
		}
		if !slices.Contains(r.keeps, st) {
			r.keeps = append(r.keeps, st)
		}
		c := tapeCheck{node: bit, st: st, geom: w.Geometry, since: since}
		if m := w.Meta(); m.Symbolic() {
			c.meta = st.meta(w)
		}
		if st.owner != nil {
			c.t = st.outside()
			c.from = st.at
		}
		if e.Node != nil && e.Node.Variable() == nil {
			c.name, c.out = e.Node.FullName(), e.Out
		}
		if of != nil {
			obj := r.tr.opts.Wrap(of)
			if r.src[idOf(obj)] != nil || r.memo[obj] != nil {
				c.of = r.recipe(obj)
			} else {
				f, _ := of.Form(r.seq)
				bare := f.OffTape().Bare()
				c.stand, c.stale = &bare, of.Stale()
				if f.Base != nil {
					if b := r.tr.opts.Wrap(f.Base); r.src[idOf(b)] != nil || r.memo[b] != nil {
						c.base = r.recipe(b)
					}
				}
				c.own, c.ownOut = "", 0
				if at := of.Hangs(); at.Node != nil {
					c.own, c.ownOut = at.Node.FullName(), at.Out
				}
			}
		}
		lt.checks = append(lt.checks, c)
	})
}

// later makes the memory that nodes keep, and that the program may have in hand, another
// value: what it holds when the backward pass runs, which is what nodes read there. What
// is computed again in the backward half starts from what it was in the forward.
func (r *recorder) later() (back func()) {
	was := make([]*val, len(r.keeps))
	for i, st := range r.keeps {
		was[i] = st.cur
		if st.owner != nil && st.owner.Step == "constant" {
			continue
		}
		v := r.newVal(st.cur.dtype, st.cur.len)
		v.late, v.now = st, st.cur
		st.cur = v
		r.lates = append(r.lates, v)
	}
	return func() {
		for i, st := range r.keeps {
			st.cur = was[i]
		}
	}
}

// pull runs the backward pass of a level and records it.
func (r *recorder) pull(lt *liveTape, l *tapeLevel) {
	var roots []eager.Edge
	var tans []*eager.Tensor
	for k, i := range l.outs {
		l.tans = append(l.tans, -1)
		if l.over[k] {
			continue
		}
		t := r.tangent(lt.outs[i].t)
		if t == nil {
			return
		}
		l.tans[k] = len(r.tangents) - 1
		roots, tans = append(roots, l.roots[k]), append(tans, t)
	}
	grads := make([]*eager.Tensor, len(l.edges))
	if len(roots) > 0 {
		var err error
		if grads, err = r.x.Pull(roots, tans, l.edges, l.stop); err != nil {
			r.kill("the backward pass of the exit fails: %s", err)
		}
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
			var err error
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
