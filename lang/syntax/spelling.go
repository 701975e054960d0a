package syntax

import (
	"slices"
	"strings"
	"unicode"
)

// Nearest returns the candidate that name is most likely a misspelling of, or ""
// if none is near: case and underscores count for nothing, and less than half of
// the name may be wrong.
func Nearest(name string, candidates []string) string {
	fold := func(s string) []rune {
		return []rune(strings.Map(func(c rune) rune {
			if c == '_' {
				return -1
			}
			return unicode.ToLower(c)
		}, s))
	}
	names := slices.Clone(candidates)
	slices.Sort(names)
	folded := fold(name)
	best, bound := "", (len(string(folded))+1)/2
	for _, c := range names {
		if d := editDistance(folded, fold(c)); d < bound {
			best, bound = c, d
		}
	}
	return best
}

// editDistance is Levenshtein's: insertions, deletions and substitutions cost 1.
func editDistance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			substitute := diagonal
			if x != y {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, substitute)
		}
	}
	return row[len(b)]
}

// Similar returns the candidate that CPython suggests for a name that is missing, or
// "": the first of those with the least distance, of which at most a third of the
// letters involved differ. Changed case costs half. As there, long lists and names
// give nothing.
func Similar(name string, candidates []string) string {
	const move, most, longest = 2, 750, 40
	if len(candidates) >= most || len(name) > longest {
		return ""
	}
	best, bound := "", -1
	for _, c := range candidates {
		if c == name || len(c) > longest {
			continue
		}
		limit := (len(name) + len(c) + 3) * move / 6
		if bound >= 0 {
			limit = min(limit, bound-1)
		}
		if d := similarity(name, c, move); d <= limit {
			best, bound = c, d
		}
	}
	return best
}

// similarity is the distance that CPython's suggestions go by: insertions, deletions
// and substitutions cost move, a change of case 1. It goes by bytes, as there.
func similarity(a, b string, move int) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j * move
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = (i + 1) * move
		for j := range len(b) {
			d := diagonal
			switch x, y := a[i], b[j]; {
			case x == y:
			case lower(x) == lower(y):
				d++
			default:
				d += move
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+move, row[j]+move, d)
		}
	}
	return row[len(b)]
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
