package value

import (
	"strings"

	"github.com/larkspur-ml/larkspur/lang/syntax"
)

// Excerpt shows where a traceback's entry is in the text of its file: the line,
// and below it a mark under the expression if that is only part of the line. Of
// an operation the operator has carets, and its operands tildes:
//
//	x = a[i] + b / 0
//	           ~~^~~
func Excerpt(text string, e Entry) string { return excerpt(text, e, false) }

// Pointed is Excerpt with the mark even where it is the whole line.
func Pointed(text string, e Entry) string { return excerpt(text, e, true) }

func excerpt(text string, e Entry, always bool) string {
	lines := strings.Split(text, "\n")
	if e.Line < 1 || e.Line > len(lines) {
		return ""
	}
	runes := []rune(strings.TrimRight(lines[e.Line-1], "\r"))
	lead := 0
	for lead < len(runes) && strings.ContainsRune(" \t\f", runes[lead]) {
		lead++
	}
	shown := strings.TrimRight(string(runes[lead:]), " \t\f")
	out := "    " + shown + "\n"
	end := e.EndCol
	if e.EndLine != e.Line {
		end = lead + len([]rune(shown)) + 1
	}
	from, n := e.Col-1-lead, end-e.Col
	if e.Col < 1 || from < 0 || n <= 0 || end-1 > len(runes) {
		return out
	}
	marks := strings.Repeat("^", n)
	if e.EndLine == e.Line {
		if lo, hi, ok := operatorIn(runes[e.Col-1 : end-1]); ok {
			marks = strings.Repeat("~", lo) + strings.Repeat("^", hi-lo) + strings.Repeat("~", n-hi)
			return out + "    " + strings.Repeat(" ", from) + marks + "\n"
		}
	}
	if n >= len([]rune(shown)) && !always {
		return out
	}
	return out + "    " + strings.Repeat(" ", from) + marks + "\n"
}

// operatorIn finds, in the text of an expression, the code points that stand for
// its outermost operator, as CPython does: of a binary operation what follows the
// left operand, of a subscript the brackets.
func operatorIn(expr []rune) (lo, hi int, ok bool) {
	m, err := syntax.ParseExpr("", string(expr), syntax.Options{})
	if err != nil || len(m.Body) != 1 {
		return 0, 0, false
	}
	s, isExpr := m.Body[0].(*syntax.ExprStmt)
	if !isExpr {
		return 0, 0, false
	}
	switch x := s.X.(type) {
	case *syntax.BinOp:
		lo, hi = int(x.X.Range().End.Col)-1, int(x.Y.Range().Start.Col)-1
		if lo < 0 || hi > len(expr) {
			return 0, 0, false
		}
		for lo < hi && (expr[lo] == ' ' || expr[lo] == '\t') {
			lo++
		}
		if lo+1 < hi && expr[lo+1] != ' ' && expr[lo+1] != '\t' {
			return lo, lo + 2, true
		}
		return lo, lo + 1, lo < hi
	case *syntax.Subscript:
		lo, hi = int(x.X.Range().End.Col)-1, int(x.Index.Range().End.Col)
		return lo, min(hi, len(expr)), lo >= 0 && lo < hi
	}
	return 0, 0, false
}
