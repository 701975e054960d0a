package larkspur

import (
	"fmt"
	"strings"

	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/stdlib/torch"
	"github.com/larkspur-ml/larkspur/tracer"
)

// dynamo implements torch.Dynamo over the recorder.
type dynamo struct{ rt *Runtime }

// remake makes a function, or the function of a bound method, anew; ok is false
// for other values.
func remake(v value.Value, f func(*vm.Function) *vm.Function) (_ value.Value, ok bool) {
	switch {
	case v.Is(vm.ItabFunction):
		return f((*vm.Function)(v.P)).Value(), true
	case v.Is(value.ItabMethod):
		m := (*value.BoundMethod)(v.P)
		if m.Fn.Is(vm.ItabFunction) {
			return (&value.BoundMethod{Fn: f((*vm.Function)(m.Fn.P)).Value(), Self: m.Self}).Value(), true
		}
	}
	return v, false
}

func (d dynamo) Compile(t *value.Thread, fn value.Value, o torch.CompileOptions) (value.Value, bool, error) {
	c, err := d.rt.backend(o.Backend)
	if err != nil {
		return value.Value{}, false, value.RuntimeErrorf("%s", err)
	}
	m := &tracer.Marking{Compiler: c, FullGraph: o.FullGraph, Wait: o.Wait || d.rt.opts.JIT == JITSync}
	m.Apart = o.FullGraph || o.Wait || o.Dynamic != nil || o.Backend != "inductor"
	if o.Dynamic != nil {
		m.Dynamic = tracer.Never
		if *o.Dynamic {
			m.Dynamic = tracer.Always
		}
	}
	class := o.Unsupported
	if class == nil {
		class = value.ExcRuntimeError
	}
	m.Unsupported = func(b *tracer.Break) error { return d.rt.unsupported(class, b) }
	v, ok := remake(fn, func(f *vm.Function) *vm.Function { return f.Unmarked().Marked(m, true) })
	if ok {
		d.rt.mark(vm.ThreadOf(t))
	}
	return v, ok, nil
}

func (d dynamo) Disable(t *value.Thread, fn value.Value) (value.Value, bool) {
	d.rt.mark(nil)
	return remake(fn, func(f *vm.Function) *vm.Function { return f.Unmarked().Marked(tracer.Disabled, false) })
}

func (d dynamo) Compiling(t *value.Thread) bool { return d.rt.tracer.Compiling(vm.ThreadOf(t)) }

func (d dynamo) Reset(t *value.Thread) { d.rt.tracer.Reset(vm.ThreadOf(t)) }

func (d dynamo) Backends() []string { return d.rt.Backends() }

func (d dynamo) Captured(_ *value.Thread, fn value.Value) (torch.Captured, bool) {
	var m *tracer.Marking
	remake(fn, func(f *vm.Function) *vm.Function {
		m, _ = f.Mark().(*tracer.Marking)
		return f
	})
	if m == nil {
		return torch.Captured{}, false
	}
	var c torch.Captured
	r := m.Captures()
	for _, g := range r.Graphs {
		c.Graphs, c.Texts = append(c.Graphs, g.Ops), append(c.Texts, g.Text)
		for i := range g.Guards {
			x := &g.Guards[i]
			source := ""
			if x.Source != nil {
				source = x.Source.String()
			}
			c.Guards = append(c.Guards, torch.Guard{Source: source, Kind: x.Test.String(), Text: x.String()})
		}
	}
	for _, b := range r.Breaks {
		out := torch.Break{Reason: b.Cause(), Stack: b.Stack}
		for _, e := range b.Stack {
			out.Lines = append(out.Lines, d.rt.excerpt(e))
		}
		c.Breaks = append(c.Breaks, out)
	}
	return c, true
}

// mark makes the recorder look for functions with a mark, on this thread at once and
// on the others from their next run on.
func (rt *Runtime) mark(th *vm.Thread) {
	rt.tracer.Use()
	rt.marks.Store(true)
	if th != nil {
		rt.observe(th)
	}
}

// unsupported is what fullgraph=True raises at a break, worded as PyTorch does.
func (rt *Runtime) unsupported(class *value.Class, b *tracer.Break) error {
	var s strings.Builder
	s.WriteString(b.Cause() + "\n\nfrom user code:\n")
	for _, e := range b.Stack {
		fmt.Fprintf(&s, "  File %q, line %d, in %s\n%s", e.File, e.Line, e.Func, rt.pointed(e))
	}
	return value.Errorf(class, "%s", strings.TrimSuffix(s.String(), "\n"))
}

// pointed is the source line of a place and a line with carets, indented by four;
// "" if the source is not at hand.
func (rt *Runtime) pointed(e value.Entry) string {
	text, ok := rt.machine.Source(e.File)
	if !ok {
		return ""
	}
	return value.Pointed(text, e)
}

// excerpt is pointed without the indent and the last line's end.
func (rt *Runtime) excerpt(e value.Entry) string {
	lines := strings.Split(strings.TrimSuffix(rt.pointed(e), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "    ")
	}
	return strings.Join(lines, "\n")
}
