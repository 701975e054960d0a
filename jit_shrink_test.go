package larkspur

import (
	"strings"
	"time"
)

// shrink deletes what it can of a program that differs, for at most a minute or
// so: mutations, statements with what they hold, heads of blocks. It returns nil if
// the program does not differ in runtimes of its own.
func shrink(p *program, seed int64) (small *program, diff string) {
	f := newFuzzer()
	differs := func(q *program) string {
		f.forget()
		d, err := f.run(q, seed, nil)
		if err != nil {
			return ""
		}
		return d
	}
	small = &program{src: p.src, muts: append([]string(nil), p.muts...)}
	for range 3 { // background compilation may differ now and then only
		if diff = differs(p); diff != "" {
			break
		}
	}
	if diff == "" {
		return nil, ""
	}
	// The prelude is part of what shrinks, if that changes nothing.
	whole := &program{src: strings.Join(p.prelude, "") + p.src, muts: small.muts}
	if d := differs(whole); d != "" {
		small = whole
	} else {
		small.prelude = p.prelude
	}
	end := time.Now().Add(90 * time.Second)
	for changed := true; changed && time.Now().Before(end); {
		changed = false
		try := func(q *program) bool {
			if time.Now().After(end) {
				return false
			}
			d := differs(q)
			if d == "" {
				return false
			}
			small, diff, changed = q, d, true
			return true
		}
		// Calls from the end and from the start; what is done between them.
		for i := len(small.muts) - 1; i >= 0; i-- {
			cut := append(append([]string(nil), small.muts[:i]...), small.muts[i+1:]...)
			if len(cut) > 0 && try(&program{small.prelude, small.src, cut}) {
				continue
			}
			if small.muts[i] != "" {
				calm := append([]string(nil), small.muts...)
				calm[i] = ""
				try(&program{small.prelude, small.src, calm})
			}
		}
		lines := strings.Split(strings.TrimRight(small.src, "\n"), "\n")
		for size := len(lines) / 2; size >= 1; size /= 2 {
			for i := 0; i < len(lines); {
				if cut := without(lines, i, size); cut != nil && try(&program{small.prelude, strings.Join(cut, "\n") + "\n", small.muts}) {
					lines = cut
					continue
				}
				i += size
			}
		}
		for i := 0; i < len(lines); i++ {
			for _, cut := range [][]string{flattened(lines, i), passed(lines, i)} {
				if cut != nil && try(&program{small.prelude, strings.Join(cut, "\n") + "\n", small.muts}) {
					lines = cut
					i--
					break
				}
			}
		}
	}
	return small, diff
}

func indent(l string) int { return len(l) - len(strings.TrimLeft(l, " ")) }

// blockEnd is the line behind what line i holds.
func blockEnd(lines []string, i int) int {
	j := i + 1
	for j < len(lines) && (strings.TrimSpace(lines[j]) == "" || indent(lines[j]) > indent(lines[i])) {
		j++
	}
	return j
}

// without drops n statements from line i, with all that they hold.
func without(lines []string, i, n int) []string {
	j := i
	for k := 0; k < n && j < len(lines); k++ {
		j = blockEnd(lines, j)
	}
	return append(append([]string(nil), lines[:i]...), lines[j:]...)
}

// flattened puts the block of line i in the place of it, without its head; nil if
// it has none.
func flattened(lines []string, i int) []string {
	end := blockEnd(lines, i)
	if end == i+1 || strings.HasPrefix(strings.TrimSpace(lines[i]), "def ") || strings.HasPrefix(strings.TrimSpace(lines[i]), "class ") {
		return nil
	}
	d := max(indent(lines[i+1])-indent(lines[i]), 0)
	cut := append([]string(nil), lines[:i]...)
	for _, l := range lines[i+1 : end] {
		cut = append(cut, l[min(d, indent(l)):])
	}
	// Clauses of the same statement go too.
	for end < len(lines) && indent(lines[end]) == indent(lines[i]) {
		word, _, _ := strings.Cut(strings.TrimSpace(lines[end]), " ")
		switch strings.TrimRight(word, ":") {
		case "except", "else", "elif", "finally":
			end = blockEnd(lines, end)
			continue
		}
		break
	}
	return append(cut, lines[end:]...)
}

// passed makes the statement at line i do nothing.
func passed(lines []string, i int) []string {
	t := strings.TrimSpace(lines[i])
	if t == "" || t == "pass" || strings.HasSuffix(t, ":") {
		return nil
	}
	cut := append([]string(nil), lines...)
	cut[i] = strings.Repeat(" ", indent(lines[i])) + "pass"
	return cut
}
