package larkspur

import (
	"context"
	"fmt"
	"io"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tracer"
)

// Captured is what was recorded of one call.
type Captured struct {
	Graphs []CapturedGraph
	Breaks []CapturedBreak // also recordings that were given up
}

// CapturedGraph is one graph with the conditions under which it may run.
type CapturedGraph struct {
	Where  string   // the place where it starts
	Ops    []string // their names, in order
	Guards []string
	Text   string
}

// CapturedBreak is a graph break.
type CapturedBreak struct {
	Reason string
	Stack  []Frame // outermost first
	// Source is the line of the innermost frame, and below it carets, each with a line end.
	Source string
}

// Capture calls f once, as Func.Call does, and tells what of it was captured:
// torch._dynamo.explain for hosts. It works with any Options.JIT.
func (rt *Runtime) Capture(ctx context.Context, f *Func, args ...any) (c Captured, err error) {
	defer contain(&err)
	comp, err := rt.backend("inductor")
	if err != nil {
		return c, err
	}
	m := &tracer.Marking{Compiler: comp, Wait: true, Apart: true}
	mark := func(x *vm.Function) *vm.Function { return x.Unmarked().Marked(m, true) }
	fn, ok := remake(f.fn, mark)
	if !ok {
		return c, newError(value.TypeErrorf("Capture: a function of the language is expected, not '%s'", value.TypeOf(f.fn).Name))
	}
	rt.mark(nil)
	_, err = (&Func{mod: f.mod, fn: fn}).Call(ctx, args...)
	got := m.Captures()
	for _, g := range got.Graphs {
		x := CapturedGraph{Where: g.Where, Ops: g.Ops, Text: g.Text}
		for i := range g.Guards {
			x.Guards = append(x.Guards, g.Guards[i].String())
		}
		c.Graphs = append(c.Graphs, x)
	}
	for _, b := range got.Breaks {
		x := CapturedBreak{Reason: b.Cause(), Source: rt.pointed(b.At)}
		for _, e := range b.Stack {
			x.Stack = append(x.Stack, Frame(e))
		}
		c.Breaks = append(c.Breaks, x)
	}
	return c, err
}

// Func makes a function of no arguments that evaluates an expression among the
// session's names.
func (s *Session) Func(ctx context.Context, name, expr string) (*Func, error) {
	var v value.Value
	err := s.rt.on(ctx, func(th *vm.Thread) error {
		prog, err := s.rt.compile(name, "lambda: (\n"+expr+"\n)", bytecode.EvalMode)
		if err != nil {
			return err
		}
		v, err = th.Exec(prog, s.m)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Func{mod: &Module{rt: s.rt, m: s.m}, fn: v}, nil
}

// Disassemble prints the bytecode of the function that an expression gives: a
// function, a method, or a module's forward.
func (s *Session) Disassemble(ctx context.Context, w io.Writer, expr string) error {
	return s.rt.on(ctx, func(th *vm.Thread) error {
		prog, err := s.rt.compile("<dis>", expr, bytecode.EvalMode)
		if err != nil {
			return err
		}
		v, err := th.Exec(prog, s.m)
		if err != nil {
			return err
		}
		if v.AsInstance() != nil {
			if fwd, err := th.Do(value.GetAttr(&th.Thread, v, "forward")); err == nil {
				v = fwd
			}
		}
		found := false
		remake(v, func(f *vm.Function) *vm.Function {
			found = true
			f.Code().Disassemble(w)
			return f
		})
		if !found {
			return value.TypeErrorf("a function is expected, not %s", value.TypeOf(v).Name)
		}
		return nil
	})
}

// String is the break with its place.
func (b CapturedBreak) String() string {
	if len(b.Stack) == 0 {
		return b.Reason
	}
	at := b.Stack[len(b.Stack)-1]
	return fmt.Sprintf("%s:%d in %s: %s", at.File, at.Line, at.Func, b.Reason)
}
