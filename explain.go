package larkspur

import (
	"fmt"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tracer"
)

// ExplainOptions say how ExplainSource prints.
type ExplainOptions struct {
	// Guards is how many guards of each graph are printed at most.
	Guards int
	// Color adds the colours of a terminal.
	Color bool
}

// The colours of a report.
const (
	colorPlain  = "\x1b[0m"
	colorFaint  = "\x1b[2m"
	colorGood   = "\x1b[32m"
	colorBad    = "\x1b[31m"
	colorNotice = "\x1b[33m"
)

// ExplainSource prints the lines of a file with what was captured of them: a bar
// beside the code of regions that have graphs; under the line where a region starts
// its graphs, guards and recompiles; under the place of a graph break its reason. Graphs
// that start in other files follow as a list. The recordings of a program that has
// ended are told of only with Options.KeepRecordings.
func (rt *Runtime) ExplainSource(file string, o ExplainOptions) string {
	rep := rt.Report("")
	var b strings.Builder
	paint := func(color, text string) string {
		if !o.Color || text == "" {
			return text
		}
		return color + text + colorPlain
	}
	fmt.Fprintf(&b, "%s: %s\n", file, rep.Stats)
	text, ok := rt.machine.Source(file)
	if !ok {
		return b.String()
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	captured := make([]bool, len(lines)+2)
	regions := map[int][]*tracer.RegionReport{}
	for i := range rep.Regions {
		r := &rep.Regions[i]
		if r.File != file {
			continue
		}
		regions[r.Line] = append(regions[r.Line], r)
		for n := r.First; len(r.Graphs) > 0 && n <= min(r.Last, len(lines)); n++ {
			captured[n] = true
		}
	}
	breaks := map[int][]*tracer.Break{}
	for _, k := range rep.Breaks {
		// What breaks in code of the library is shown at the line that leads there.
		for i := len(k.Stack) - 1; i >= 0; i-- {
			if k.Stack[i].File == file {
				breaks[k.Stack[i].Line] = append(breaks[k.Stack[i].Line], k)
				break
			}
		}
	}
	for i, line := range lines {
		n := i + 1
		bar := " "
		if captured[n] {
			bar = "|"
		}
		fmt.Fprintf(&b, "%s %s %s\n", paint(colorFaint, fmt.Sprintf("%5d", n)), paint(colorGood, bar), line)
		note := func(color, format string, a ...any) {
			fmt.Fprintf(&b, "      %s %s\n", paint(colorGood, bar), paint(color, fmt.Sprintf(format, a...)))
		}
		for _, r := range regions[n] {
			head, color := "+ "+r.Kind+" "+r.Func, colorGood
			if len(r.Graphs) == 0 {
				head, color = "- "+r.Kind+" "+r.Func, colorBad
			}
			note(color, "%s", head)
			for _, l := range r.Text(o.Guards) {
				c := colorFaint
				switch {
				case strings.HasPrefix(l, "recompiled"):
					c = colorNotice
				case strings.HasPrefix(l, "not captured"), strings.HasPrefix(l, "dropped"):
					c = colorBad
				}
				note(c, "    %s", l)
			}
		}
		for _, k := range breaks[n] {
			at := k.At
			for i := len(k.Stack) - 1; at.File != file; i-- {
				at = k.Stack[i]
			}
			if marks := rt.marksUnder(at); marks != "" {
				note(colorBad, "%s", marks)
			}
			where := ""
			if k.At.File != file {
				where = fmt.Sprintf(", at %s:%d", k.At.File, k.At.Line)
			}
			note(colorBad, "! graph break (%s): %s%s", timesText(k.Count), k.Cause(), where)
		}
	}
	var rest strings.Builder
	for i := range rep.Regions {
		r := &rep.Regions[i]
		graphs, ops, replays := 0, 0, int64(0)
		for _, g := range r.Graphs {
			if len(g.Ops) > 0 {
				graphs++
				ops += len(g.Ops)
				replays += g.Replays
			}
		}
		if r.File != file && graphs > 0 {
			fmt.Fprintf(&rest, "  %s %s at %s:%d: %d graphs of %d ops, %d replays\n", r.Kind, r.Func, r.File, r.Line, graphs, ops, replays)
		}
	}
	if rest.Len() > 0 {
		fmt.Fprintf(&b, "\nelsewhere\n%s", rest.String())
	}
	return b.String()
}

func timesText(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// marksUnder are carets under the expression at which a graph breaks, indented as
// its line is.
func (rt *Runtime) marksUnder(at value.Entry) string {
	text := rt.pointed(at)
	_, marks, ok := strings.Cut(text, "\n")
	if !ok {
		return ""
	}
	source, _ := rt.machine.Source(at.File)
	line := strings.Split(source, "\n")[at.Line-1]
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t\f"))]
	return indent + strings.TrimPrefix(strings.TrimSuffix(marks, "\n"), "    ")
}
