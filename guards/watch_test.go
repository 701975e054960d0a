package guards

import (
	"testing"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// watched marks attribute n of an instance, an element of a list that is another
// attribute, and a key of a dict.
func watched(t *testing.T) (*value.Instance, *value.List, *value.Dict, *Plan, *Trip, []value.Value) {
	in := value.NewInstance(value.NewClass("C", "m"))
	l, d := value.NewList([]value.Value{value.Int(1), value.Int(2)}), value.NewDict(0)
	d.SetStr("k", value.Int(3))
	in.Set("n", value.Int(5))
	in.Set("l", l.Value())
	in.Set("other", value.Int(0))
	in.Set("d", d.Value())
	obj := ConstRef(in.Value())
	all := []Guard{
		{Load: LoadReg, Test: TestEqual, Want: value.Int(9), Dst: -1},
		{Load: LoadSlot, A: obj, Name: "n", Test: TestEqual, Want: value.Int(5), Dst: -1},
		{Load: LoadSlot, A: obj, Name: "l", Test: TestType, Itab: value.ItabList, Dst: 0},
		{Load: LoadItem, A: Ref{ID: 0}, J: 1, Test: TestEqual, Want: value.Int(2), Dst: -1},
		{Load: LoadSlot, A: obj, Name: "d", Test: TestType, Itab: value.ItabDict, Dst: 1},
		{Load: LoadKey, A: Ref{ID: 1}, B: ConstRef(value.Str("k")), Test: TestEqual, Want: value.Int(3), Dst: -1},
	}
	trip, vals := &Trip{}, make([]value.Value, 2)
	p, ok := NewPlan(all, &bench{}, &value.Thread{}, trip, vals, nil)
	if !ok || len(p.Args) != 1 || len(p.Marked) != 5 || len(p.Late) != 0 || vals[0] != l.Value() {
		t.Fatalf("%+v", p)
	}
	return in, l, d, p, trip, vals
}

// TestTrip fires what is marked, and nothing else.
func TestTrip(t *testing.T) {
	in, l, d, p, trip, vals := watched(t)
	th := &value.Thread{}
	for i, c := range []struct {
		do    func()
		fires bool
	}{
		{func() { in.Set("other", value.Int(7)) }, false},
		{func() { in.Set("n", value.Int(5)) }, false},
		{func() { l.SetElem(th, 1, value.Int(2)) }, false},
		{func() { d.Set(th, value.Str("k"), value.Int(3)) }, false},
		{func() { in.Set("n", value.Int(6)) }, true},
		{func() { in.Set("n", value.Int(5)) }, true},
		{func() { l.Append(th, value.None) }, true},
		{func() { d.Delete(th, value.Str("k")) }, true},
		{func() { d.Set(th, value.Str("k"), value.Int(3)) }, true},
		{func() { in.Delete("other") }, true}, // what is behind it moves
	} {
		c.do()
		if trip.Dirty() != c.fires {
			t.Errorf("step %d: dirty is %v", i, trip.Dirty())
		}
		trip.Clear()
		p, _, _ = p.Poll(&bench{}, th, trip, vals)
	}
	in.Set("n", value.Int(1))
	trip.Clear()
	if _, g, got := p.Poll(&bench{}, th, trip, vals); g == nil || g.Name != "n" || got != value.Int(1) {
		t.Errorf("%v, found %s", g, Text(got))
	}
}

// TestVolatile has a place fire until it is polled; then it fires no more, and its
// guard is one of those that a look-up tests.
func TestVolatile(t *testing.T) {
	in, _, _, p, trip, vals := watched(t)
	fires := 0
	for i := range 20 {
		in.Set("n", value.Int(int64(100+i)))
		in.Set("n", value.Int(5))
		if trip.Dirty() {
			fires++
			trip.Clear()
			var g *Guard
			if p, g, _ = p.Poll(&bench{}, &value.Thread{}, trip, vals); g != nil {
				t.Fatal(g)
			}
		}
	}
	if fires != volatileAfter+1 || len(p.Args) != 2 || p.All[p.Args[1]].Name != "n" || len(p.Marked) != 4 {
		t.Errorf("%d fires, %+v", fires, p)
	}
}

// TestMarksForget drops Trips: the marks let go of them.
func TestMarksForget(t *testing.T) {
	in := value.NewInstance(value.NewClass("C", "m"))
	in.Set("n", value.Int(0))
	for range 100 {
		trip := &Trip{}
		if !mark(&in.Watch, 0, trip) {
			t.Fatal("no mark")
		}
		trip.Drop()
	}
	if n := len(in.Watch.Owner.(*marks).deps); n > 8 {
		t.Errorf("%d are remembered", n)
	}
	in.Set("n", value.Int(1))
	if w := in.Watch; w.Bits != 0 {
		t.Errorf("bits %b", w.Bits)
	}
}
