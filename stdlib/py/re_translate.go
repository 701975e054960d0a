package py

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// Flags of re, with Python's numbers.
const (
	reIgnoreCase = 2
	reLocale     = 4
	reMultiLine  = 8
	reDotAll     = 16
	reUnicode    = 32
	reVerbose    = 64
	reDebug      = 128
	reASCII      = 256
)

// reError is re.error.
var reError = value.NewClass("error", "re", value.ExcException)

// pyPattern is a pattern in Python's syntax, translated for regexp2: every
// group is named by its number, so that groups are counted as Python counts.
type pyPattern struct {
	text   string
	flags  int
	groups int
	names  map[string]int
	order  []string // group names in order
	parent []int    // of each group: the group around it, 0 for none
}

// reParser goes over a pattern once, writes the translation and finds faults.
type reParser struct {
	src     []rune
	i       int
	out     strings.Builder
	p       *pyPattern
	open    []int // groups that are open
	closed  map[int]bool
	flags   int
	bytes   bool
	started bool // something other than global flags has been seen
	// width is that of what was read last; widths are those of the groups.
	width  reWidth
	widths map[int]reWidth
	ragged bool // a look-behind's text has no fixed width
}

func (r *reParser) fail(at int, format string, args ...any) error {
	return patternError(string(r.src), fmt.Sprintf(format, args...), at)
}

func patternError(pattern, msg string, at int) error {
	line := 1 + strings.Count(string([]rune(pattern)[:min(at, len([]rune(pattern)))]), "\n")
	text := fmt.Sprintf("%s at position %d", msg, at)
	col := at + 1
	if strings.Contains(pattern, "\n") {
		head := []rune(pattern)[:min(at, len([]rune(pattern)))]
		for k := len(head) - 1; k >= 0; k-- {
			if head[k] == '\n' {
				col = at - k
				break
			}
		}
		text += fmt.Sprintf(" (line %d, column %d)", line, col)
	}
	e := value.NewRaised(reError, value.Str(text))
	in := e.Value().AsInstance()
	in.Set("msg", value.Str(msg))
	in.Set("pattern", value.Str(pattern))
	in.Set("pos", value.Int(int64(at)))
	in.Set("lineno", value.Int(int64(line)))
	in.Set("colno", value.Int(int64(col)))
	return e
}

func translateRE(pattern string, flags int, isBytes bool) (*pyPattern, error) {
	p := &pyPattern{names: map[string]int{}, parent: []int{0}}
	r := &reParser{src: []rune(pattern), p: p, flags: flags, bytes: isBytes, closed: map[int]bool{}, widths: map[int]reWidth{}}
	if err := r.alternatives(); err != nil {
		return nil, err
	}
	if r.i < len(r.src) {
		return nil, r.fail(r.i, "unbalanced parenthesis")
	}
	if r.ragged {
		return nil, value.NewRaised(reError, value.Str("look-behind requires fixed-width pattern"))
	}
	p.text = r.out.String()
	p.flags = r.flags
	if !isBytes && p.flags&reASCII == 0 {
		p.flags |= reUnicode
	}
	return p, nil
}

func (r *reParser) peek() rune {
	if r.i < len(r.src) {
		return r.src[r.i]
	}
	return -1
}

func (r *reParser) alternatives() error {
	var all reWidth
	for first := true; ; first = false {
		if err := r.sequence(); err != nil {
			return err
		}
		if first {
			all = r.width
		} else {
			all = all.or(r.width)
		}
		if r.peek() != '|' {
			r.width = all
			return nil
		}
		r.out.WriteByte('|')
		r.i++
	}
}

// sequence reads items with their repeats up to | or ).
func (r *reParser) sequence() error {
	repeatable, repeated := false, false
	mark := 0 // where the last item begins in the output
	var sum, last reWidth
	defer func() { r.width = sum.and(last) }()
	for r.i < len(r.src) {
		c := r.src[r.i]
		if c == '|' || c == ')' {
			return nil
		}
		if r.flags&reVerbose != 0 {
			if unicode.IsSpace(c) {
				r.i++
				continue
			}
			if c == '#' {
				for r.i < len(r.src) && r.src[r.i] != '\n' {
					r.i++
				}
				continue
			}
		}
		if c == '*' || c == '+' || c == '?' || c == '{' {
			at := r.i
			text, ok, err := r.quantifier()
			if err != nil {
				return err
			}
			if ok {
				if !repeatable {
					return r.fail(at, "nothing to repeat")
				}
				if repeated {
					return r.fail(at, "multiple repeat")
				}
				last = last.times(text)
				if r.peek() == '?' {
					r.i++
					text += "?"
				} else if r.peek() == '+' { // possessive: an atomic group
					r.i++
					whole := r.out.String()
					r.out.Reset()
					r.out.WriteString(whole[:mark] + "(?>" + whole[mark:] + text + ")")
					repeated = true
					continue
				}
				r.out.WriteString(text)
				repeated = true
				continue
			}
			mark = r.out.Len()
			r.out.WriteString(`\{`)
			r.i = at + 1
			sum, last = sum.and(last), reWidth{1, 1}
			repeatable, repeated, r.started = true, false, true
			continue
		}
		var err error
		if c == '(' && strings.HasPrefix(string(r.src[r.i:min(r.i+3, len(r.src))]), "(?#") {
			if _, err = r.group(); err != nil {
				return err
			}
			continue // a repeat behind it is that of what stands in front
		}
		mark = r.out.Len()
		sum, last = sum.and(last), reWidth{}
		r.width = reWidth{-1, -1}
		repeatable, err = r.item(c)
		if err != nil {
			return err
		}
		if last = r.width; last.lo < 0 {
			last = reWidth{}
			if repeatable {
				last = reWidth{1, 1}
			}
		}
		repeated = false
	}
	return nil
}

// quantifier reads *, +, ? or {m,n}; ok is false for a brace that is literal.
func (r *reParser) quantifier() (text string, ok bool, err error) {
	c := r.src[r.i]
	at := r.i
	r.i++
	if c != '{' {
		return string(c), true, nil
	}
	num := func() string {
		from := r.i
		for r.i < len(r.src) && r.src[r.i] >= '0' && r.src[r.i] <= '9' {
			r.i++
		}
		return string(r.src[from:r.i])
	}
	lo := num()
	hi, comma := lo, false
	if r.peek() == ',' {
		comma = true
		r.i++
		hi = num()
	}
	if r.peek() != '}' || lo == "" && !comma {
		return "", false, nil
	}
	r.i++
	if lo == "" {
		lo = "0"
	}
	a, _ := strconv.Atoi(lo)
	if hi != "" {
		b, _ := strconv.Atoi(hi)
		if b < a {
			return "", false, r.fail(at+1, "min repeat greater than max repeat")
		}
		return fmt.Sprintf("{%s,%s}", lo, hi), true, nil
	}
	return fmt.Sprintf("{%s,}", lo), true, nil
}

// item reads one thing that may be repeated; repeatable is false for
// positions such as ^.
func (r *reParser) item(c rune) (repeatable bool, err error) {
	switch c {
	case '(':
		return r.group()
	case '[':
		r.started = true
		return true, r.set()
	case '\\':
		r.started = true
		return r.escape()
	case '^':
		r.i++
		r.started = true
		r.out.WriteByte('^')
		return false, nil
	case '$':
		r.i++
		r.started = true
		r.out.WriteByte('$')
		return false, nil
	case '.':
		r.i++
		r.started = true
		r.out.WriteByte('.')
		return true, nil
	}
	r.started = true
	r.i++
	r.literal(c)
	return true, nil
}

// literal writes a character so that it stands for itself.
func (r *reParser) literal(c rune) {
	if strings.ContainsRune(`\*+?|{}[]()^$.# `, c) || unicode.IsSpace(c) {
		switch c {
		case '\n':
			r.out.WriteString(`\n`)
		case '\t':
			r.out.WriteString(`\t`)
		case '\r':
			r.out.WriteString(`\r`)
		case '\v', '\f':
			fmt.Fprintf(&r.out, `\x%02x`, c)
		case '}', ']':
			fmt.Fprintf(&r.out, `\x%02x`, c)
		default:
			if c > 127 {
				r.out.WriteRune(c)
				return
			}
			r.out.WriteByte('\\')
			r.out.WriteRune(c)
		}
		return
	}
	r.out.WriteRune(c)
}

func isName(s string) bool {
	for i, c := range s {
		if !(c == '_' || unicode.IsLetter(c) || i > 0 && unicode.IsDigit(c)) {
			return false
		}
	}
	return s != ""
}

func (r *reParser) until(stop rune, what string) (string, int, error) {
	from := r.i
	for r.i < len(r.src) && r.src[r.i] != stop {
		r.i++
	}
	name := string(r.src[from:r.i])
	if r.i >= len(r.src) {
		if name == "" {
			return "", from, r.fail(from, "missing %s", what)
		}
		return "", from, r.fail(from, "missing %c, unterminated name", stop)
	}
	r.i++
	if name == "" {
		return "", from, r.fail(from, "missing %s", what)
	}
	return name, from, nil
}

// group reads from ( to ).
func (r *reParser) group() (bool, error) {
	at := r.i
	r.i++
	name := ""
	if r.peek() != '?' {
		r.started = true
		return true, r.capture(at, name)
	}
	r.i++
	switch c := r.peek(); c {
	case -1:
		return false, r.fail(r.i, "unexpected end of pattern")
	case 'P':
		r.i++
		switch r.peek() {
		case '<':
			r.i++
			n, pos, err := r.until('>', "group name")
			if err != nil {
				return false, err
			}
			if !isName(n) {
				return false, r.fail(pos, "bad character in group name %s", value.QuoteStr(n))
			}
			if k, dup := r.p.names[n]; dup {
				return false, r.fail(pos, "redefinition of group name %s as group %d; was group %d", value.QuoteStr(n), r.p.groups+1, k)
			}
			r.started = true
			return true, r.capture(at, n)
		case '=':
			r.i++
			n, pos, err := r.until(')', "group name")
			if err != nil {
				return false, err
			}
			if !isName(n) {
				return false, r.fail(pos, "bad character in group name %s", value.QuoteStr(n))
			}
			k, ok := r.p.names[n]
			if !ok {
				return false, r.fail(pos, "unknown group name %s", value.QuoteStr(n))
			}
			r.started = true
			return true, r.backref(k, pos, pos)
		}
		if r.peek() < 0 {
			return false, r.fail(r.i, "unexpected end of pattern")
		}
		return false, r.fail(at+1, "unknown extension ?P%s", r.char())
	case '#':
		for r.i < len(r.src) && r.src[r.i] != ')' {
			r.i++
		}
		if r.i >= len(r.src) {
			return false, r.fail(at, "missing ), unterminated comment")
		}
		r.i++
		return false, nil
	case ':', '>':
		r.i++
		return true, r.inner(at, "(?"+string(c))
	case '=', '!':
		r.i++
		err := r.inner(at, "(?"+string(c))
		r.width = reWidth{}
		return true, err
	case '<':
		r.i++
		d := r.peek()
		if d != '=' && d != '!' {
			if d == -1 {
				return false, r.fail(r.i, "unexpected end of pattern")
			}
			return false, r.fail(at+1, "unknown extension ?<%c", d)
		}
		r.i++
		err := r.inner(at, "(?<"+string(d))
		r.ragged = r.ragged || r.width.lo != r.width.hi
		r.width = reWidth{}
		return true, err
	case '(':
		return true, r.conditional(at)
	}
	return r.inlineFlags(at)
}

func (r *reParser) char() string {
	if c := r.peek(); c >= 0 {
		return string(c)
	}
	return ""
}

func (r *reParser) inner(at int, head string) error {
	r.started = true
	r.out.WriteString(head)
	flags := r.flags
	if err := r.alternatives(); err != nil {
		return err
	}
	r.flags = flags
	if r.peek() != ')' {
		return r.fail(at, "missing ), unterminated subpattern")
	}
	r.i++
	r.out.WriteByte(')')
	return nil
}

func (r *reParser) capture(at int, name string) error {
	r.p.groups++
	k := r.p.groups
	around := 0
	if n := len(r.open); n > 0 {
		around = r.open[n-1]
	}
	r.p.parent = append(r.p.parent, around)
	if name != "" {
		r.p.names[name] = k
		r.p.order = append(r.p.order, name)
	}
	r.open = append(r.open, k)
	if err := r.inner(at, fmt.Sprintf("(?<%d>", k)); err != nil {
		return err
	}
	r.open = r.open[:len(r.open)-1]
	r.closed[k], r.widths[k] = true, r.width
	return nil
}

// backref refers to group k; the places are for the two errors.
func (r *reParser) backref(k, at, openAt int) error {
	if k > r.p.groups {
		return r.fail(at, "invalid group reference %d", k)
	}
	if !r.closed[k] {
		return r.fail(openAt, "cannot refer to an open group")
	}
	fmt.Fprintf(&r.out, `(?:\k<%d>)`, k)
	r.width = r.widths[k]
	return nil
}

func (r *reParser) conditional(at int) error {
	r.i++
	name, pos, err := r.until(')', "group name")
	if err != nil {
		return err
	}
	k, err2 := strconv.Atoi(name)
	if err2 != nil {
		ok := false
		if !isName(name) {
			return r.fail(pos, "bad character in group name %s", value.QuoteStr(name))
		}
		if k, ok = r.p.names[name]; !ok {
			return r.fail(pos, "unknown group name %s", value.QuoteStr(name))
		}
	}
	if k == 0 {
		return r.fail(pos, "bad group number")
	}
	r.out.WriteString(fmt.Sprintf("(?(%d)", k))
	r.started = true
	var all reWidth
	for n := 0; ; n++ {
		if err := r.sequence(); err != nil {
			return err
		}
		if n == 0 {
			all = r.width
		} else {
			all = all.or(r.width)
		}
		if r.peek() != '|' {
			if n == 0 {
				all.lo = 0 // there is no other branch
			}
			break
		}
		if n == 1 {
			return r.fail(r.i, "conditional backref with more than two branches")
		}
		r.out.WriteByte('|')
		r.i++
	}
	if r.peek() != ')' {
		return r.fail(at, "missing ), unterminated subpattern")
	}
	if k > r.p.groups {
		return r.fail(pos, "invalid group reference %d", k)
	}
	r.i++
	r.out.WriteByte(')')
	r.width = all
	return nil
}

var flagLetters = map[rune]int{'i': reIgnoreCase, 'm': reMultiLine, 's': reDotAll, 'x': reVerbose, 'a': reASCII, 'u': reUnicode, 'L': reLocale}

// inlineFlags reads (?i), which counts for the whole pattern, and (?i-s:…).
func (r *reParser) inlineFlags(at int) (bool, error) {
	on, off := 0, 0
	minus := false
	for {
		c := r.peek()
		if c == -1 {
			return false, r.fail(r.i, "missing -, : or )")
		}
		if c == '-' && !minus {
			minus = true
			r.i++
			continue
		}
		if c == ')' || c == ':' {
			break
		}
		f, ok := flagLetters[c]
		if !ok {
			if r.i == at+2 {
				return false, r.fail(at+1, "unknown extension ?%c", c)
			}
			return false, r.fail(r.i, "unknown flag")
		}
		if minus {
			off |= f
		} else {
			on |= f
		}
		r.i++
	}
	end := r.src[r.i]
	r.i++
	if end == ')' {
		if minus {
			return false, r.fail(r.i-1, "missing :")
		}
		if r.started {
			return false, r.fail(at, "global flags not at the start of the expression")
		}
		r.flags |= on
		return false, nil
	}
	letters := func(f int) string {
		s := ""
		for _, c := range "ims" {
			if f&flagLetters[c] != 0 {
				s += string(c)
			}
		}
		return s
	}
	head := "(?" + letters(on)
	if l := letters(off); l != "" {
		head += "-" + l
	}
	saved := r.flags
	r.flags = (r.flags | on) &^ off
	err := r.inner(at, head+":")
	r.flags = saved
	return true, err
}
