package py

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// The classes of \d, \w and \s for the ASCII flag; without it regexp2's own are
// Unicode's, as Python's are.
var asciiClasses = map[rune]string{
	'd': `0-9`, 'w': `a-zA-Z0-9_`, 's': ` \t\n\r\f\v`,
}

var simpleEscapes = map[rune]rune{'a': 7, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11}

// escape reads a backslash and what belongs to it, outside sets.
func (r *reParser) escape() (repeatable bool, err error) {
	at := r.i
	r.i++
	if r.i >= len(r.src) {
		return false, r.fail(at, "bad escape (end of pattern)")
	}
	c := r.src[r.i]
	ascii := r.flags&reASCII != 0 || r.bytes
	switch c {
	case 'A':
		r.i++
		r.out.WriteString(`\A`)
		return false, nil
	case 'Z':
		r.i++
		r.out.WriteString(`\z`)
		return false, nil
	case 'b', 'B':
		r.i++
		if ascii {
			const in, out = `(?:(?<=[a-zA-Z0-9_])(?![a-zA-Z0-9_])|(?<![a-zA-Z0-9_])(?=[a-zA-Z0-9_]))`, `(?:(?<=[a-zA-Z0-9_])(?=[a-zA-Z0-9_])|(?<![a-zA-Z0-9_])(?![a-zA-Z0-9_]))`
			if c == 'b' {
				r.out.WriteString(in)
			} else {
				r.out.WriteString(out)
			}
			return false, nil
		}
		r.out.WriteByte('\\')
		r.out.WriteRune(c)
		return false, nil
	case 'd', 'w', 's', 'D', 'W', 'S':
		r.i++
		if ascii {
			neg := ""
			if unicode.IsUpper(c) {
				neg = "^"
			}
			fmt.Fprintf(&r.out, "[%s%s]", neg, asciiClasses[unicode.ToLower(c)])
			return true, nil
		}
		r.out.WriteString(unicodeClass(c))
		return true, nil
	}
	if c >= '1' && c <= '9' {
		return true, r.numberEscape(at)
	}
	ch, err := r.charEscape(at)
	if err != nil {
		return false, err
	}
	r.literal(ch)
	return true, nil
}

// unicodeClass is a class as Python has it: \w is letters, numbers of any kind
// and the underscore.
func unicodeClass(c rune) string {
	switch c {
	case 'w':
		return `[\p{L}\p{N}_]`
	case 'W':
		return `[^\p{L}\p{N}_]`
	case 's':
		return `[\s\x1c-\x1f]`
	case 'S':
		return `[^\s\x1c-\x1f]`
	}
	return `\` + string(c)
}

// numberEscape reads \1 … \99, or an octal number of three digits.
func (r *reParser) numberEscape(at int) error {
	from := r.i
	for r.i < len(r.src) && r.i-from < 2 && r.src[r.i] >= '0' && r.src[r.i] <= '9' {
		r.i++
	}
	s := string(r.src[from:r.i])
	if len(s) == 2 && r.i < len(r.src) && isOctal(r.src[from]) && isOctal(r.src[from+1]) && isOctal(r.src[r.i]) {
		s += string(r.src[r.i])
		r.i++
		n, _ := strconv.ParseUint(s, 8, 32)
		if n > 0o377 {
			return r.fail(at, "octal escape value \\%s outside of range 0-0o377", s)
		}
		r.literal(rune(n))
		return nil
	}
	k, _ := strconv.Atoi(s)
	return r.backref(k, at+1, at)
}

func isOctal(c rune) bool { return c >= '0' && c <= '7' }

// charEscape reads an escape that stands for one character; r.i is behind the
// backslash.
func (r *reParser) charEscape(at int) (rune, error) {
	c := r.src[r.i]
	r.i++
	if ch, ok := simpleEscapes[c]; ok {
		return ch, nil
	}
	hex := func(n int) (rune, error) {
		from := r.i
		for r.i < len(r.src) && r.i-from < n && isHex(r.src[r.i]) {
			r.i++
		}
		s := string(r.src[from:r.i])
		if len(s) < n {
			return 0, r.fail(at, "incomplete escape \\%c%s", c, s)
		}
		x, _ := strconv.ParseUint(s, 16, 32)
		if x > unicode.MaxRune {
			return 0, r.fail(at, "bad escape \\%c%s", c, s)
		}
		return rune(x), nil
	}
	switch {
	case c == 'x':
		return hex(2)
	case c == 'u' && !r.bytes:
		return hex(4)
	case c == 'U' && !r.bytes:
		return hex(8)
	case c == '0':
		from := r.i
		for r.i < len(r.src) && r.i-from < 2 && isOctal(r.src[r.i]) {
			r.i++
		}
		x, _ := strconv.ParseUint("0"+string(r.src[from:r.i]), 8, 32)
		return rune(x), nil
	case c < 128 && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '1' && c <= '9'):
		return 0, r.fail(at, "bad escape \\%c", c)
	}
	return c, nil
}

func isHex(c rune) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// set reads [ … ]. Classes of regexp2 subtract with -[, Python's do not: a
// bracket within is escaped. The negated classes \W, \D and \S of Unicode become
// sets of their own, since regexp2 mixes them up with others in one set.
func (r *reParser) set() error {
	at := r.i
	r.i++
	outer := r.out
	r.out = strings.Builder{}
	negated := false
	if r.peek() == '^' {
		r.i++
		negated = true
	}
	var apart []string
	for first := true; ; first = false {
		if r.i >= len(r.src) {
			return r.fail(at, "unterminated character set")
		}
		if r.src[r.i] == ']' && !first {
			r.i++
			break
		}
		from := r.i
		lo, class, err := r.setItem()
		if err != nil {
			return err
		}
		if r.peek() == '-' && r.i+1 < len(r.src) && r.src[r.i+1] != ']' {
			r.i++
			hi, class2, err := r.setItem()
			if err != nil {
				return err
			}
			if class != "" || class2 != "" || hi < lo {
				return r.fail(from, "bad character range %s", string(r.src[from:r.i]))
			}
			r.setChar(lo)
			r.out.WriteByte('-')
			r.setChar(hi)
			continue
		}
		switch class {
		case "":
			r.setChar(lo)
		case `\W`, `\D`, `\S`:
			apart = append(apart, map[string]string{`\W`: `\p{L}\p{N}_`, `\D`: `\d`, `\S`: `\s\x1c-\x1f`}[class])
		default:
			r.out.WriteString(class)
		}
	}
	plain := r.out.String()
	r.out = strings.Builder{}
	r.out.WriteString(outer.String())
	switch {
	case len(apart) == 0 && negated:
		r.out.WriteString("[^" + plain + "]")
	case len(apart) == 0:
		r.out.WriteString("[" + plain + "]")
	case negated:
		r.out.WriteString("(?:")
		if plain != "" {
			r.out.WriteString("(?![" + plain + "])")
		}
		for _, c := range apart {
			r.out.WriteString("(?=[" + c + "])")
		}
		r.out.WriteString(`[\s\S])`)
	default:
		r.out.WriteString("(?:")
		if plain != "" {
			r.out.WriteString("[" + plain + "]|")
		}
		for i, c := range apart {
			if i > 0 {
				r.out.WriteByte('|')
			}
			r.out.WriteString("[^" + c + "]")
		}
		r.out.WriteByte(')')
	}
	return nil
}

func (r *reParser) setChar(c rune) {
	if c < 128 && !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_') {
		fmt.Fprintf(&r.out, `\x%02x`, c)
		return
	}
	r.out.WriteRune(c)
}

// setItem reads a character, or a class such as \d, which it gives translated.
func (r *reParser) setItem() (c rune, class string, err error) {
	c = r.src[r.i]
	if c != '\\' {
		r.i++
		return c, "", nil
	}
	at := r.i
	r.i++
	if r.i >= len(r.src) {
		return 0, "", r.fail(at, "bad escape (end of pattern)")
	}
	c = r.src[r.i]
	switch c {
	case 'b':
		r.i++
		return 8, "", nil
	case 'd', 'w', 's', 'D', 'W', 'S':
		r.i++
		if r.flags&reASCII == 0 && !r.bytes {
			switch c {
			case 'w':
				return 0, `\p{L}\p{N}_`, nil
			case 's':
				return 0, `\s\x1c-\x1f`, nil
			}
			return 0, `\` + string(c), nil
		}
		switch c {
		case 'd', 'w', 's':
			return 0, asciiClasses[c], nil
		case 'D':
			return 0, "\\x00-/:-\U0010ffff", nil
		case 'W':
			return 0, "\\x00-/:-@\\x5b-\\x5e`\\x7b-\U0010ffff", nil
		}
		return 0, "\\x00-\\x08\\x0e-\\x1f!-\U0010ffff", nil
	}
	if c >= '0' && c <= '7' {
		from := r.i
		for r.i < len(r.src) && r.i-from < 3 && isOctal(r.src[r.i]) {
			r.i++
		}
		x, _ := strconv.ParseUint(string(r.src[from:r.i]), 8, 32)
		if x > 0o377 {
			return 0, "", r.fail(at, "octal escape value \\%s outside of range 0-0o377", string(r.src[from:r.i]))
		}
		return rune(x), "", nil
	}
	c, err = r.charEscape(at)
	return c, "", err
}
