package torch

import (
	"github.com/larkspur-ml/larkspur/lang/value"
)

// Dynamo is what torch.compile, torch.compiler and torch._dynamo stand on. Root
// implements it over the recorder.
type Dynamo interface {
	// Compile makes the function that torch.compile returns. fn is a function or a
	// bound method of one; ok is false for anything else.
	Compile(t *value.Thread, fn value.Value, o CompileOptions) (v value.Value, ok bool, err error)
	// Disable makes a function like fn that is not recorded.
	Disable(t *value.Thread, fn value.Value) (v value.Value, ok bool)
	// Compiling reports whether the code that runs belongs to a compiled function.
	Compiling(t *value.Thread) bool
	// Reset forgets what was recorded.
	Reset(t *value.Thread)
	// Backends lists names, sorted.
	Backends() []string
	// Captured is what was recorded of a function that Compile has made.
	Captured(t *value.Thread, fn value.Value) (Captured, bool)
}

// CompileOptions are the arguments of torch.compile.
type CompileOptions struct {
	FullGraph bool
	Dynamic   *bool
	Backend   string
	// Wait makes the first call wait for the code.
	Wait bool
	// Unsupported is the class of what FullGraph raises.
	Unsupported *value.Class
}

// Captured is what torch._dynamo.explain tells.
type Captured struct {
	Graphs [][]string // ops of each
	Texts  []string
	Guards []Guard
	Breaks []Break
}

// Guard is one guard of a graph.
type Guard struct{ Source, Kind, Text string }

// Break is a graph break: why, and where, outermost first.
type Break struct {
	Reason string
	Stack  []value.Entry
	// Lines are the source lines of Stack, with a line of carets each.
	Lines []string
}

// dynamo gives the functions of torch._C for them.
func (r *Runtime) dynamo(name string) (value.Value, bool) {
	d := r.opts.Dynamo
	fn := func(f func(t *value.Thread, a []value.Value, kw []value.Kwarg) (value.Value, error)) (value.Value, bool) {
		return told(name, value.NewBuiltin(name, f).Value()), true
	}
	switch name {
	case "_compile":
		return fn(func(t *value.Thread, a []value.Value, kw []value.Kwarg) (value.Value, error) {
			if d == nil {
				return a[0], nil
			}
			v, ok, err := d.Compile(t, a[0], compileOptions(kw))
			if err == nil && !ok {
				v = value.None
			}
			return v, err
		})
	case "_disable":
		return fn(func(t *value.Thread, a []value.Value, _ []value.Kwarg) (value.Value, error) {
			if d != nil {
				if v, ok := d.Disable(t, a[0]); ok {
					return v, nil
				}
			}
			return value.None, nil
		})
	case "_is_compiling":
		return fn(func(t *value.Thread, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
			return value.Bool(d != nil && d.Compiling(t)), nil
		})
	case "graph_break":
		return fn(func(*value.Thread, []value.Value, []value.Kwarg) (value.Value, error) { return value.None, nil })
	case "_reset":
		return fn(func(t *value.Thread, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
			if d != nil {
				d.Reset(t)
			}
			return value.None, nil
		})
	case "_backends":
		return fn(func(*value.Thread, []value.Value, []value.Kwarg) (value.Value, error) {
			var names []value.Value
			if d != nil {
				for _, n := range d.Backends() {
					names = append(names, value.Str(n))
				}
			}
			return value.ListOf(names...), nil
		})
	case "_captured":
		return fn(func(t *value.Thread, a []value.Value, _ []value.Kwarg) (value.Value, error) {
			if d == nil {
				return value.None, nil
			}
			c, ok := d.Captured(t, a[0])
			if !ok {
				return value.None, nil
			}
			return c.value(), nil
		})
	}
	return value.Value{}, false
}

func compileOptions(kw []value.Kwarg) CompileOptions {
	o := CompileOptions{Backend: "inductor"}
	for _, k := range kw {
		switch k.Name {
		case "fullgraph":
			o.FullGraph = k.Value == value.True
		case "dynamic":
			if k.Value.IsBool() {
				on := k.Value == value.True
				o.Dynamic = &on
			}
		case "backend":
			o.Backend, _ = k.Value.AsString()
		case "wait":
			o.Wait = k.Value == value.True
		case "unsupported":
			o.Unsupported = k.Value.AsClass()
		}
	}
	return o
}

// value is (graphs, texts, guards, breaks): lists of names, strings, triples, and
// pairs of a reason and frames (file, line, function, text).
func (c Captured) value() value.Value {
	strs := func(list []string) value.Value {
		out := make([]value.Value, len(list))
		for i, s := range list {
			out[i] = value.Str(s)
		}
		return value.ListOf(out...)
	}
	var graphs, guards, breaks []value.Value
	for _, g := range c.Graphs {
		graphs = append(graphs, strs(g))
	}
	for _, g := range c.Guards {
		guards = append(guards, value.Tuple(value.Str(g.Source), value.Str(g.Kind), value.Str(g.Text)))
	}
	for _, b := range c.Breaks {
		var frames []value.Value
		for i, e := range b.Stack {
			frames = append(frames, value.Tuple(value.Str(e.File), value.Int(int64(e.Line)), value.Str(e.Func), value.Str(b.Lines[i])))
		}
		breaks = append(breaks, value.Tuple(value.Str(b.Reason), value.ListOf(frames...)))
	}
	return value.Tuple(value.ListOf(graphs...), strs(c.Texts), value.ListOf(guards...), value.ListOf(breaks...))
}
