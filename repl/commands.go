package repl

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/larkspur-ml/larkspur"
)

// Inputs that begin with a colon ask about code instead of running it.
func commands() []command {
	return []command{
		{"graph", "EXPR: evaluate it and print the graphs that are captured of it; without EXPR, what was captured so far", (*loop).graph},
		{"guards", "EXPR: evaluate it and print the guards of its graphs", (*loop).guards},
		{"breaks", "EXPR: evaluate it and print its graph breaks", (*loop).breaks},
		{"time", "EXPR: evaluate it again and again and print how long it takes", (*loop).time},
		{"dis", "EXPR: print the bytecode of a function, a method or a module's forward", (*loop).dis},
		{"doc", "EXPR: print what is known of a value, such as :doc torch.relu", (*loop).doc},
	}
}

type command struct {
	name, help string
	run        func(p *loop, expr string) error
}

// isCommand reports an input that is one.
func isCommand(src string) bool {
	src = strings.TrimSpace(src)
	return strings.HasPrefix(src, ":") || asked.MatchString(src)
}

// asked is x?, which asks for x's documentation as :doc x does.
var asked = regexp.MustCompile(`^[A-Za-z_][\w.]*\?$`)

// command runs one; errors are printed.
func (p *loop) command(src string) {
	if src := strings.TrimSpace(src); asked.MatchString(src) {
		p.command(":doc " + strings.TrimSuffix(src, "?"))
		return
	}
	name, expr, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(src), ":"), " ")
	expr = strings.TrimSpace(expr)
	for _, c := range commands() {
		if c.name != name {
			continue
		}
		if expr == "" && name != "graph" {
			fmt.Fprintf(p.err, ":%s %s\n", c.name, c.help)
			return
		}
		stop := Interrupts(p.rt, p.quit)
		err := c.run(p, expr)
		stop()
		p.complain(err)
		return
	}
	if name != "" && name != "help" {
		fmt.Fprintf(p.err, "there is no command :%s; there are\n", name)
	}
	for _, c := range commands() {
		fmt.Fprintf(p.out, ":%-6s %s\n", c.name, c.help)
	}
}

func (p *loop) complain(err error) {
	if e, ok := err.(*larkspur.Error); ok {
		p.traceback(e)
	} else if err != nil {
		fmt.Fprintln(p.err, err)
	}
}

func (p *loop) capture(expr string) (larkspur.Captured, error) {
	p.count++
	f, err := p.s.Func(p.ctx, fmt.Sprintf("<input %d>", p.count), expr)
	if err != nil {
		return larkspur.Captured{}, err
	}
	return p.rt.Capture(p.ctx, f)
}

func (p *loop) graph(expr string) error {
	if expr == "" {
		fmt.Fprint(p.out, p.rt.Explain(""))
		return nil
	}
	c, err := p.capture(expr)
	for i, g := range c.Graphs {
		fmt.Fprintf(p.out, "graph %d: %s, %d ops\n%s", i+1, g.Where, len(g.Ops), g.Text)
	}
	if len(c.Graphs) == 0 && err == nil {
		fmt.Fprintln(p.out, "no graph")
		p.printBreaks(c)
	}
	return err
}

func (p *loop) guards(expr string) error {
	c, err := p.capture(expr)
	for i, g := range c.Graphs {
		fmt.Fprintf(p.out, "graph %d: %s, %d guards\n", i+1, g.Where, len(g.Guards))
		for _, x := range g.Guards {
			fmt.Fprintf(p.out, "  %s\n", x)
		}
	}
	return err
}

func (p *loop) breaks(expr string) error {
	c, err := p.capture(expr)
	p.printBreaks(c)
	if len(c.Breaks) == 0 && err == nil {
		fmt.Fprintf(p.out, "no graph breaks; graphs: %d\n", len(c.Graphs))
	}
	return err
}

func (p *loop) printBreaks(c larkspur.Captured) {
	for _, b := range c.Breaks {
		fmt.Fprintf(p.out, "%s\n%s", b, b.Source)
	}
}

// time measures batches of about 20 ms and prints the median of one evaluation.
func (p *loop) time(expr string) error {
	p.count++
	f, err := p.s.Func(p.ctx, fmt.Sprintf("<input %d>", p.count), expr)
	if err != nil {
		return err
	}
	batch := func(n int) (time.Duration, error) {
		begin := time.Now()
		for range n {
			if _, err := f.Call(p.ctx); err != nil {
				return 0, err
			}
		}
		return time.Since(begin), nil
	}
	const batches, enough = 9, 20 * time.Millisecond
	n := 1
	for {
		took, err := batch(n)
		if err != nil {
			return err
		}
		if took >= enough || n >= 1<<20 {
			break
		}
		n *= 2
	}
	each := make([]time.Duration, batches)
	for i := range each {
		took, err := batch(n)
		if err != nil {
			return err
		}
		each[i] = took / time.Duration(n)
	}
	slices.Sort(each)
	fmt.Fprintf(p.out, "%v (median of %d × %d; best %v)\n", each[batches/2], batches, n, each[0])
	return nil
}

func (p *loop) dis(expr string) error { return p.s.Disassemble(p.ctx, p.out, expr) }

func (p *loop) doc(expr string) error {
	return p.execute("help(" + expr + ")")
}
