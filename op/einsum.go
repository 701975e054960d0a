package op

import (
	"strings"

	"github.com/larkspur-ml/larkspur/tensor"
)

// Einstein summation, as torch does it: operands are aligned to one order of
// labels (ellipsis, output labels, summed labels), then multiplied from left to
// right by batched matrix products that sum a label at its last use.

func init() {
	Register(&Def{
		Sig: "einsum(str equation, Tensor[] tensors) -> Tensor", Doc: "Sums of products by subscripts; ellipsis, repeated subscripts and an implied output included.", Bind: Fn,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor { return []Tensor{g.einsum(c.Str("equation"), in)} },
		Samples: func() []Sample {
			s := samplesOf("einsum")
			for _, l := range layouts {
				s.add("ij,jk->ik", ts(s.lay(l, 2, 3), s.f(3, 4))).add("bij,bjk->bik", ts(s.lay(l, 2, 3, 4), s.f(2, 4, 2))).add("ij->ji", ts(s.lay(l, 2, 3)))
			}
			s.add("ii->i", ts(s.f(3, 3))).add("ii", ts(s.f(3, 3))).add("i,i->", ts(s.f(3), s.f(3))).add("i,j", ts(s.f(2), s.f(3))).add("...ij,...jk->...ik", ts(s.f(2, 1, 3, 4), s.f(5, 4, 2)))
			s.add("bhid,bhjd->bhij", ts(s.f(2, 2, 3, 4), s.f(2, 2, 5, 4))).add("ij,jk,kl->il", ts(s.f(2, 3), s.f(3, 4), s.f(4, 2))).add("ba", ts(s.f(2, 3))).add("ij->", ts(s.f(2, 3))).add("i...->...", ts(s.f(2, 3)))
			s.add("ij,ij->ij", ts(s.f(2, 3), s.f(1, 3))).add(" i j , j k -> i k ", ts(s.f(2, 3), s.f(3, 2))).add("ij,jk->ik", ts(s.f(0, 3), s.f(3, 2))).add(",i->i", ts(s.f(), s.f(3))).add("nkctv,kvw->nctw", ts(s.f(1, 2, 3, 2, 4), s.f(2, 4, 4)))
			s.raises(tensor.RuntimeError, "ij,jk", ts(s.f(2, 3), s.f(2, 3))).raises(tensor.RuntimeError, "ij,jk->ik", ts(s.f(2, 3))).raises(tensor.RuntimeError, "i,i", ts(s.f(2, 3), s.f(2, 3)))
			return s.raises(tensor.RuntimeError, "ij->ik", ts(s.f(2, 3))).raises(tensor.RuntimeError, "ij->ii", ts(s.f(2, 3))).done()
		},
	})
}

const dots = 0 // the label of an ellipsis

// parseLabels reads one operand's subscripts.
func parseLabels(s string, at int) (l []byte) {
	seen := false
	for i := 0; i < len(s); i++ {
		switch ch := s[i]; {
		case ch == ' ':
		case ch == '.':
			if seen {
				Raise(tensor.RuntimeError, "einsum(): found '.' for operand %d for which an ellipsis was already found", at)
			}
			if i+2 >= len(s) || s[i+1] != '.' || s[i+2] != '.' {
				Raise(tensor.RuntimeError, "einsum(): found '.' for operand %d that is not part of any ellipsis", at)
			}
			seen, i, l = true, i+2, append(l, dots)
		case ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z':
			l = append(l, ch)
		default:
			Raise(tensor.RuntimeError, "einsum(): invalid subscript given at index %d in the equation string, subscripts must be in [a-zA-Z]", i)
		}
	}
	return
}

func (g *G) einsum(eq string, in []Tensor) Tensor {
	if len(in) == 0 {
		Raise(tensor.RuntimeError, "einsum(): must provide at least one operand")
	}
	lhs, rhs, hasOut := strings.Cut(eq, "->")
	parts := strings.Split(lhs, ",")
	switch {
	case len(in) < len(parts):
		Raise(tensor.RuntimeError, "einsum(): fewer operands were provided than specified in the equation")
	case len(in) > len(parts):
		Raise(tensor.RuntimeError, "einsum(): more operands were provided than specified in the equation")
	}
	labels := make([][]byte, len(in))
	nDots := 0
	var counts [256]int
	for k, p := range parts {
		labels[k] = parseLabels(p, k)
		r, named, ell := in[k].Meta().Rank(), 0, false
		for _, ch := range labels[k] {
			if ch == dots {
				ell = true
			} else {
				counts[ch]++
				named++
			}
		}
		if !ell && named != r {
			Raise(tensor.RuntimeError, "einsum(): the number of subscripts in the equation (%d) does not match the number of dimensions (%d) for operand %d and no ellipsis was given", named, r, k)
		}
		if named > r {
			Raise(tensor.RuntimeError, "einsum(): the number of subscripts in the equation (%d) is more than the number of dimensions (%d) for operand %d", named, r, k)
		}
		if ell {
			nDots = max(nDots, r-named)
		}
	}
	// the output: given, or the ellipsis and the labels that occur once, sorted
	// as torch does, capitals first
	var out []byte
	if hasOut {
		out = parseLabels(rhs, len(in))
	} else {
		out = append(out, dots)
		for _, r := range [][2]byte{{'A', 'Z'}, {'a', 'z'}} {
			for ch := r[0]; ch <= r[1]; ch++ {
				if counts[ch] == 1 {
					out = append(out, ch)
				}
			}
		}
	}
	// place of each label in the common order
	var place [256]int
	for i := range place {
		place[i] = -1
	}
	dotsAt, n := -1, 0
	for _, ch := range out {
		if ch == dots {
			dotsAt = n
			n += nDots
			continue
		}
		if place[ch] >= 0 {
			Raise(tensor.RuntimeError, "einsum(): output subscript %c appears more than once in the output", ch)
		}
		if counts[ch] == 0 {
			Raise(tensor.RuntimeError, "einsum(): output subscript %c does not appear in the equation for any input operand", ch)
		}
		place[ch] = n
		n++
	}
	nOut := n
	if dotsAt < 0 && nDots > 0 { // an ellipsis that the output leaves out is summed
		dotsAt = n
		n += nDots
	}
	for _, l := range labels {
		for _, ch := range l {
			if ch != dots && place[ch] < 0 {
				place[ch] = n
				n++
			}
		}
	}
	ops := make([]Tensor, len(in))
	size := make([]SymInt, n) // sizes seen; those that are 1 so far may grow
	for i := range size {
		size[i] = C(1)
	}
	for k := range in {
		ops[k] = g.aligned(in[k], labels[k], place, dotsAt, nDots, n)
		for p, s := range ops[k].Meta().Size {
			if size[p].Eq(C(1)) {
				size[p] = s
				continue
			}
			if s.Eq(C(1)) || s.Eq(size[p]) {
				continue
			}
			if !s.Eq(size[p]) && !s.Eq(C(1)) {
				if size[p].Eq(C(1)) {
					size[p] = s
					continue
				}
				name := "..."
				for ch := range place {
					if place[ch] == p {
						name = string(rune(ch))
					}
				}
				Raise(tensor.RuntimeError, "einsum(): subscript %s has size %d for operand %d which does not broadcast with previously seen size %d", name, s.Hint(), k, size[p].Hint())
			}
		}
	}
	last := make([]int, n) // the last operand that has the label
	for p := range last {
		last[p] = -1
		for k, t := range ops {
			if !t.Meta().Size[p].Eq(C(1)) {
				last[p] = k
			}
		}
	}
	r := ops[0]
	sumAfter := func(k int) (dims []int) {
		for p := nOut; p < n; p++ {
			if max(last[p], 0) == k {
				dims = append(dims, p)
			}
		}
		return
	}
	if d := sumAfter(0); len(d) > 0 {
		r = g.Op("sum", r, d, true)
	}
	for k := 1; k < len(ops); k++ {
		r = g.sumProduct(r, ops[k], sumAfter(k))
	}
	if nOut < n {
		r = g.reshape(r, r.Meta().Size[:nOut])
	}
	return r
}

// aligned permutes an operand into the common order with size 1 for what it
// lacks; a repeated label takes the diagonal.
func (g *G) aligned(t Tensor, l []byte, place [256]int, dotsAt, nDots, n int) Tensor {
	at := make([]int, n) // dimension of t, -1: none
	for i := range at {
		at[i] = -1
	}
	d := 0
	for _, ch := range l {
		if ch == dots {
			w := t.Meta().Rank() - (len(l) - 1) // the dimensions that the ellipsis stands for
			for i := range w {
				at[dotsAt+nDots-w+i] = d
				d++
			}
			continue
		}
		p := place[ch]
		if at[p] < 0 {
			at[p] = d
			d++
			continue
		}
		m := t.Meta()
		if !m.Size[at[p]].Eq(m.Size[d]) {
			Raise(tensor.RuntimeError, "einsum(): subscript %c is repeated for operand but the sizes don't match, %d != %d", ch, m.Size[d].Hint(), m.Size[at[p]].Hint())
		}
		// the diagonal goes last; bring it back to the first place
		t = g.Op("diagonal", t, 0, at[p], d)
		t = g.Op("movedim.intlist", t, []int{-1}, []int{at[p]})
		return g.aligned(t, dropLabel(l, ch), place, dotsAt, nDots, n)
	}
	var order []int
	for _, x := range at {
		if x >= 0 {
			order = append(order, x)
		}
	}
	t = g.Op("permute", t, order)
	for p, x := range at {
		if x < 0 {
			t = g.Op("unsqueeze", t, p)
		}
	}
	return t
}

// dropLabel removes the second occurrence of ch.
func dropLabel(l []byte, ch byte) []byte {
	n := 0
	var o []byte
	for _, x := range l {
		if x == ch {
			if n++; n == 2 {
				continue
			}
		}
		o = append(o, x)
	}
	return o
}

// sumProduct multiplies two aligned tensors and sums over dims, as one batched
// matrix product:
//
//	lro  in both, kept      lo  only left    ro  only right    sum  in dims
//	left [lro, lo, sum] @ right [lro, sum, ro] -> [lro, lo, ro]
func (g *G) sumProduct(a, b Tensor, dims []int) Tensor {
	if len(dims) == 0 {
		return g.Mul(a, b)
	}
	isSum := map[int]bool{}
	m, n := a.Meta(), b.Meta()
	var lro, lo, ro, sum []int
	sLro, sLo, sRo, sSum := C(1), C(1), C(1), C(1)
	for _, d := range dims {
		isSum[d] = true
		switch x, y := m.Size[d].Eq(C(1)), n.Size[d].Eq(C(1)); {
		case !x && !y:
			if !m.Size[d].Eq(n.Size[d]) { // one is 1 by its value only
				return g.Op("sum", g.Mul(a, b), dims, true)
			}
			sum, sSum = append(sum, d), sSum.Mul(m.Size[d])
		case !x:
			a = g.Op("sum", a, []int{d}, true)
			sum = append(sum, d)
		case !y:
			b = g.Op("sum", b, []int{d}, true)
			sum = append(sum, d)
		default:
			sum = append(sum, d)
		}
	}
	out := make([]SymInt, m.Rank())
	for d := range out {
		if isSum[d] {
			out[d] = C(1)
			continue
		}
		switch x, y := m.Size[d].Eq(C(1)), n.Size[d].Eq(C(1)); {
		case x && y:
			lo, out[d] = append(lo, d), C(1)
		case y:
			lo, sLo, out[d] = append(lo, d), sLo.Mul(m.Size[d]), m.Size[d]
		case x:
			ro, sRo, out[d] = append(ro, d), sRo.Mul(n.Size[d]), n.Size[d]
		default:
			if !m.Size[d].Eq(n.Size[d]) {
				return g.Op("sum", g.Mul(a, b), dims, true)
			}
			lro, sLro, out[d] = append(lro, d), sLro.Mul(m.Size[d]), m.Size[d]
		}
	}
	cat := func(l ...[]int) (o []int) {
		for _, x := range l {
			o = append(o, x...)
		}
		return
	}
	x := g.reshape(g.Op("permute", a, cat(lro, lo, sum, ro)), []SymInt{sLro, sLo, sSum})
	y := g.reshape(g.Op("permute", b, cat(lro, sum, ro, lo)), []SymInt{sLro, sSum, sRo})
	r := g.Op("bmm", x, y)
	// back to the common order
	order := cat(lro, lo, ro, sum)
	wide := make([]SymInt, len(order))
	for i, d := range order {
		wide[i] = out[d]
	}
	return g.Op("permute", g.reshape(r, wide), inverse(order))
}
