package eager

import (
	"slices"

	"github.com/larkspur-ml/larkspur/op"
)

// The plan of a decomposition is the list of ops that it applied: what a Decomp
// does follows from geometry, structure and numbers, all of which a plan is found by.
//
//	linear(x, w, b)   t(w) ─▶ 0,  expand(b, …) ─▶ 1,  _matmul(x, 0, 1) ─▶ 2;   result 2

// composition is what a decomposition applied.
type composition struct {
	steps []part
	out   []int32 // of the results, as from counts
	// twins are pairs of operands that must be one tensor.
	twins [][2]int32
	name  string // of the nodes made for the results
}

// part is one op of a composition.
type part struct {
	def  *op.Def
	args []op.Arg // tensors left out
	from []source
	n    int // results
	// plan is the part's own, once known: operands of the geometry that the
	// composition was found by lead to it each time.
	plan *plan
}

// source says that an argument, or an entry of one that is a list, is a tensor seen
// before: counted are operands, then the results of the parts in order.
type source struct{ arg, entry, from int32 }

// composing writes down a decomposition.
type composing struct {
	seen []*Tensor
	c    composition
	bad  bool // something happened that cannot be repeated by applying ops
}

// compose starts to write down what c's decomposition applies.
func compose(c *op.Call) *composing {
	w := &composing{}
	for i, o := range c.T {
		t, _ := o.(*Tensor)
		if t != nil {
			// Which of the two an argument is cannot be told.
			if j := slices.Index(w.seen, t); j >= 0 {
				w.c.twins = append(w.c.twins, [2]int32{int32(j), int32(i)})
			}
		}
		w.seen = append(w.seen, t)
	}
	return w
}

// fits reports operands that are one tensor where they must be.
func (c *composition) fits(d *op.Def, args []op.Arg) bool {
	if c == nil || len(c.twins) == 0 {
		return true
	}
	var buf [16]*Tensor
	ts := operands(buf[:0], d, args)
	for _, w := range c.twins {
		if ts[w[0]] != ts[w[1]] {
			return false
		}
	}
	return true
}

func (w *composing) find(o op.Tensor) int32 {
	t, _ := o.(*Tensor)
	if t == nil {
		w.bad = true
		return 0
	}
	i := slices.Index(w.seen, t)
	w.bad = w.bad || i < 0
	return int32(i)
}

func (w *composing) add(d *op.Def, args []op.Arg, out []op.Tensor) {
	if w.bad || d.Base == "as_strided" || d.State || d.Sized || len(w.c.steps) > 16 {
		w.bad = true
		return
	}
	p := part{def: d, args: slices.Clone(args), n: len(out)}
	for i := range p.args {
		switch a := &p.args[i]; a.Kind {
		case op.ArgTensor:
			p.from = append(p.from, source{int32(i), -1, w.find(a.P.(op.Tensor))})
			a.P = nil
		case op.ArgTensors:
			l := a.P.([]op.Tensor)
			for j, o := range l {
				if o != nil {
					p.from = append(p.from, source{int32(i), int32(j), w.find(o)})
				}
			}
			a.P = make([]op.Tensor, len(l))
		case op.ArgGenerator, op.ArgSubgraph:
			w.bad = true
		}
	}
	w.c.steps = append(w.c.steps, p)
	for _, o := range out {
		t, _ := o.(*Tensor)
		w.seen = append(w.seen, t)
	}
}

// applyComposing applies an op inside a decomposition that is being written down.
func (x *Context) applyComposing(d *op.Def, args []op.Arg) ([]op.Tensor, error) {
	w := x.composing
	x.composing = nil
	given := slices.Clone(args)
	out, err := x.Apply(d, args)
	x.composing = w
	if err == nil {
		w.add(d, given, out)
	}
	return out, err
}

// finish is the composition, nil if there is none.
func (w *composing) finish(c *op.Call, out []op.Tensor) *composition {
	for _, o := range out {
		w.c.out = append(w.c.out, w.find(o))
	}
	if w.bad || len(c.Def.Returns) > 0 && c.Def.Returns[0].List {
		return nil
	}
	w.c.name = wholeName(c)
	made := w.c // a pointer to it would keep w, and so all tensors of this call
	return &made
}

// repeat applies what a decomposition would, and appends the results to dst; ok is
// false where the op goes on the tape as a whole.
func (x *Context) repeat(p *plan, args []op.Arg, dst []op.Tensor) (_ []op.Tensor, ok bool, err error) {
	var buf [16]*Tensor
	vals := operands(buf[:0], p.def, args)
	if p.def.VJP != nil && x.needsOf(p.def, vals) != nil {
		return dst, false, nil
	}
	since := x.seq
	var t *Tensor
	for i := range p.parts.steps {
		s := &p.parts.steps[i]
		if s.n == 1 && !s.def.Returns[0].List {
			if t, err = x.applyPart(s, s.fill(vals)); err != nil {
				s.empty()
				return dst, true, err
			}
			s.empty()
			vals = append(vals, t)
			continue
		}
		out, err := x.Apply(s.def, slices.Clone(s.fill(vals)))
		s.empty()
		if err != nil {
			return dst, true, err
		}
		for _, o := range out {
			t, _ := o.(*Tensor)
			vals = append(vals, t)
		}
	}
	for _, i := range p.parts.out {
		t := vals[i]
		if p.parts.name != "" && t.ag != nil && t.ag.node != nil && t.ag.node.seq > since && t.ag.node.seq != leafSeq {
			t.ag.node.Name = p.parts.name
		}
		dst = append(dst, t)
	}
	return dst, true, nil
}

// applyPart applies a part with one result.
func (x *Context) applyPart(s *part, args []op.Arg) (*Tensor, error) {
	if s.plan == nil {
		if s.plan, _ = x.plan(s.def, args, false); s.plan == nil {
			return x.Apply1(s.def, args)
		}
	}
	if s.plan.parts != nil {
		return x.Apply1(s.def, args)
	}
	x.Applied++
	out, _, err := x.follow(s.plan, args)
	return out[0], err
}

// fill puts the tensors in the part's arguments, until empty takes them out: no op
// decomposes into itself. Lists are new ones, as somebody may keep them.
func (s *part) fill(vals []*Tensor) []op.Arg {
	list := int32(-1)
	for _, f := range s.from {
		a := &s.args[f.arg]
		if f.entry < 0 {
			a.P = vals[f.from]
			continue
		}
		if f.arg != list {
			list = f.arg
			a.P = make([]op.Tensor, len(a.P.([]op.Tensor)))
		}
		a.P.([]op.Tensor)[f.entry] = vals[f.from]
	}
	return s.args
}

func (s *part) empty() {
	for _, f := range s.from {
		a := &s.args[f.arg]
		if f.entry < 0 {
			a.P = nil
		} else if l := a.P.([]op.Tensor); l[f.entry] != nil {
			a.P = make([]op.Tensor, len(l))
		}
	}
}
