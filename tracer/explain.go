package tracer

import (
	"fmt"
	"sort"
	"strings"
)

// Explain is a report of what was captured: regions with their graphs, guards and
// recompiles by place, then the breaks. file "" means all files.
func (tr *Tracer) Explain(file string) string {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	var b strings.Builder
	s := tr.stats
	s.Replays = int(tr.replays.Load())
	fmt.Fprintf(&b, "%d recordings, %d graphs of %d ops, %d replays, %d breaks, %d given up\n", s.Records, s.Graphs, s.Ops, s.Replays, s.Breaks, s.Aborts)
	regions := append([]*Region(nil), tr.regions...)
	sort.SliceStable(regions, func(i, j int) bool {
		f, l := regions[i].Where()
		g, m := regions[j].Where()
		return f < g || f == g && l < m
	})
	for _, r := range regions {
		f, _ := r.Where()
		if file != "" && f != file {
			continue
		}
		entries := r.alive()
		if len(entries) == 0 && r.Reason == "" {
			continue
		}
		fmt.Fprintf(&b, "\n%s\n", r)
		if r.Reason != "" {
			fmt.Fprintf(&b, "  not captured (%d times): %s\n", r.aborts, r.Reason)
		}
		for i, e := range entries {
			fmt.Fprintf(&b, "  graph %d: %d ops, %d guards, %d effects, %d replays, ends: %s (%s)\n", i+1, e.ops, len(e.guards), len(e.effects), e.hits.Load(), exitNames[e.exit], e.why)
		}
		for _, c := range r.Causes {
			fmt.Fprintf(&b, "  recompiled: %s\n", c)
		}
	}
	breaks := tr.sortedBreaks(file)
	if len(breaks) > 0 {
		b.WriteString("\ngraph breaks\n")
	}
	for _, k := range breaks {
		fmt.Fprintf(&b, "  %s (%d times)\n", k, k.Count)
	}
	return b.String()
}

// sortedBreaks are the breaks in a file ("": in all) by place.
func (tr *Tracer) sortedBreaks(file string) []*Break {
	var out []*Break
	for _, b := range tr.breaks {
		if file == "" || b.At.File == file {
			out = append(out, b)
		}
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i], out[j]
		return a.At.File < b.At.File || a.At.File == b.At.File && (a.At.Line < b.At.Line || a.At.Line == b.At.Line && (a.At.Col < b.At.Col || a.At.Col == b.At.Col && a.String() < b.String()))
	})
	return out
}
