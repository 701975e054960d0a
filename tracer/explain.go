package tracer

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
)

// Report is what was captured so far, by place.
type Report struct {
	Stats
	Regions []RegionReport
	Breaks  []*Break
}

// RegionReport is about the recordings that start at one place.
type RegionReport struct {
	Kind string // "loop", "function" or "behind break"
	Func string // the function in which it starts, qualified
	File string
	Line int
	// First and Last are the lines of its code: the loop's, or the base frame's function's.
	First, Last int
	Graphs      []GraphReport
	Recompiles  []string // the guard that failed, and what it found
	// GivenUp says why the latest of Attempts recordings was given up.
	GivenUp  string
	Attempts int
	// Dropped says why recordings were thrown away that had been made.
	Dropped string
	// Interpreted and Replayed are medians of a round, as --jit=auto has timed them; or 0.
	Interpreted, Replayed time.Duration
}

// GraphReport is one recording.
type GraphReport struct {
	Ops     []string // names, in order
	Kernels int
	Guards  []string
	Effects []string
	Replays int64
	Ends    string // "return", "next round", "outer" or "break"
	Why     string
	Text    string // the graph's
}

// Report collects what was captured of one file, or ("") of all.
func (tr *Tracer) Report(file string) Report {
	rep := Report{Stats: tr.Stats()}
	tr.mu.Lock()
	regions := slices.Clone(tr.regions)
	rep.Breaks = tr.sortedBreaks(file)
	tr.mu.Unlock()
	for _, r := range regions {
		if f, _ := r.Where(); file != "" && f != file {
			continue
		}
		x := r.report()
		if len(x.Graphs) == 0 && x.GivenUp == "" && x.Dropped == "" {
			continue
		}
		rep.Regions = append(rep.Regions, x)
	}
	sort.SliceStable(rep.Regions, func(i, j int) bool {
		a, b := &rep.Regions[i], &rep.Regions[j]
		return a.File < b.File || a.File == b.File && a.Line < b.Line
	})
	return rep
}

// kernels is what executables that have kernels can tell.
type kernels interface{ Kernels() int }

func (r *Region) report() RegionReport {
	x := RegionReport{Kind: r.Kind(), Func: r.Name()}
	x.File, x.Line = r.Where()
	x.First, x.Last = r.lines()
	entries := r.alive()
	r.mu.Lock()
	defer r.mu.Unlock()
	x.Recompiles, x.GivenUp, x.Attempts = slices.Clone(r.Causes), r.Reason, r.aborts
	x.Dropped, x.Interpreted, x.Replayed = r.Dropped, r.Interpreted, r.Replayed
	for _, e := range entries {
		g := GraphReport{Replays: e.hits.Load(), Ends: exitNames[e.exit], Why: e.why}
		if e.graph != nil {
			for _, n := range e.graph.Nodes {
				g.Ops = append(g.Ops, n.Call.Def.Base)
			}
			g.Text = e.graph.String()
		}
		if k, ok := e.exe.(kernels); ok {
			g.Kernels = k.Kernels()
		}
		for i := range e.guards {
			g.Guards = append(g.Guards, e.guards[i].String())
		}
		for i := range e.effects {
			g.Effects = append(g.Effects, strings.TrimSpace(effectNames[e.effects[i].kind]+" "+e.effects[i].name))
		}
		x.Graphs = append(x.Graphs, g)
	}
	return x
}

// lines are the first and the last line of the region's code.
func (r *Region) lines() (first, last int) {
	p := r.chain[0]
	lo, hi := 0, len(p.code.Ins)-1
	if r.loopPC >= 0 {
		lo, hi = loopRange(p.code, r.loopPC)
	}
	for pc := lo; pc <= hi; pc++ {
		s := p.code.At(pc)
		if n := int(s.Start.Line); n > 0 && (first == 0 || n < first) {
			first = n
		}
		last = max(last, int(s.End.Line))
	}
	return first, last
}

// Explain is the report as text.
func (tr *Tracer) Explain(file string) string {
	rep := tr.Report(file)
	var b strings.Builder
	b.WriteString(rep.Stats.String() + "\n")
	for i := range rep.Regions {
		r := &rep.Regions[i]
		fmt.Fprintf(&b, "\n%s %s at %s:%d\n", r.Kind, r.Func, r.File, r.Line)
		for _, line := range r.Text(0) {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	if len(rep.Breaks) > 0 {
		b.WriteString("\ngraph breaks\n")
	}
	for _, k := range rep.Breaks {
		fmt.Fprintf(&b, "  %s (%s)\n", k, times(k.Count))
	}
	return b.String()
}

func (s Stats) String() string {
	return fmt.Sprintf("%d recordings, %d graphs of %d ops, %d recompiles, %d replays, %d breaks, %d given up", s.Records, s.Graphs, s.Ops, s.Recompiles, s.Replays, s.Breaks, s.Aborts)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// mostShown is how many graphs and recompiles of one region a text lists.
const mostShown = 12

// Text is the report in lines, with up to so many guards of each graph.
func (r *RegionReport) Text(guards int) []string {
	var out []string
	add := func(format string, a ...any) { out = append(out, fmt.Sprintf(format, a...)) }
	if r.GivenUp != "" {
		n := ""
		if r.Attempts > 0 {
			n = " (" + times(r.Attempts) + ")"
		}
		add("not captured%s: %s", n, r.GivenUp)
	}
	if r.Dropped != "" {
		add("dropped: %s", r.Dropped)
	} else if r.Interpreted > 0 {
		add("a round takes %s replayed, %s interpreted", round(r.Replayed), round(r.Interpreted))
	}
	for i, g := range r.Graphs {
		if i == mostShown {
			add("… and %d graphs more", len(r.Graphs)-i)
			break
		}
		in := ""
		if g.Kernels > 0 {
			in = fmt.Sprintf(" in %d kernels", g.Kernels)
		}
		add("graph %d: %d ops%s, %d guards, %d effects, %d replays, ends: %s (%s)", i+1, len(g.Ops), in, len(g.Guards), len(g.Effects), g.Replays, g.Ends, g.Why)
		if guards > 0 {
			if len(g.Ops) > 0 {
				add("  ops: %s", tally(g.Ops))
			}
			if len(g.Effects) > 0 {
				add("  effects: %s", tally(g.Effects))
			}
			for k, x := range g.Guards {
				if k == guards {
					add("  guard: … and %d more", len(g.Guards)-k)
					break
				}
				add("  guard: %s", x)
			}
		}
	}
	for i, c := range r.Recompiles {
		if i == mostShown {
			add("recompiled: … and %d times more", len(r.Recompiles)-i)
			break
		}
		add("recompiled: %s", c)
	}
	return out
}

// tally lists names in the order of their first appearance, with their numbers.
func tally(names []string) string {
	n := map[string]int{}
	var order []string
	for _, x := range names {
		if n[x]++; n[x] == 1 {
			order = append(order, x)
		}
	}
	for i, x := range order {
		if n[x] > 1 {
			order[i] = fmt.Sprintf("%s ×%d", x, n[x])
		}
	}
	return strings.Join(order, ", ")
}

// sortedBreaks are the breaks in a file ("": in all) by place.
func (tr *Tracer) sortedBreaks(file string) []*Break {
	var out []*Break
	for _, b := range tr.breaks {
		if file == "" || b.At.File == file {
			x := *b
			out = append(out, &x)
		}
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i], out[j]
		return a.At.File < b.At.File || a.At.File == b.At.File && (a.At.Line < b.At.Line || a.At.Line == b.At.Line && (a.At.Col < b.At.Col || a.At.Col == b.At.Col && a.String() < b.String()))
	})
	return out
}
