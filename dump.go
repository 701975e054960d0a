package larkspur

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/lang/resolve"
	"github.com/larkspur-ml/larkspur/lang/syntax"
)

// DumpStages are the stages of the pipeline that can be printed.
var DumpStages = []string{"ast", "names", "bytecode", "trace", "guards", "breaks", "joint", "graph", "decomp", "loops", "plan", "asm", "ptx"}

// dumper prints what passes between the stages. Spec is STAGE or STAGE:FUNC; a
// front-end stage prints the files that the program loads, of FUNC only the
// functions of that (qualified) name; for a stage behind the ops FUNC is an op's name.
type dumper struct {
	mu    sync.Mutex
	to    io.Writer
	specs []*dumpSpec
}

type dumpSpec struct {
	stage, fn string
	met       bool            // something was printed
	names     map[string]bool // that passed the stage, where fn names one
}

func newDumper(to io.Writer, specs []string) (*dumper, error) {
	if len(specs) == 0 {
		return nil, nil
	}
	d := &dumper{to: to}
	for _, s := range specs {
		stage, fn, _ := strings.Cut(s, ":")
		if !slices.Contains(DumpStages, stage) {
			return nil, fmt.Errorf("unknown stage %q; there are %s", stage, strings.Join(DumpStages, ", "))
		}
		d.specs = append(d.specs, &dumpSpec{stage: stage, fn: fn, names: map[string]bool{}})
	}
	return d, nil
}

func (s *dumpSpec) wants(qualname, name string) bool {
	if s.fn == "" {
		return true
	}
	ok := s.fn == qualname || s.fn == name
	s.met = s.met || ok
	s.names[qualname] = true
	return ok
}

// missed says that a name did not occur, and which did; "" if it did.
func (s *dumpSpec) missed() string {
	if s.fn == "" || s.met {
		return ""
	}
	const most = 30
	names := slices.Sorted(maps.Keys(s.names))
	rest := ""
	if len(names) > most {
		names, rest = names[:most], " …"
	}
	if len(names) == 0 {
		return fmt.Sprintf("nothing named %q passed the stage %s: nothing at all did", s.fn, s.stage)
	}
	return fmt.Sprintf("nothing named %q passed the stage %s; there are %s%s", s.fn, s.stage, strings.Join(names, ", "), rest)
}

// Undumped lists, a message each, the Options.Dump whose NAME has not occurred.
func (rt *Runtime) Undumped() []string {
	if rt.dump == nil {
		return nil
	}
	rt.dump.mu.Lock()
	defer rt.dump.mu.Unlock()
	var out []string
	for _, s := range rt.dump.specs {
		if m := s.missed(); m != "" {
			out = append(out, m)
		}
	}
	return out
}

// tree prints the front-end stages of a file.
func (d *dumper) tree(m *syntax.Module) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.specs {
		switch s.stage {
		case "ast":
			if s.fn == "" {
				syntax.Fprint(d.to, m)
				continue
			}
			syntax.Inspect(m, func(n syntax.Node) bool {
				if f, ok := n.(*syntax.FunctionDef); ok && s.wants(f.Scope.QualName, f.Name.ID) {
					syntax.Fprint(d.to, f)
				}
				return true
			})
		case "names":
			var walk func(sc *syntax.Scope)
			walk = func(sc *syntax.Scope) {
				if s.fn != "" && s.wants(sc.QualName, sc.Name) {
					resolve.Fprint(d.to, sc)
					return
				}
				for _, c := range sc.Children {
					walk(c)
				}
			}
			if s.fn == "" {
				resolve.Fprint(d.to, m.Scope)
				continue
			}
			walk(m.Scope)
		}
	}
}

func (d *dumper) program(p *bytecode.Program) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.specs {
		if s.stage != "bytecode" {
			continue
		}
		if s.fn == "" {
			bytecode.Disassemble(d.to, p)
			continue
		}
		for _, c := range p.Codes {
			if s.wants(c.QualName, c.Name) {
				c.Disassemble(d.to)
			}
		}
	}
}

// recording prints the stages of a recording; FUNC is the function in which its
// region starts.
func (d *dumper) recording() func(stage, name, text string) {
	if d == nil {
		return nil
	}
	return func(stage, name, text string) {
		if text == "" {
			return
		}
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, s := range d.specs {
			if s.stage == stage && s.wants(name, name[strings.LastIndexByte(name, '.')+1:]) {
				io.WriteString(d.to, text)
			}
		}
	}
}

// compiler wraps a graph.Compiler so that what it compiles is printed.
func (d *dumper) compiler(c graph.Compiler) graph.Compiler {
	if d == nil {
		return c
	}
	return &dumpingCompiler{d, c}
}

type dumpingCompiler struct {
	d *dumper
	c graph.Compiler
}

func (c *dumpingCompiler) Compile(ctx context.Context, g *graph.Graph) (graph.Executable, error) {
	exe, err := c.c.Compile(ctx, g)
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	for _, s := range c.d.specs {
		if s.stage != "graph" && s.stage != "decomp" && s.stage != "loops" && s.stage != "plan" {
			continue
		}
		if !slices.ContainsFunc(g.Nodes, func(n *graph.Node) bool { return s.wants(n.Call.Def.Name, n.Call.Def.Base) }) {
			continue
		}
		switch s.stage {
		case "graph":
			fmt.Fprintln(c.d.to, g)
		case "decomp": // after the passes, as it is lowered
			h := g.Clone()
			graph.Optimize(h)
			fmt.Fprintln(c.d.to, h)
		case "loops", "plan":
			if err == nil {
				fmt.Fprintln(c.d.to, exe.Dump(s.stage))
			}
		}
	}
	return exe, err
}

// listing prints the text of kernels as they are made, at stage "asm" each at its
// first run with a class of strides; FUNC is the kernel's name. nil: nobody wants it.
func (d *dumper) listing(stage, comment string) func(name, text, why string) {
	if d == nil || !slices.ContainsFunc(d.specs, func(s *dumpSpec) bool { return s.stage == stage }) {
		return nil
	}
	return func(name, text, why string) {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, s := range d.specs {
			if s.stage != stage || !s.wants(name, name) {
				continue
			}
			if why != "" {
				text = "kept on the host: " + why + "\n"
				if stage == "asm" {
					text = "kept on the portable target: " + why + "\n"
				}
			}
			fmt.Fprintf(d.to, "%s kernel %s\n%s\n", comment, name, text)
		}
	}
}

// Disassemble gives the text of a file's code, without running it. fn selects
// functions by (qualified) name; "" takes all.
func (rt *Runtime) Disassemble(w io.Writer, file, text, fn string) (err error) {
	defer contain(&err)
	prog, err := rt.compile(file, text, bytecode.ExecMode)
	if err != nil {
		return rt.wrap(err)
	}
	s := &dumpSpec{stage: "bytecode", fn: fn, names: map[string]bool{}}
	(&dumper{to: w, specs: []*dumpSpec{s}}).program(prog)
	if fn != "" && !s.met {
		return newError(fmt.Errorf("there is no function %q in %s; there are %s", fn, file, strings.Join(slices.Sorted(maps.Keys(s.names)), ", ")))
	}
	return nil
}
