package larkspur

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
)

// stateDump writes values with identity: every object gets a number when it is
// first met.
type stateDump struct {
	seen map[any]int
	b    strings.Builder
}

// first numbers an object and reports whether it is new.
func (d *stateDump) first(key any) bool {
	if n, ok := d.seen[key]; ok {
		fmt.Fprintf(&d.b, "#%d", n)
		return false
	}
	n := len(d.seen)
	d.seen[key] = n
	fmt.Fprintf(&d.b, "#%d=", n)
	return true
}

func (d *stateDump) value(v value.Value) {
	b := &d.b
	switch {
	case v.IsUnset():
		b.WriteString("unset")
		return
	case v.IsFloat():
		fmt.Fprintf(b, "%.5g", v.Float64())
		return
	case v.IsTagged():
		fmt.Fprintf(b, "%s:%s", value.TypeOf(v).Name, v.Starlark())
		return
	}
	if s, ok := v.AsString(); ok {
		fmt.Fprintf(b, "%q", s)
		return
	}
	list := func(open string, vs []value.Value, end string) {
		b.WriteString(open)
		for _, e := range vs {
			d.value(e)
			b.WriteString(",")
		}
		b.WriteString(end)
	}
	if tup, ok := v.AsTuple(); ok {
		b.WriteString("(")
		for _, e := range tup {
			d.value(value.FromStarlark(e))
			b.WriteString(",")
		}
		b.WriteString(")")
		return
	}
	switch o := v.Starlark().(type) {
	case *value.List:
		if d.first(o) {
			list("[", o.Elems, "]")
		}
	case *value.Dict:
		if d.first(o) {
			b.WriteString("{")
			for i := 0; ; {
				k, x, next, ok := o.Next(i)
				if !ok {
					break
				}
				d.value(k)
				b.WriteString(":")
				d.value(x)
				b.WriteString(",")
				i = next
			}
			b.WriteString("}")
		}
	case *value.Instance:
		if !d.first(o) {
			return
		}
		if t, ok := o.Native.(*eager.Tensor); ok {
			d.tensor(t)
		} else if r, ok := o.Native.(*value.Raised); ok {
			b.WriteString("raised " + r.Class.Name)
			list("(", r.Args, ")")
		} else {
			b.WriteString(o.Class().Name)
		}
		b.WriteString("<")
		names := o.Shape.Names()
		for i, n := range names {
			b.WriteString(n + "=")
			d.value(o.Slots[i])
			b.WriteString(";")
		}
		b.WriteString(">")
	case *value.Class:
		if d.first(o) && o.Module != "builtins" && !strings.HasPrefix(o.Module, "torch") {
			b.WriteString("class " + o.Name)
			for _, n := range o.OwnNames() {
				x, _ := o.Own(n)
				b.WriteString(" " + n + "=")
				d.value(x)
			}
		}
	case *vm.Function:
		if d.first(o) {
			b.WriteString("function " + o.Code().Name)
			for _, c := range o.Cells() {
				b.WriteString(" cell ")
				if d.first(c) {
					d.value(c.V)
				}
			}
			list(" defaults", o.Defaults(), "")
		}
	case *vm.Generator:
		if d.first(o) {
			list("generator", namedRegisters(o), "")
		}
	case *value.BoundMethod:
		b.WriteString("bound ")
		d.value(o.Self)
		d.value(o.Fn)
	case *value.Cell:
		if d.first(o) {
			d.value(o.V)
		}
	case *value.ListIter:
		if d.first(o) {
			pos := o.Pos
			if pos >= len(o.List.Elems) {
				pos = len(o.List.Elems)
			}
			fmt.Fprintf(b, "iterator at %d ", pos)
			d.value(o.List.Value())
		}
	case *value.Builtin:
		b.WriteString("builtin " + o.Name)
	case *value.Module:
		b.WriteString("module " + o.Name)
	case *value.Set:
		if d.first(o) {
			var vs []value.Value
			for i := 0; ; {
				x, next, ok := o.Next(i)
				if !ok {
					break
				}
				vs, i = append(vs, x), next
			}
			list("{", vs, "}")
		}
	default:
		fmt.Fprintf(b, "<%T>", o)
	}
}

// namedRegisters are a generator's variables.
func namedRegisters(g *vm.Generator) []value.Value {
	regs := g.Registers()
	return regs[:min(len(regs), g.NumLocals())]
}

func (d *stateDump) tensor(t *eager.Tensor) {
	b := &d.b
	fmt.Fprintf(b, "tensor %s %v:%v@%d req=%v ", t.DType, t.Size, t.Stride, t.Off, t.RequiresGrad())
	if n, _, err := t.GradFn(); err == nil && n != nil {
		b.WriteString(n.Name + " ")
	}
	if d.first(t.Store) {
		x := eager.Context{}
		flat := eager.New(t.Store, t.Geometry)
		x.Values(flat, func(n tensor.Number) {
			f := n.Float64()
			if f == 0 {
				f = 0
			}
			fmt.Fprintf(b, "%.4g ", f)
		})
	}
	if g := t.Grad(); g != nil {
		b.WriteString("grad ")
		if d.first(g) {
			d.tensor(g)
		}
	}
}

// dumpState is the text of all that a module reaches, of a result, and of the
// random stream.
func dumpState(rt *Runtime, m *Module, res value.Value) string {
	d := &stateDump{seen: map[any]int{}}
	names := m.m.SlotNames()
	names = append([]string(nil), names...)
	sort.Strings(names)
	for _, n := range names {
		v, ok := m.m.Get(n)
		if !ok || strings.HasPrefix(n, "__") {
			continue
		}
		d.b.WriteString(n + " = ")
		d.value(v)
		d.b.WriteString("\n")
	}
	d.b.WriteString("result = ")
	d.value(res)
	x := rt.torch.Context(&rt.main.Thread)
	h := uint64(14695981039346656037)
	for _, c := range x.Generator(x.Dev).State.Bytes() {
		h = (h ^ uint64(c)) * 1099511628211
	}
	fmt.Fprintf(&d.b, "\nrandom %x grad mode %v\n", h, x.GradMode)
	return d.b.String()
}

// call is Call without conversion of the result.
func (f *Func) call(ctx context.Context) (res value.Value, err error) {
	defer contain(&err)
	err = f.mod.rt.on(ctx, func(th *vm.Thread) error {
		res, err = th.Call(f.fn, nil, nil)
		return err
	})
	return res, err
}
