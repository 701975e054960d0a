package resolve

import (
	"fmt"
	"io"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/syntax"
)

// Fprint writes the scopes of a resolved module, the text form of --dump=names:
//
//	module <module>
//	  globals f
//	  function f generator args=2 kwonly=1 *args
//	    locals a b c args x
//	    cells a(param 0) y
//	    function f.<locals>.g
//	      free a(cell 0)
func Fprint(w io.Writer, s *syntax.Scope) error {
	var b strings.Builder
	printScope(&b, s, 0)
	_, err := io.WriteString(w, b.String())
	return err
}

func printScope(b *strings.Builder, s *syntax.Scope, depth int) {
	in := strings.Repeat("  ", depth)
	fmt.Fprintf(b, "%s%s %s", in, s.Kind, s.QualName)
	for _, f := range []struct {
		on   bool
		text string
	}{
		{s.IsGenerator, "generator"},
		{s.NumPosOnly > 0, fmt.Sprintf("posonly=%d", s.NumPosOnly)},
		{s.NumArgs > 0, fmt.Sprintf("args=%d", s.NumArgs)},
		{s.NumKwOnly > 0, fmt.Sprintf("kwonly=%d", s.NumKwOnly)},
		{s.HasVarArg, "*args"},
		{s.HasKwArg, "**kwargs"},
		{s.UsesClass, "uses-class"},
		{s.ClassCell, "class-cell"},
	} {
		if f.on {
			b.WriteString(" " + f.text)
		}
	}
	b.WriteByte('\n')
	list := func(word string, items []string) {
		if len(items) > 0 {
			fmt.Fprintf(b, "%s  %s %s\n", in, word, strings.Join(items, " "))
		}
	}
	list("globals", s.Globals)
	list("locals", s.Locals)
	var cells, free []string
	for _, c := range s.Cells {
		if c.Param >= 0 {
			cells = append(cells, fmt.Sprintf("%s(param %d)", c.Name, c.Param))
		} else {
			cells = append(cells, c.Name)
		}
	}
	for _, f := range s.Free {
		free = append(free, fmt.Sprintf("%s(%s %d)", f.Name, f.Outer.Kind, f.Outer.Index))
	}
	list("cells", cells)
	list("free", free)
	for _, c := range s.Children {
		printScope(b, c, depth+1)
	}
}
