package tracer

import (
	"weak"

	"github.com/larkspur-ml/larkspur/eager"
)

// What a region does to the histories of tensors of the outside.
//
// A write in place gives one to what it writes to and, if that is a view, to its base. A view whose memory has been
// written to gets its own only when it is next used: a node behind what its base has by
// then. Where that is of the region, the view is a tensor of the exit like those; where
// it is older, a replay makes the node. In both cases the view stands behind
// what the region has used it through, so that a pass that asks for its gradient finds it.

// seenView is a view of the outside as it was before the region.
type seenView struct {
	t     weak.Pointer[eager.Tensor]
	node  weak.Pointer[eager.Node]
	out   int
	stale bool
}

// sees notes the history of a view that the region comes upon.
func (r *recorder) sees(t *eager.Tensor) {
	if t.IsView() {
		e := t.Hangs()
		r.seen = append(r.seen, seenView{weak.Make(t), weak.Make(e.Node), e.Out, t.Stale()})
	}
}

// at reports the history that the view had.
func (s *seenView) at(e eager.Edge) bool { return weak.Make(e.Node) == s.node && e.Out == s.out }

// hangViews finds views whose new history is one of the region's, and that lie on a tape of the exit.
func (r *recorder) hangViews() {
	var passed map[*eager.Node]bool
	for i := range r.seen {
		s := &r.seen[i]
		t := s.t.Value()
		if t == nil || t.Stale() {
			continue
		}
		e := t.Hangs()
		if e.Node == nil || s.at(e) || !e.Node.Newer(r.seq) {
			continue
		}
		if passed == nil {
			passed = map[*eager.Node]bool{}
			var roots []eager.Edge
			for _, o := range r.taped {
				roots = append(roots, o.Hangs())
			}
			reach, _ := eager.ReachOf(roots, func(e eager.Edge) bool { return !e.Node.Newer(r.seq) })
			for _, b := range reach.Nodes {
				passed[b.Node] = true
			}
		}
		if passed[e.Node] {
			r.hung = append(r.hung, t)
			r.onTape(t)
		}
	}
}

// remake gives views of the outside the histories that they get in the region, and returns
// those that they had.
func (m *maker) remake(lt *liveTape) map[*eager.Tensor]eager.Edge {
	var was map[*eager.Tensor]eager.Edge
	for _, l := range lt.levels {
		for _, e := range l.ends {
			if !e.new {
				continue
			}
			t := m.get(e.to).AsInstance().Native.(*eager.Tensor)
			if _, ok := was[t]; ok {
				continue
			}
			if was == nil {
				was = map[*eager.Tensor]eager.Edge{}
			}
			was[t] = edgeOf(t.Edge())
			t.Outdate()
			edgeOf(t.Edge())
		}
	}
	return was
}

func edgeOf(e eager.Edge, err error) eager.Edge {
	if err != nil || e.Node == nil {
		panic("BUG: a tensor of the outside is not on the tape")
	}
	return e
}

// tensorAt finds the tensor whose gradient goes to an edge that leaves the region, and
// whether that is a history that a write of the region has made it get.
func (r *recorder) tensorAt(e eager.Edge) (t *eager.Tensor, remade bool) {
	if t := e.Node.Variable(); t != nil {
		return t, false
	}
	if t := r.was[e]; t != nil {
		return t, false
	}
	for i := range r.seen {
		s := &r.seen[i]
		t := s.t.Value()
		switch {
		case t == nil:
		case s.at(e):
			return t, false
		case t.Hangs() == e:
			st := r.memory(t.Store)
			if s.stale && (st == nil || st.times == 0 || t.Stale()) {
				return t, false // its first use has, as it will
			}
			return t, true
		}
	}
	for _, o := range r.objects {
		if t := tensorOf(o.value()); t != nil {
			if t.Hangs() == e {
				return t, false
			}
		}
	}
	return nil, false
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
