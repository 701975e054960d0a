package eager

import "github.com/larkspur-ml/larkspur/op"

// nodeByPlan makes the node of an op that was applied by plan: what newNode would
// make, but that the Call is shared where it would be the same.
func (x *Context) nodeByPlan(p *plan, args []op.Arg, ts []*Tensor, need []bool, out []*Tensor) (*Node, error) {
	if x.sizes != nil || len(ts) > wordBits || !p.sharesCall(args, ts) {
		c := p.callOf(args, ts)
		return x.nodeOf(p.nodeName(c), c, need, out, p.k, nil)
	}
	for _, t := range ts {
		if t != nil && t.Inference {
			return nil, inferenceError()
		}
	}
	n := x.bareNode(p.name, len(ts), out)
	var bits uint64
	for i, t := range ts {
		if need[i] {
			if err := n.follows(i, t, need); err != nil {
				return nil, err
			}
			if need[i] {
				bits |= 1 << i
			}
		}
	}
	s := p.callFor(bits)
	if s == nil {
		c := p.callOf(args, ts)
		c.Need = need
		reads := x.reads(c, p.k)
		n.Name = p.nodeName(c)
		c.T = nil
		c.Args = c.BareArgs()
		p.calls = append(p.calls, planCall{bits, c, reads})
		s = &p.calls[len(p.calls)-1]
	}
	n.call = s.call
	n.room(s.reads, len(ts), len(out))
	n.savesData = s.reads != readSet{} || n.call.Def.Keeps != nil && n.call.Def.Keeps(n.call)
	if (s.reads == readSet{}) {
		return n, nil
	}
	for i, t := range ts {
		if t != nil && s.reads.in(i) {
			n.in[i].set(t, n.next[i])
		}
	}
	for i, t := range out {
		if s.reads.out(i) {
			n.out[i].set(t, Edge{n, i})
			n.out[i].orig = nil
		}
	}
	return n, nil
}

func (p *plan) nodeName(c *op.Call) string {
	if p.name == "" {
		p.name = nodeName(c)
	}
	return p.name
}

func (p *plan) callFor(need uint64) *planCall {
	for i := range p.calls {
		if p.calls[i].need == need {
			return &p.calls[i]
		}
	}
	return nil
}

// sharesCall reports operands at the plan's offsets and numbers like the plan's.
func (p *plan) sharesCall(args []op.Arg, ts []*Tensor) bool {
	for i, t := range ts {
		if t != nil && t.Off != p.in[i].g.Off {
			return false
		}
	}
	for i := range args {
		if args[i].Kind == op.ArgNumber && !sameNumber(args[i].N, p.args[i].N) {
			return false
		}
	}
	return true
}
