package guards

import (
	"testing"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// bench is a world of one frame without functions and tensors.
type bench struct{ regs []value.Value }

func (b *bench) Reg(i, j int) value.Value                   { return b.regs[j] }
func (b *bench) Fn(int) value.Value                         { return value.None }
func (b *bench) Code(value.Value) any                       { return nil }
func (b *bench) SameState(value.Value, any) bool            { return false }
func (b *bench) Watch(value.Value) (**value.Watch, bool)    { return nil, false }
func (b *bench) Bare(value.Value) bool                      { return false }
func (b *bench) Cell(value.Value, int) value.Value          { return value.Value{} }
func (b *bench) Default(value.Value, int) value.Value       { return value.Value{} }
func (b *bench) SameModes(any) bool                         { return true }
func (b *bench) Matches(value.Value, any) bool              { return false }
func (b *bench) Grad(value.Value) value.Value               { return value.None }
func (b *bench) Size(value.Value, int) (int64, bool)        { return 0, false }
func (b *bench) SameStorage(x, y value.Value, n int64) bool { return false }
func (b *bench) Apart(x, y value.Value) bool                { return true }

// TestChain follows a source from a register through a list into a dict, and
// names the guard that fails and what it found.
func TestChain(t *testing.T) {
	d := value.NewDict(0)
	d.SetStr("n", value.Int(3))
	l := value.NewList([]value.Value{value.None, d.Value()})
	root := &Source{Step: "local x"}
	item := &Source{Parent: root, Step: "[1]", ID: 1}
	key := &Source{Parent: item, Step: "['n']", ID: -1}
	list := []Guard{
		{Load: LoadReg, Test: TestType, Itab: value.ItabList, Dst: 0, Source: root},
		{Load: LoadItem, A: root.Ref(), J: 1, Test: TestType, Itab: value.ItabDict, Dst: 1, Source: item},
		{Load: LoadKey, A: item.Ref(), B: ConstRef(value.Str("n")), Test: TestEqual, Want: value.Int(3), Dst: -1, Source: key},
		{A: root.Ref(), Test: TestLen, J2: 2, Dst: -1, Source: root},
	}
	w := &bench{regs: []value.Value{l.Value()}}
	th := &value.Thread{}
	vals := make([]value.Value, 2)
	if g, _ := Check(list, w, th, vals); g != nil {
		t.Fatalf("fails: %s", g)
	}
	if vals[1] != d.Value() {
		t.Error("the dict was not kept")
	}
	d.SetStr("n", value.Int(4))
	g, got := Check(list, w, th, vals)
	if g != &list[2] || got != value.Int(4) || g.String() != "local x[1]['n'] == 3" {
		t.Errorf("%v, found %s", g, Text(got))
	}
	d.SetStr("n", value.Bool(true)) // another type
	if g, _ = Check(list, w, th, vals); g != &list[2] {
		t.Errorf("True passes for 3: %v", g)
	}
	d.SetStr("n", value.Int(3))
	l.Elems = append(l.Elems, value.None)
	if g, _ = Check(list, w, th, vals); g != &list[3] {
		t.Errorf("a longer list: %v", g)
	}
	w.regs[0] = value.Int(1) // the parent itself is something else
	if g, _ = Check(list, w, th, vals); g != &list[0] {
		t.Errorf("an int for a list: %v", g)
	}
	if g, _ = Check(list[1:], w, th, []value.Value{value.Int(1), {}}); g != &list[1] {
		t.Errorf("an item of an int: %v", g)
	}
}
