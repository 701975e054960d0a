package tracer

import (
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/guards"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
	"go.starlark.net/starlark"
)

// recipeKind says how a value is made at a replay.
type recipeKind uint8

const (
	rConst  recipeKind = iota
	rKept              // a value that the check has kept
	rExpr              // an expression over such
	rList              // kids
	rTuple             // kids
	rDict              // keys, kids
	rSet               // kids
	rInst              // instance of v (a class) with shape's attributes: kids
	rFunc              // like fn, over cells kids and defaults keys
	rCell              // kids[0], if there is one
	rBound             // receiver, function
	rSlice             // three kids
	rIter              // iterator over kids[0] at position i
	rNamed             // instance of v, a class of tuples, over kids[0]
	rTensor            // see tensorRecipe
	rGen               // generator of form gen: function keys[0], handled keys[1], registers at: kids
	rRaised            // an exception like raised: arguments kids, cause and context keys, attributes of shape more
)

// recipe makes one value. A recipe of an object is shared by all who name it, and
// makes one object at a replay.
type recipe struct {
	kind    recipeKind
	id      int // number of the object; -1 for values without identity
	v       value.Value
	expr    *guards.Expr
	kept    int
	kids    []*recipe
	keys    []*recipe
	shape   *value.Shape
	fn      *vm.Function
	i       int
	iter    value.Value
	t       *tensorRecipe
	raised  *value.Raised
	gen     vm.GenForm
	at      []int
	payload *recipe
	more    []*recipe
}

// tensorRecipe makes a tensor.
type tensorRecipe struct {
	form   eager.Form
	geom   tensor.Geometry
	own    *storage     // of the region: its final memory
	owner  *recipe      // of the outside: a tensor that has the storage
	from   int64        // its offset when recorded
	meta   *tensor.Meta // where sizes are symbolic: geom at each run
	base   *recipe      // whose view it is
	grad   *recipe
	shape  *value.Shape
	attrs  []*recipe
	front  int       // one more than its place among the outputs of a live tape
	stale  bool      // a view whose memory was written to since its history was made
	leaves []*recipe // to which the rest of its tape leads
}

func (r *recorder) recipes(vs []value.Value) []*recipe {
	out := make([]*recipe, len(vs))
	for i, v := range vs {
		out[i] = r.recipe(v)
	}
	return out
}

var constRecipe = &recipe{kind: rConst, id: -1}

// recipe describes how v is made, by its state now.
func (r *recorder) recipe(v value.Value) *recipe {
	if v.IsUnset() || guards.Immediate(v) {
		return &recipe{kind: rConst, id: -1, v: v}
	}
	if s := asSymbol(v); s != nil {
		if s.r != r {
			r.kill("BUG: a symbol of an earlier recording")
			return constRecipe
		}
		return &recipe{kind: rExpr, id: -1, expr: s.e}
	}
	if s := r.src[idOf(v)]; s != nil {
		return sourced(s)
	}
	if m := r.memo[v]; m != nil {
		return m
	}
	m := &recipe{id: r.e.objects}
	if r.isBorn(v) {
		r.e.objects++
		r.memo[v] = m
		r.describe(m, v)
		return m
	}
	// Immutable values without a source: made of what is known.
	switch {
	case v.Is(value.ItabTuple):
		tup, _ := v.AsTuple()
		r.e.objects++
		r.memo[v] = m
		m.kind = rTuple
		constant := true
		for _, e := range tup {
			k := r.recipe(value.FromStarlark(e))
			constant = constant && k.kind == rConst
			m.kids = append(m.kids, k)
		}
		if constant {
			m.kind, m.v, m.kids, m.id = rConst, v, nil, -1
		}
		return m
	case !named(v).IsUnset() && len(v.AsInstance().Slots) == 0:
		r.e.objects++
		r.memo[v] = m
		c := v.AsInstance().Class()
		r.class(c)
		m.kind, m.v, m.kids = rNamed, c.Value(), []*recipe{r.recipe(named(v))}
		return m
	case v.Is(value.ItabMethod):
		b := (*value.BoundMethod)(v.P)
		r.e.objects++
		r.memo[v] = m
		m.kind, m.kids = rBound, []*recipe{r.recipe(b.Self), r.recipe(b.Fn)}
		return m
	case v.Is(value.ItabSlice):
		s := (*value.Slice)(v.P)
		r.e.objects++
		r.memo[v] = m
		m.kind, m.kids = rSlice, []*recipe{r.recipe(s.Lo), r.recipe(s.Hi), r.recipe(s.Step)}
		return m
	case v.Is(value.ItabBuiltin), v.Is(value.ItabRange), v.Is(value.ItabModule), v == value.NotImplemented, v == value.Ellipsis:
		m.kind, m.v, m.id = rConst, v, -1
		return m
	case v.Is(value.ItabClass):
		r.class(v.AsClass())
		m.kind, m.v, m.id = rConst, v, -1
		return m
	case value.RaisedOf(v) != nil:
		// Those of the outside have a source, or the recording is over.
		r.e.objects++
		r.memo[v] = m
		r.describe(m, v)
		return m
	case v.Is(value.ItabCell):
		if s := r.cell(v); s != nil {
			return r.recipe(v)
		}
	}
	r.kill("an object of unknown origin in the exit: %s", guards.Text(v))
	return constRecipe
}

// describe fills the recipe of an object born in the region.
func (r *recorder) describe(m *recipe, v value.Value) {
	switch {
	case v.Is(value.ItabList):
		m.kind, m.kids = rList, r.recipes(v.AsList().Elems)
	case v.Is(value.ItabDict):
		m.kind = rDict
		d := v.AsDict()
		if d.Strict || d.Flags != 0 {
			r.kill("a dict of a kind that is not rebuilt")
		}
		for i := 0; ; {
			k, x, next, ok := d.Next(i)
			if !ok {
				break
			}
			m.keys, m.kids = append(m.keys, r.recipe(k)), append(m.kids, r.recipe(x))
			i = next
		}
	case v.Is(value.ItabCell):
		m.kind = rCell
		if c := (*value.Cell)(v.P); !c.V.IsUnset() {
			m.kids = []*recipe{r.recipe(c.V)}
		}
	case v.Is(vm.ItabFunction):
		fn := (*vm.Function)(v.P)
		m.kind, m.fn = rFunc, fn.Rebuild(nil, nil)
		if fn.KwDefaults() != nil || !fn.Plain() {
			r.kill("a function with attributes in the exit")
		}
		for _, c := range fn.Cells() {
			m.kids = append(m.kids, r.recipe(c.Value()))
		}
		m.keys = r.recipes(fn.Defaults())
	case v.Is(value.ItabInstance):
		in := v.AsInstance()
		if t, ok := in.Native.(*eager.Tensor); ok {
			r.describeTensor(m, in, t)
			return
		}
		if x, ok := in.Native.(*value.Raised); ok {
			r.describeRaised(m, in, x)
			return
		}
		if p := value.Payload(v); p != v && !r.born[idOf(in.Class().Value())] {
			r.class(in.Class())
			m.kind, m.v, m.shape = rInst, in.Class().Value(), in.Shape
			m.payload, m.kids = r.recipe(p), r.recipes(in.Slots)
			return
		}
		if in.Native != nil || in.Class().Slots != nil && in.Class().Slots.New != nil {
			r.kill("a new %s in the exit", in.Class().Name)
			return
		}
		if r.born[idOf(in.Class().Value())] {
			r.kill("an instance of a class of the region")
			return
		}
		r.class(in.Class())
		m.kind, m.v, m.shape = rInst, in.Class().Value(), in.Shape
		m.kids = r.recipes(in.Slots)
	case v.Is(vm.ItabGenerator):
		r.describeGenerator(m, (*vm.Generator)(v.P))
	default:
		switch it := v.Starlark().(type) {
		case *value.Set:
			m.kind = rSet
			if it.Type() != "set" {
				r.kill("a new %s in the exit", it.Type())
			}
			keys, _ := guards.Keys(v)
			m.kids = r.recipes(keys)
		case *value.ListIter:
			m.kind, m.i = rIter, it.Pos
			m.kids = []*recipe{r.recipe(it.List.Value())}
		case *value.TupleIter:
			m.kind, m.i, m.iter = rIter, it.Pos, value.FromStarlark(&value.TupleIter{}) // what it is
			m.kids = []*recipe{r.recipe(value.FromStarlark(it.Tuple))}
		case *value.RangeIter:
			m.kind, m.i, m.iter = rIter, it.Pos, v
		default:
			r.kill("a new %s in the exit", value.TypeOf(v).Name)
		}
	}
}

// describeGenerator: a generator that has not begun, waits, or has ended. One that
// runs has a frame in the chain, which cannot be put back.
func (r *recorder) describeGenerator(m *recipe, g *vm.Generator) {
	f, fn, handling, ok := g.Form()
	if !ok {
		r.kill("a generator that runs in the exit")
		return
	}
	m.kind, m.gen, m.keys = rGen, f, []*recipe{r.recipe(fn.Value()), nil}
	if handling != nil {
		m.keys[1] = r.recipe(handling.Value())
	}
	pc, done := f.PC()
	if done {
		return
	}
	live := r.ts.live(fn.Code())
	set := append(regSet(nil), live.before(pc)...)
	if pc > 0 {
		for i, b := range live.waiting(pc - 1) {
			set[i] |= b
		}
	}
	regs := g.Registers()
	for i := range fn.Code().Locals {
		if v := regs[i]; r.certain(v) {
			set.add(i) // shown by nothing but a debugger, unless live
		}
	}
	m.at = set.list()
	for _, i := range m.at {
		m.kids = append(m.kids, r.recipe(regs[i]))
	}
}

// certain reports a value whose recipe is sure to be found.
func (r *recorder) certain(v value.Value) bool {
	return v.IsUnset() || guards.Immediate(v) || asSymbol(v) != nil || r.src[idOf(v)] != nil || r.isBorn(v)
}

// describeRaised: what an exception says, where it came from, and what led to it.
func (r *recorder) describeRaised(m *recipe, in *value.Instance, x *value.Raised) {
	if r.born[idOf(in.Class().Value())] {
		r.kill("an exception of a class of the region")
		return
	}
	r.class(in.Class())
	m.kind, m.raised, m.shape = rRaised, x.Again(), in.Shape
	m.kids, m.more = r.recipes(x.Args), r.recipes(in.Slots)
	for _, c := range []*value.Raised{x.Cause, x.Context} {
		if c == nil {
			m.keys = append(m.keys, nil)
			continue
		}
		m.keys = append(m.keys, r.recipe(c.Value()))
	}
	if !x.Obj.IsUnset() || !x.File.IsUnset() {
		m.more = append(m.more, r.recipe(x.Obj), r.recipe(x.File))
	}
}

func (r *recorder) describeTensor(m *recipe, in *value.Instance, t *eager.Tensor) {
	if in.Class() != r.tensorClass() {
		r.kill("a new %s in the exit", in.Class().Name)
		return
	}
	form, why := t.Form(r.seq)
	if why != "" {
		r.kill("a tensor in the exit cannot be made anew: %s", why)
		return
	}
	st := r.memory(t.Store)
	if st == nil {
		r.kill("a tensor of unknown origin in the exit")
		return
	}
	m.kind = rTensor
	m.t = &tensorRecipe{form: form.Bare(), geom: metaOf(t).g, shape: in.Shape}
	if st.owner != nil {
		m.t.owner, m.t.from = st.outside(), st.at
	} else {
		m.t.own = st
		if st.cur.dtype != t.DType {
			r.kill("memory seen through another dtype")
		}
	}
	if mt := t.Meta(); mt.Symbolic() {
		m.t.meta = mt
	}
	if form.Base != nil {
		m.t.base = r.recipe(r.tr.opts.Wrap(form.Base))
	}
	if form.Grad != nil {
		m.t.grad = r.recipe(r.tr.opts.Wrap(form.Grad))
	}
	m.t.stale = t.Stale()
	if form.OnTape() {
		r.onTape(t)
	}
	for _, l := range form.Leaves {
		m.t.leaves = append(m.t.leaves, r.recipe(r.tr.opts.Wrap(l)))
	}
	m.t.attrs = r.recipes(in.Slots)
}

// outside is the recipe of the tensor through which a storage of the outside was
// reached, which may have died since.
func (st *storage) outside() *recipe { return sourced(st.owner) }

// sourced is the recipe of an object of the outside.
func sourced(s *guards.Source) *recipe {
	if s.Fixed() {
		return &recipe{kind: rConst, id: -1, v: s.Obj}
	}
	return &recipe{kind: rKept, id: -1, kept: s.ID}
}

// tensorClass is the class of tensors that no program has derived.
func (r *recorder) tensorClass() *value.Class {
	c := r.ts.tensorClass
	if c == nil {
		if probe, err := r.x.Empty(tensor.Device{}, tensor.Geometry{DType: tensor.Float32}); err == nil {
			c = r.tr.opts.Wrap(probe).AsInstance().Class()
			r.ts.tensorClass = c
		}
	}
	return c
}

// madeView is a view of a replay, and whether its history is to be that of its memory
// as it will be when all is written.
type madeView struct {
	t     *eager.Tensor
	stale bool
}

// maker carries recipes out.
type maker struct {
	ts   *thread
	x    *eager.Context
	vals []value.Value
	objs []value.Value
	// memory of the region's storages, once made
	bufs map[*val]tensor.Buffer
	made map[*storage]*tensor.Storage
	bind []int64 // of the graph's symbols

	// a tape that is alive
	e      *Entry
	args   *graph.RunArgs
	nums   []tensor.Number
	whole  *eager.Whole
	fronts []*eager.Node
	views  []madeView
}

func (m *maker) all(rs []*recipe) []value.Value {
	out := make([]value.Value, len(rs))
	for i, r := range rs {
		out[i] = m.get(r)
	}
	return out
}

func (m *maker) get(r *recipe) value.Value {
	switch r.kind {
	case rConst:
		return r.v
	case rKept:
		return m.vals[r.kept]
	case rExpr:
		v, ok := r.expr.Eval(&m.ts.th.Thread, m.vals)
		if !ok {
			panic("BUG: an expression of an exit raises")
		}
		return v
	}
	if v := m.objs[r.id]; !v.IsUnset() {
		return v
	}
	set := func(v value.Value) value.Value {
		m.objs[r.id] = v
		return v
	}
	switch r.kind {
	case rList:
		l := value.NewList(nil)
		set(l.Value())
		l.Elems = m.all(r.kids)
	case rTuple:
		tup := make(starlark.Tuple, len(r.kids))
		v := set(value.FromStarlark(tup))
		for i, k := range r.kids {
			tup[i] = m.get(k).Starlark()
		}
		return v
	case rDict:
		d := value.NewDict(len(r.keys))
		set(d.Value())
		for i, k := range r.keys {
			d.Set(&m.ts.th.Thread, m.get(k), m.get(r.kids[i]))
		}
	case rSet:
		s := value.NewSet(len(r.kids))
		set(s.Value())
		for _, k := range r.kids {
			s.Add(&m.ts.th.Thread, m.get(k))
		}
	case rInst:
		in := value.NewInstance(r.v.AsClass())
		set(in.Value())
		if r.payload != nil {
			in.Carry(m.get(r.payload))
		}
		for i, name := range r.shape.Names() {
			in.Set(name, m.get(r.kids[i]))
		}
	case rGen:
		g := &vm.Generator{}
		set(g.Value())
		var handling *value.Raised
		if r.keys[1] != nil {
			handling = value.RaisedOf(m.get(r.keys[1]))
		}
		g.Become(r.gen, function(m.get(r.keys[0])), handling, func(regs []value.Value) {
			for i, j := range r.at {
				regs[j] = m.get(r.kids[i])
			}
		})
	case rRaised:
		x := r.raised.Again()
		in := x.Value().AsInstance()
		set(in.Value())
		x.Args = m.all(r.kids)
		for i, k := range r.keys {
			if k != nil {
				c := value.RaisedOf(m.get(k))
				if i == 0 {
					x.Cause = c
				} else {
					x.Context = c
				}
			}
		}
		names := r.shape.Names()
		for i, name := range names {
			in.Set(name, m.get(r.more[i]))
		}
		if n := len(names); n < len(r.more) {
			x.Obj, x.File = m.get(r.more[n]), m.get(r.more[n+1])
		}
	case rFunc:
		cells := make([]*value.Cell, len(r.kids))
		defs := make([]value.Value, len(r.keys))
		fn := r.fn.Rebuild(cells, defs)
		if len(defs) == 0 {
			fn = r.fn.Rebuild(cells, nil)
		}
		set(fn.Value())
		for i, k := range r.kids {
			cells[i] = (*value.Cell)(m.get(k).P)
		}
		for i, k := range r.keys {
			defs[i] = m.get(k)
		}
	case rCell:
		c := &value.Cell{}
		set(c.Value())
		if len(r.kids) > 0 {
			c.V = m.get(r.kids[0])
		}
	case rBound:
		b := &value.BoundMethod{}
		set(b.Value())
		b.Self, b.Fn = m.get(r.kids[0]), m.get(r.kids[1])
	case rSlice:
		s := &value.Slice{}
		set(s.Value())
		s.Lo, s.Hi, s.Step = m.get(r.kids[0]), m.get(r.kids[1]), m.get(r.kids[2])
	case rIter:
		switch it := r.iter.Starlark().(type) {
		case *value.TupleIter:
			n := &value.TupleIter{Pos: r.i}
			set(value.FromStarlark(n))
			n.Tuple, _ = m.get(r.kids[0]).AsTuple()
		case *value.RangeIter:
			return set(value.FromStarlark(&value.RangeIter{R: it.R, Pos: r.i, N: it.N}))
		default:
			n := &value.ListIter{Pos: r.i}
			set(value.FromStarlark(n))
			n.List = m.get(r.kids[0]).AsList()
		}
	case rNamed:
		in := value.NewInstance(r.v.AsClass())
		in.Native = m.get(r.kids[0]).Starlark()
		return set(in.Value())
	case rTensor:
		return m.tensor(r)
	}
	return m.objs[r.id]
}

// geometry evaluates symbolic geometry.
func (m *maker) geometry(s *tensor.Meta) tensor.Geometry {
	at := func(n sym.Int) int64 {
		v, ok := n.Eval(m.bind)
		if !ok {
			panic("BUG: a size of the exit cannot be computed: " + n.String())
		}
		return v
	}
	g := tensor.Geometry{DType: s.DType, Off: at(s.Off), Size: make([]int64, len(s.Size)), Stride: make([]int64, len(s.Size))}
	for d := range s.Size {
		g.Size[d], g.Stride[d] = at(s.Size[d]), at(s.Stride[d])
	}
	return g
}

func (m *maker) tensor(r *recipe) value.Value {
	t := r.t
	var s *tensor.Storage
	geom := t.geom
	if t.meta != nil {
		geom = m.geometry(t.meta)
	}
	if t.owner != nil {
		o := m.get(t.owner).AsInstance().Native.(*eager.Tensor)
		s = o.Store
		geom.Off += o.Off - t.from
	} else if s = m.made[t.own]; s == nil {
		s = tensor.NewStorage(m.bufs[t.own.cur])
		for range t.own.times {
			s.Wrote()
		}
		m.made[t.own] = s
	}
	var base *eager.Tensor
	if t.base != nil {
		base = m.get(t.base).AsInstance().Native.(*eager.Tensor)
	}
	x := t.form.Make(m.x, s, geom, base, func(i int) *eager.Tensor {
		return m.get(t.leaves[i]).AsInstance().Native.(*eager.Tensor)
	})
	if t.front > 0 {
		x.Behind(m.fronts[t.front-1])
	}
	if base != nil {
		m.views = append(m.views, madeView{x, t.stale})
	}
	v := m.ts.tr.opts.Wrap(x)
	m.objs[r.id] = v
	if t.grad != nil {
		if err := x.SetGrad(m.get(t.grad).AsInstance().Native.(*eager.Tensor)); err != nil {
			panic("BUG: a gradient that does not fit: " + err.Error())
		}
	}
	in := v.AsInstance()
	for i, name := range t.shape.Names() {
		in.Set(name, m.get(t.attrs[i]))
	}
	return v
}
