package syntax

import "fmt"

// A Pos is a place in a source text: line and column, both counted from 1, the
// column in code points (a tab is one). The zero Pos is unknown.
type Pos struct {
	Line, Col int32
}

// IsValid reports whether p is a known place.
func (p Pos) IsValid() bool { return p.Line > 0 }

// Before reports whether p stands before q in the text.
func (p Pos) Before(q Pos) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Col < q.Col
}

func (p Pos) String() string {
	if !p.IsValid() {
		return "?"
	}
	return fmt.Sprintf("%d:%d", p.Line, p.Col)
}

// A Span is a half-open range of source text: Start is the first character's
// place, End the place behind the last one.
type Span struct {
	Start, End Pos
}

// Range returns the span itself; embedding Span makes a struct a Node.
func (s Span) Range() Span { return s }

func (s Span) String() string { return s.Start.String() + "-" + s.End.String() }
