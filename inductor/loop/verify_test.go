package loop

import (
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// rowKernel is a softmax over the inner dimension: three passes over a row.
func rowKernel() *Kernel {
	c := sym.NewCtx()
	n, m := c.New("n", 4, 0), c.New("m", 5, 0)
	b := NewBuilder("softmax")
	x, y := b.AddBuf(tensor.Float32, In, "x"), b.AddBuf(tensor.Float32, Out, "y")
	size, stride := []sym.Int{n, m}, []sym.Int{m, sym.C(1)}
	b.Loop(Grid, n, func(r Axis) {
		at := func(a Axis) []Ix { return []Ix{At(r), At(a)} }
		mx := b.Fold(Vector, m, []FoldOp{FoldMax}, func(a Axis) []V {
			return []V{b.Load(b.Access(x, size, stride, sym.C(0), at(a), 0))}
		})[0]
		sum := b.Fold(Vector, m, []FoldOp{FoldAdd}, func(a Axis) []V {
			return []V{b.Exp(b.Sub(b.Load(b.Access(x, size, stride, sym.C(0), at(a), 0)), mx))}
		})[0]
		b.Loop(Vector, m, func(a Axis) {
			e := b.Exp(b.Sub(b.Load(b.Access(x, size, stride, sym.C(0), at(a), 0)), mx))
			b.Store(b.Access(y, size, stride, sym.C(0), at(a), 0), b.Div(e, sum))
		})
	})
	return b.Kernel()
}

const rowText = `kernel softmax
  buf 0 in float32 x
  buf 1 out float32 y
  param p0 = n
  param p1 = m
  grid a0 < p0 {
    vector a1 < p1 {
      v1 f32 = load 0[a0*p1 + a1]
    } v2 = max v1
    vector a2 < p1 {
      v3 f32 = load 0[a0*p1 + a2]
      v4 f32 = sub v3 v2
      v5 f32 = exp v4
    } v6 = add v5
    vector a3 < p1 {
      v7 f32 = load 0[a0*p1 + a3]
      v8 f32 = sub v7 v2
      v9 f32 = exp v8
      v10 f32 = div v9 v6
      store 1[a0*p1 + a3] v10
    }
  }
`

func TestPrint(t *testing.T) {
	k := rowKernel()
	if err := Verify(k); err != nil {
		t.Fatal(err)
	}
	if got := k.String(); got != rowText {
		t.Errorf("got\n%s\nwant\n%s", got, rowText)
	}
	if k.Split() == nil {
		t.Error("the rows may be cut apart")
	}
}

// TestVerify breaks a good kernel in one way after another.
func TestVerify(t *testing.T) {
	grid := func(k *Kernel) *Loop { return k.Body[0].(*Loop) }
	pass := func(k *Kernel, i int) *Loop { return grid(k).Body[i].(*Loop) }
	for _, c := range []struct {
		name string
		inv  string
		harm func(k *Kernel)
	}{
		{"defined twice", "invariant 1", func(k *Kernel) { pass(k, 1).Body[1].(*Let).V = 3 }},
		{"out of range", "invariant 1", func(k *Kernel) { pass(k, 1).Body[1].(*Let).V = 99 }},
		{"used before", "invariant 1", func(k *Kernel) { pass(k, 1).Body[1].(*Let).A = 9 }},
		{"used after its loop", "invariant 1", func(k *Kernel) { pass(k, 1).Body[1].(*Let).A = 1 }},
		{"wrong type", "invariant 2", func(k *Kernel) { pass(k, 1).Body[1].(*Let).Type = F64 }},
		{"load type", "invariant 2", func(k *Kernel) { pass(k, 0).Body[0].(*Let).Type = I32 }},
		{"too many operands", "invariant 2", func(k *Kernel) { pass(k, 1).Body[2].(*Let).B = 3 }},
		{"no such buffer", "invariant 2", func(k *Kernel) { pass(k, 0).Body[0].(*Let).Mem.Buf = 7 }},
		{"no such parameter", "invariant 2", func(k *Kernel) { grid(k).Extent = P{Par: 9} }},
		{"vector in vector", "invariant 3", func(k *Kernel) { grid(k).Kind = Vector }},
		{"grid in serial", "invariant 3", func(k *Kernel) { grid(k).Kind = Serial; pass(k, 2).Kind = Grid }},
		{"axis outside", "invariant 3", func(k *Kernel) { pass(k, 2).Body[0].(*Let).Mem.Terms[1].Axis = 1 }},
		{"axis twice", "invariant 3", func(k *Kernel) { pass(k, 2).Body[0].(*Let).Mem.Terms[1].Axis = 0 }},
		{"carry on vector", "invariant 4", func(k *Kernel) {
			l := pass(k, 2)
			l.Carry = []Carry{{Type: F32, Init: 2, Phi: 11, Next: 10, Out: 12}}
			k.NumV = 12
		}},
		{"fold of nothing", "invariant 1", func(k *Kernel) { pass(k, 0).Folds[0].In = 5 }},
		{"store to input", "invariant 5", func(k *Kernel) { k.Bufs[1].Role = In }},
	} {
		k := rowKernel()
		c.harm(k)
		err := Verify(k)
		if err == nil || !strings.Contains(err.Error(), c.inv) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.inv)
		}
	}
}

func TestBounds(t *testing.T) {
	k := rowKernel()
	b := NewBounds(k)
	mem := func(n int64) []Mem { return []Mem{{Len: n}, {Len: 20}} }
	if !b.Check([]int64{4, 5}, mem(20)) {
		t.Error("4 x 5 fits 20")
	}
	if b.Check([]int64{4, 5}, mem(19)) || b.Check([]int64{5, 5}, mem(30)) {
		t.Error("a range outside its buffer passes")
	}
	if !b.Check([]int64{0, 5}, mem(0)) || !b.Check([]int64{4, 0}, mem(0)) {
		t.Error("loops that do not run touch nothing")
	}
	if b.Check([]int64{1 << 33, 1 << 33}, mem(20)) || b.Check([]int64{-4, 5}, mem(20)) != true {
		t.Error("overflow")
	}
	p := []int64{1, 1}
	k = NewBuilder("x").Kernel()
	k.Bufs = []Buf{{DType: tensor.Float32, Role: In, Name: "x"}}
	k.NumAxis = 1
	k.Body = []Stmt{&Loop{Extent: Imm(3), Kind: Vector, Body: []Stmt{&Let{V: 1, Op: OpLoad, Type: F32, Mem: &Access{Off: Imm(2), Terms: []Term{{0, Imm(-1)}}}}}}}
	if !NewBounds(k).Check(p, []Mem{{Len: 3}}) {
		t.Error("2, 1, 0 lie in 3 elements")
	}
	k.Body[0].(*Loop).Extent = Imm(4)
	if NewBounds(k).Check(p, []Mem{{Len: 3}}) {
		t.Error("-1 does not")
	}
}

func TestBuilderSharing(t *testing.T) {
	b := NewBuilder("share")
	one, again := b.Const(F32, 1), b.Const(F32, 1)
	if one != again || one == b.Const(F64, 1) {
		t.Error("equal constants are one value, those of other types are not")
	}
	x := b.Const(I64, 5)
	if b.Add(x, b.ConstI(I64, 0)) != x || b.Mul(b.ConstI(I64, 1), x) != x || b.Add(x, x) != b.ConstI(I64, 10) {
		t.Error("integer constants fold")
	}
	var inner V
	b.Loop(Serial, sym.C(3), func(a Axis) { inner = b.Neg(b.AxisV(a)) })
	b.Loop(Serial, sym.C(3), func(a Axis) {
		if b.Neg(b.AxisV(a)) == inner {
			t.Error("a value of a closed loop must not be reused")
		}
	})
	if err := Verify(b.Kernel()); err != nil {
		t.Error(err)
	}
}
