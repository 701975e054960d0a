package py

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// rePattern is a compiled pattern. The variants are made when first needed:
// plain, anchored where the search starts, the same to the end, and (for what
// follows an empty match) not ending where the search starts.
type rePattern struct {
	*pyPattern
	source val
	bytes  bool

	mu       sync.Mutex
	variants [4]*regexp2.Regexp
}

const (
	rePlain = iota
	reAnchored
	reFull
	reMoving
)

func (p *rePattern) variant(k int) (*regexp2.Regexp, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.variants[k] == nil {
		re, err := p.compile(k)
		if err != nil {
			return nil, err
		}
		re.MatchTimeout = reAtOnce
		p.variants[k] = re
	}
	return p.variants[k], nil
}

func (p *rePattern) compile(k int) (*regexp2.Regexp, error) {
	text := p.text
	switch k {
	case reAnchored:
		text = `\G(?:` + text + `)`
	case reFull:
		text = `\G(?:` + text + `)\z`
	case reMoving:
		text = `(?:` + text + `)(?!\G)`
	}
	opts := regexp2.None
	if p.flags&reIgnoreCase != 0 {
		opts |= regexp2.IgnoreCase
	}
	if p.flags&reMultiLine != 0 {
		opts |= regexp2.Multiline
	}
	if p.flags&reDotAll != 0 {
		opts |= regexp2.Singleline
	}
	re, err := regexp2.Compile(text, opts)
	if err != nil {
		s, _ := p.source.AsString()
		return nil, patternError(s, err.Error(), 0)
	}
	return re, nil
}

// subject is the text that is searched, as runes.
type subject struct {
	t          *thread
	v          val
	runes      []rune
	s          string
	ascii      bool
	bytes      bool
	start, end int
}

func (p *rePattern) subject(t *thread, v, pos, endpos val) (*subject, error) {
	x := &subject{t: t, v: v}
	if s, ok := value.Payload(v).AsString(); ok {
		if p.bytes {
			return nil, value.TypeErrorf("cannot use a bytes pattern on a string-like object")
		}
		x.s = s
		x.runes = []rune(s)
		x.ascii = len(x.runes) == len(s)
	} else if b, ok := asBytes(v); ok {
		if !p.bytes {
			return nil, value.TypeErrorf("cannot use a string pattern on a bytes-like object")
		}
		x.bytes = true
		x.runes = make([]rune, len(b))
		for i, c := range b {
			x.runes[i] = rune(c)
		}
	} else {
		return nil, value.TypeErrorf("expected string or bytes-like object, got '%s'", typeName(v))
	}
	x.end = len(x.runes)
	clip := func(v val, def int) (int, error) {
		if v.IsUnset() {
			return def, nil
		}
		n, err := asInt(t, v)
		return int(max(0, min(n, int64(x.end)))), err
	}
	var err error
	if x.start, err = clip(pos, 0); err != nil {
		return nil, err
	}
	x.end, err = clip(endpos, x.end)
	return x, err
}

// slice is the text between two positions, as a value of the subject's type.
func (x *subject) slice(a, b int) val {
	if x.bytes {
		out := make([]byte, b-a)
		for i, r := range x.runes[a:b] {
			out[i] = byte(r)
		}
		return value.BytesOf(out)
	}
	return value.Str(x.text(a, b))
}

func (x *subject) text(a, b int) string {
	if x.ascii {
		return x.s[a:b]
	}
	if x.bytes {
		out := make([]byte, b-a)
		for i, r := range x.runes[a:b] {
			out[i] = byte(r)
		}
		return string(out)
	}
	return string(x.runes[a:b])
}

// value of text built from pieces: str, or bytes for a bytes subject.
func (x *subject) result(s string) val {
	if x.bytes {
		return value.BytesOf([]byte(s))
	}
	return value.Str(s)
}

// reMatch is a match: spans[2k], spans[2k+1] are group k's, -1 where it took no part.
type reMatch struct {
	p     *rePattern
	x     *subject
	spans []int
}

func (p *rePattern) find(x *subject, variant, from int) (*reMatch, error) {
	if from > x.end {
		return nil, nil
	}
	m, err := p.match(x, variant, from)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, nil
	}
	out := &reMatch{p: p, x: x, spans: make([]int, 2*(p.groups+1))}
	for k := range p.groups + 1 {
		g := m.GroupByNumber(k)
		if g == nil || len(g.Captures) == 0 {
			out.spans[2*k], out.spans[2*k+1] = -1, -1
			continue
		}
		out.spans[2*k], out.spans[2*k+1] = g.RuneIndex, g.RuneIndex+g.RuneLength
	}
	return out, nil
}

// each calls f for the matches from start on, as finditer finds them: a match
// that is empty may not end where the one before it ended, unless that was not empty.
func (p *rePattern) each(x *subject, f func(m *reMatch) (bool, error)) error {
	at, variant := x.start, rePlain
	for {
		m, err := p.find(x, variant, at)
		if m == nil || err != nil {
			return err
		}
		more, err := f(m)
		if !more || err != nil {
			return err
		}
		at, variant = m.spans[1], rePlain
		if m.spans[0] == m.spans[1] {
			variant = reMoving
		}
	}
}

func (m *reMatch) group(k int, def val) val {
	if m.spans[2*k] < 0 {
		return def
	}
	return m.x.slice(m.spans[2*k], m.spans[2*k+1])
}

// lastIndex is the group that was closed last.
func (m *reMatch) lastIndex() int {
	best := 0
	for k := 1; k <= m.p.groups; k++ {
		if m.spans[2*k] >= 0 && (best == 0 || m.spans[2*k+1] >= m.spans[2*best+1]) {
			best = k
		}
	}
	for best > 0 {
		up := m.p.parent[best]
		if up == 0 || m.spans[2*up+1] != m.spans[2*best+1] {
			break
		}
		best = up
	}
	return best
}

// patternCache holds patterns that were compiled, of a Library.
type patternCache struct {
	mu   sync.Mutex
	byID map[string]*rePattern
}

func (c *patternCache) compile(source val, flags int) (*rePattern, error) {
	s, isStr := value.Payload(source).AsString()
	text := s
	if !isStr {
		b, ok := asBytes(source)
		if !ok {
			return nil, value.TypeErrorf("first argument must be string or compiled pattern")
		}
		r := make([]rune, len(b))
		for i, x := range b {
			r[i] = rune(x)
		}
		text = string(r)
		if flags&reUnicode != 0 {
			return nil, value.ValueErrorf("cannot use UNICODE flag with a bytes pattern")
		}
	}
	key := fmt.Sprintf("%t %d %s", isStr, flags, text)
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.byID[key]; p != nil {
		return p, nil
	}
	tr, err := translateRE(text, flags, !isStr)
	if err != nil {
		return nil, err
	}
	p := &rePattern{pyPattern: tr, source: source, bytes: !isStr}
	if _, err := p.variant(rePlain); err != nil {
		return nil, err
	}
	if len(c.byID) >= 512 || c.byID == nil {
		c.byID = map[string]*rePattern{}
	}
	c.byID[key] = p
	return p, nil
}

// template is a replacement text in parts: literal text, or a group's number.
type template struct {
	lit   []string
	group []int // group[i] follows lit[i]; the last literal has none
}

func (p *rePattern) template(repl val) (*template, error) {
	s, ok := value.Payload(repl).AsString()
	if !ok {
		b, isBytes := asBytes(repl)
		if !isBytes {
			return nil, value.TypeErrorf("decoding to str: need a bytes-like object, %s found", typeName(repl))
		}
		s = string(b)
	}
	tm := &template{}
	var lit strings.Builder
	put := func(k int) {
		tm.lit = append(tm.lit, lit.String())
		tm.group = append(tm.group, k)
		lit.Reset()
	}
	rs := []rune(s)
	fail := func(at int, format string, args ...any) error {
		return patternError(s, fmt.Sprintf(format, args...), at)
	}
	for i := 0; i < len(rs); i++ {
		c := rs[i]
		if c != '\\' {
			lit.WriteRune(c)
			continue
		}
		at := i
		if i++; i >= len(rs) {
			return nil, fail(at, "bad escape (end of pattern)")
		}
		c = rs[i]
		switch {
		case c == 'g':
			if i+1 >= len(rs) || rs[i+1] != '<' {
				return nil, fail(i+1, "missing <")
			}
			end := slices.Index(rs[i:], '>')
			if end < 0 {
				if i+2 >= len(rs) {
					return nil, fail(i+2, "missing group name")
				}
				return nil, fail(i+2, "missing >, unterminated name")
			}
			name := string(rs[i+2 : i+end])
			if name == "" {
				return nil, fail(i+2, "missing group name")
			}
			k := 0
			if name[0] >= '0' && name[0] <= '9' {
				if _, err := fmt.Sscanf(name, "%d", &k); err != nil || strings.Trim(name, "0123456789") != "" {
					return nil, fail(i+2, "bad character in group name %s", value.QuoteStr(name))
				}
				if k > p.groups {
					return nil, fail(i+2, "invalid group reference %d", k)
				}
			} else {
				if !isName(name) {
					return nil, fail(i+2, "bad character in group name %s", value.QuoteStr(name))
				}
				n, ok := p.names[name]
				if !ok {
					return nil, value.IndexErrorf("unknown group name %s", value.QuoteStr(name))
				}
				k = n
			}
			put(k)
			i += end
		case c == '0':
			n, used := rune(0), 0
			for i+1 < len(rs) && used < 2 && isOctal(rs[i+1]) {
				i, used, n = i+1, used+1, n*8+rs[i+1]-'0'
			}
			lit.WriteRune(n)
		case c >= '1' && c <= '9':
			if i+2 < len(rs) && isOctal(c) && isOctal(rs[i+1]) && isOctal(rs[i+2]) {
				lit.WriteRune((c-'0')*64 + (rs[i+1]-'0')*8 + rs[i+2] - '0')
				i += 2
				continue
			}
			k := int(c - '0')
			if i+1 < len(rs) && rs[i+1] >= '0' && rs[i+1] <= '9' {
				i++
				k = k*10 + int(rs[i]-'0')
			}
			if k > p.groups {
				return nil, fail(at+1, "invalid group reference %d", k)
			}
			put(k)
		default:
			if e, ok := simpleEscapes[c]; ok {
				lit.WriteRune(e)
			} else if c == 'b' {
				lit.WriteRune(8)
			} else if c < utf8.RuneSelf && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
				return nil, fail(at, "bad escape \\%c", c)
			} else if c == '\\' {
				lit.WriteRune(c)
			} else {
				lit.WriteRune('\\')
				lit.WriteRune(c)
			}
		}
	}
	tm.lit = append(tm.lit, lit.String())
	return tm, nil
}

func (tm *template) expand(m *reMatch, b *strings.Builder) {
	for i, s := range tm.lit {
		b.WriteString(s)
		if i < len(tm.group) {
			if k := tm.group[i]; m.spans[2*k] >= 0 {
				b.WriteString(m.x.text(m.spans[2*k], m.spans[2*k+1]))
			}
		}
	}
}
