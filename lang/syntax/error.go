package syntax

import (
	"fmt"
	"strings"
)

// An ErrorKind names the exception class that an Error becomes.
type ErrorKind uint8

const (
	SyntaxError ErrorKind = iota
	IndentationError
	TabError
)

func (k ErrorKind) String() string {
	return [...]string{"SyntaxError", "IndentationError", "TabError"}[k]
}

// An Error is the first fault found in a text.
type Error struct {
	Kind ErrorKind
	Msg  string
	File string
	Span Span
	// Incomplete says that the text ended inside a block, a bracket or a string
	// in three quotes: more of it might make it right. A REPL then asks for
	// another line.
	Incomplete bool
}

func (e *Error) Error() string {
	if e.File == "" {
		return fmt.Sprintf("%s: %s: %s", e.Span.Start, e.Kind, e.Msg)
	}
	return fmt.Sprintf("%s:%s: %s: %s", e.File, e.Span.Start, e.Kind, e.Msg)
}

// Format renders the error with the offending line of src and carets under its
// range, as Python shows a SyntaxError:
//
//	  File "model.star", line 3
//	    x = = 1
//	        ^
//	SyntaxError: invalid syntax
func (e *Error) Format(src string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  File %q, line %d\n", e.File, e.Span.Start.Line)
	lines := strings.Split(src, "\n")
	if n := int(e.Span.Start.Line); n >= 1 && n <= len(lines) {
		runes := []rune(strings.TrimRight(lines[n-1], "\r"))
		lead := 0
		for lead < len(runes) && (runes[lead] == ' ' || runes[lead] == '\t' || runes[lead] == '\f') {
			lead++
		}
		fmt.Fprintf(&b, "    %s\n", string(runes[lead:]))
		from := max(int(e.Span.Start.Col)-1-lead, 0)
		width := 1
		switch {
		case e.Span.End.Line == e.Span.Start.Line:
			width = int(e.Span.End.Col - e.Span.Start.Col)
		case e.Span.End.Line > e.Span.Start.Line:
			width = len(runes) - int(e.Span.Start.Col) + 1
		}
		if e.Kind == IndentationError && e.Msg == "unexpected indent" {
			// CPython shows the line alone.
			fmt.Fprintf(&b, "%s: %s\n", e.Kind, e.Msg)
			return b.String()
		}
		fmt.Fprintf(&b, "    %s%s\n", strings.Repeat(" ", from), strings.Repeat("^", max(width, 1)))
	}
	fmt.Fprintf(&b, "%s: %s\n", e.Kind, e.Msg)
	return b.String()
}
