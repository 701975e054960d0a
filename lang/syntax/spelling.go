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
