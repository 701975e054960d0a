package loop

import (
	"slices"

	"github.com/larkspur-ml/larkspur/tensor"
)

// decide settles which loads and stores go without a copy.
func (c *evalCompiler) decide(l *laneLoop) {
	for _, d := range l.directs {
		if c.v.regs[d.def.d].last != d.pos || d.def.dst != nil {
			continue
		}
		d.def.dst = d.store.mem
		c.v.aliased = append(c.v.aliased, d.def.d)
		l.stores = append(l.stores, d.at)
		if d.def.mem != nil {
			d.def.mem.aimed = true
		}
	}
	for _, x := range l.loads {
		if !x.in.mem.same || x.in.mem.dt == tensor.Bool {
			continue
		}
		ok := true
		last := c.v.regs[x.in.d].last
		for _, s := range l.stores {
			// at last itself the value is read as it is overwritten, lane by lane
			if s > x.pos && s < last {
				ok = false
			}
		}
		x.in.mem.alias = ok
	}
}

// place gives lane registers their memory: a register may take over that of
// one whose last use is its definition, because primitives go lane by lane.
// Offsets are in bytes a lane.
func (c *evalCompiler) place(l *laneLoop) {
	var ids []int32
	for r := l.first; r < len(c.v.regs); r++ {
		if c.v.regs[r].lane {
			ids = append(ids, int32(r))
		}
	}
	slices.SortStableFunc(ids, func(a, b int32) int { return c.v.regs[a].def - c.v.regs[b].def })
	var live []int32
	free := map[int][]int{}
	top := 0
	for _, r := range ids {
		g := &c.v.regs[r]
		keep := live[:0]
		for _, x := range live {
			if o := c.v.regs[x]; o.last <= g.def {
				w := typeWidth(o.typ)
				free[w] = append(free[w], o.off)
			} else {
				keep = append(keep, x)
			}
		}
		live = keep
		w := typeWidth(g.typ)
		if f := free[w]; len(f) > 0 {
			g.off = f[len(f)-1]
			free[w] = f[:len(f)-1]
		} else {
			g.off = top
			top += w
		}
		live = append(live, r)
	}
	c.peak = max(c.peak, (top+7)&^7)
}

// typeWidth is the bytes of a lane. Registers share memory only with those of
// their own width: going lane by lane, a wider destination would overwrite
// operands not read yet.
func typeWidth(t Type) int {
	switch t {
	case B1:
		return 1
	case I32, F32:
		return 4
	}
	return 8
}

// layout places the registers. Lane registers were given offsets in blocks of
// one lane; the block length follows from how many bytes are live at once.
func (c *evalCompiler) layout() {
	v := c.v
	// about half of a first-level cache
	v.block = 1024
	for v.block > 256 && c.peak*v.block > 24<<10 {
		v.block /= 2
	}
	scalars := 0
	for i := range v.regs {
		if r := &v.regs[i]; !r.lane {
			r.off = scalars
			scalars++
		}
	}
	scalars = (scalars + 7) &^ 7
	for i := range v.regs {
		if r := &v.regs[i]; r.lane {
			r.off = scalars + r.off*v.block/8
		}
	}
	v.words = scalars + c.peak*v.block/8
}
