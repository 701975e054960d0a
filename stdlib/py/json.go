package py

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// scanError is what _json.scan raises: (message, position); json.star makes a
// JSONDecodeError of it.
var scanError = value.NewClass("ScanError", "_json", value.ExcValueError)

// jsonScanner reads JSON text. Positions are bytes while it scans, and code
// points in errors.
type jsonScanner struct {
	s string
	i int
	// raw gives, in place of values, what a program's hooks need:
	// ("o", [(key, node) …]), ("a", [node …]), ("f", text), ("i", text),
	// ("c", text), ("v", value).
	raw    bool
	strict bool
	depth  int

	// What the containers that are open hold so far, the innermost's last: each is
	// made at its end, of the right size.
	vals []val
	keys []value.Key
	// known gives keys that come again their value and hash; nil in short texts.
	known *[64]value.Key
}

// keepsKeys is the length of a text from which on keys are remembered.
const keepsKeys = 512

// key is the value of a key, of which a document has few.
func (p *jsonScanner) key(s string) value.Key {
	h := value.HashStr(s)
	if p.known == nil {
		if len(p.s) < keepsKeys {
			return value.Key{Value: value.Str(s), Hash: h}
		}
		p.known = new([64]value.Key)
	}
	k := &p.known[h>>8&63]
	if k.Hash == h {
		if old, ok := k.AsString(); ok && old == s {
			return *k
		}
	}
	*k = value.Key{Value: value.Str(s), Hash: h}
	return *k
}

func (p *jsonScanner) fail(msg string, at int) error {
	return value.NewRaised(scanError, value.Str(msg), value.Int(int64(utf8.RuneCountInString(p.s[:min(at, len(p.s))]))))
}

func (p *jsonScanner) space() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

func (p *jsonScanner) node(kind string, v val) val {
	if p.raw {
		return value.Tuple(value.Str(kind), v)
	}
	return v
}

func (p *jsonScanner) value() (val, error) {
	if p.i >= len(p.s) {
		return val{}, p.fail("Expecting value", p.i)
	}
	switch c := p.s[p.i]; {
	case c == '"':
		p.i++
		s, err := p.str()
		return p.node("v", value.Str(s)), err
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	switch s := p.s[p.i:]; {
	case strings.HasPrefix(s, "null"):
		p.i += len("null")
		return p.node("v", value.None), nil
	case strings.HasPrefix(s, "true"):
		p.i += len("true")
		return p.node("v", value.True), nil
	case strings.HasPrefix(s, "false"):
		p.i += len("false")
		return p.node("v", value.False), nil
	case strings.HasPrefix(s, "NaN"):
		return p.constant("NaN", math.NaN()), nil
	case strings.HasPrefix(s, "Infinity"):
		return p.constant("Infinity", math.Inf(1)), nil
	}
	return val{}, p.fail("Expecting value", p.i)
}

// constant steps over the name of a float that JSON proper does not have.
func (p *jsonScanner) constant(name string, f float64) val {
	p.i += len(name)
	if p.raw {
		return p.node("c", value.Str(name))
	}
	return value.Float(f)
}

func (p *jsonScanner) number() (val, error) {
	start := p.i
	s := p.s
	i := p.i
	if s[i] == '-' {
		i++
		if strings.HasPrefix(s[i:], "Infinity") {
			return p.constant("-Infinity", math.Inf(-1)), nil
		}
	}
	digits := func() bool {
		from := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else if !digits() {
		return val{}, p.fail("Expecting value", start)
	}
	float := false
	if i+1 < len(s) && s[i] == '.' && s[i+1] >= '0' && s[i+1] <= '9' {
		float = true
		i++
		digits()
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		back := i
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if digits() {
			float = true
		} else {
			i = back
		}
	}
	p.i = i
	text := s[start:i]
	if p.raw {
		if float {
			return p.node("f", value.Str(text)), nil
		}
		return p.node("i", value.Str(text)), nil
	}
	if float {
		f, _ := strconv.ParseFloat(text, 64)
		return value.Float(f), nil
	}
	if len(text) <= 18 { // fits whatever the digits are
		n, neg := int64(0), text[0] == '-'
		for i := range len(text) {
			if c := text[i]; c != '-' {
				n = n*10 + int64(c-'0')
			}
		}
		if neg {
			n = -n
		}
		return value.Int(n), nil
	}
	v, ok := value.ParseInt(text, 10)
	if !ok {
		return val{}, p.fail("Expecting value", start)
	}
	return v, nil
}

// jsonPlain is the bytes of a string that mean themselves.
var jsonPlain = func() (plain [256]bool) {
	for c := range plain {
		plain[c] = c >= 0x20 && c != '"' && c != '\\'
	}
	return plain
}()

// str reads a string whose opening quote is behind.
func (p *jsonScanner) str() (string, error) {
	begin := p.i - 1
	s := p.s
	from := p.i
	for p.i < len(s) && jsonPlain[s[p.i]] {
		p.i++
	}
	var b []byte
	for {
		if p.i >= len(s) {
			return "", p.fail("Unterminated string starting at", begin)
		}
		switch c := s[p.i]; {
		case c == '"':
			p.i++
			if b == nil {
				return s[from : p.i-1], nil
			}
			return string(append(b, s[from:p.i-1]...)), nil
		case c == '\\':
			b = append(b, s[from:p.i]...)
			if b == nil {
				b = []byte{}
			}
			p.i++
			if p.i >= len(s) {
				return "", p.fail("Unterminated string starting at", begin)
			}
			e := s[p.i]
			p.i++
			if e == 'u' {
				r, err := p.unicode()
				if err != nil {
					return "", err
				}
				b = utf8.AppendRune(b, r)
			} else if k := strings.IndexByte(`"\/bfnrt`, e); k >= 0 {
				b = append(b, "\"\\/\b\f\n\r\t"[k])
			} else {
				return "", p.fail("Invalid \\escape", p.i-2)
			}
			from = p.i
		case c < 0x20 && p.strict:
			return "", p.fail("Invalid control character at", p.i)
		default:
			p.i++
		}
	}
}

func (p *jsonScanner) hex4() (rune, bool) {
	if p.i+4 > len(p.s) {
		return 0, false
	}
	n, err := strconv.ParseUint(p.s[p.i:p.i+4], 16, 32)
	if err != nil {
		return 0, false
	}
	p.i += 4
	return rune(n), true
}

// unicode reads behind \u, a surrogate pair as one.
func (p *jsonScanner) unicode() (rune, error) {
	at := p.i
	r, ok := p.hex4()
	if !ok {
		return 0, p.fail("Invalid \\uXXXX escape", at-1)
	}
	if r >= 0xD800 && r < 0xDC00 && strings.HasPrefix(p.s[p.i:], `\u`) {
		back := p.i
		p.i += 2
		if lo, ok := p.hex4(); ok && lo >= 0xDC00 && lo < 0xE000 {
			return 0x10000 + (r-0xD800)<<10 + (lo - 0xDC00), nil
		}
		p.i = back
	}
	return r, nil
}

const jsonDepth = 990

func (p *jsonScanner) enter() error {
	if p.depth++; p.depth > jsonDepth {
		return value.Errorf(value.ExcRecursionError, "maximum recursion depth exceeded while decoding a JSON document")
	}
	return nil
}

func (p *jsonScanner) array() (val, error) {
	if err := p.enter(); err != nil {
		return val{}, err
	}
	defer func() { p.depth-- }()
	p.i++
	base := len(p.vals)
	done := func() (val, error) {
		p.i++
		out := slices.Clone(p.vals[base:])
		p.vals = p.vals[:base]
		return p.node("a", value.NewList(out).Value()), nil
	}
	p.space()
	if p.i < len(p.s) && p.s[p.i] == ']' {
		return done()
	}
	for {
		v, err := p.value()
		if err != nil {
			return val{}, err
		}
		p.vals = append(p.vals, v)
		p.space()
		if p.i < len(p.s) && p.s[p.i] == ']' {
			return done()
		}
		if p.i >= len(p.s) || p.s[p.i] != ',' {
			return val{}, p.fail("Expecting ',' delimiter", p.i)
		}
		p.i++
		p.space()
	}
}

func (p *jsonScanner) object() (val, error) {
	if err := p.enter(); err != nil {
		return val{}, err
	}
	defer func() { p.depth-- }()
	p.i++
	base, keys := len(p.vals), len(p.keys)
	done := func() (val, error) {
		p.i++
		var v val
		if p.raw {
			v = p.node("o", value.NewList(slices.Clone(p.vals[base:])).Value())
		} else {
			v = value.DictOfKeys(p.keys[keys:], p.vals[base:]).Value()
			p.keys = p.keys[:keys]
		}
		p.vals = p.vals[:base]
		return v, nil
	}
	p.space()
	if p.i < len(p.s) && p.s[p.i] == '}' {
		return done()
	}
	for {
		if p.i >= len(p.s) || p.s[p.i] != '"' {
			return val{}, p.fail("Expecting property name enclosed in double quotes", p.i)
		}
		p.i++
		k, err := p.str()
		if err != nil {
			return val{}, err
		}
		p.space()
		if p.i >= len(p.s) || p.s[p.i] != ':' {
			return val{}, p.fail("Expecting ':' delimiter", p.i)
		}
		p.i++
		p.space()
		v, err := p.value()
		if err != nil {
			return val{}, err
		}
		if p.raw {
			p.vals = append(p.vals, value.Tuple(value.Str(k), v))
		} else {
			p.keys = append(p.keys, p.key(k))
			p.vals = append(p.vals, v)
		}
		p.space()
		if p.i < len(p.s) && p.s[p.i] == '}' {
			return done()
		}
		if p.i >= len(p.s) || p.s[p.i] != ',' {
			return val{}, p.fail("Expecting ',' delimiter", p.i)
		}
		p.i++
		p.space()
	}
}

// jsonRoom keeps the buffers in which texts grow.
var jsonRoom = sync.Pool{New: func() any { return new([]byte) }}

const maxJSONRoom = 1 << 20

// jsonWriter writes JSON text.
type jsonWriter struct {
	t         *thread
	b         []byte
	ascii     bool
	nan       bool
	skip      bool
	sorted    bool
	circular  bool
	item, key string
	indent    string
	pretty    bool
	depth     int
	open      []val
}

func (w *jsonWriter) str(s string) {
	w.b = append(w.b, '"')
	from, i := 0, 0
	for i < len(s) {
		c := s[i]
		if c < 0x7f && jsonPlain[c] {
			i++
			continue
		}
		if c >= 0x80 && !w.ascii {
			_, n := utf8.DecodeRuneInString(s[i:])
			i += n
			continue
		}
		if c == 0x7f && !w.ascii {
			i++
			continue
		}
		w.b = append(w.b, s[from:i]...)
		n := 1
		switch c {
		case '"', '\\':
			w.b = append(w.b, '\\', c)
		case '\n':
			w.b = append(w.b, '\\', 'n')
		case '\r':
			w.b = append(w.b, '\\', 'r')
		case '\t':
			w.b = append(w.b, '\\', 't')
		case '\b':
			w.b = append(w.b, '\\', 'b')
		case '\f':
			w.b = append(w.b, '\\', 'f')
		default:
			var r rune
			r, n = utf8.DecodeRuneInString(s[i:])
			if r >= 0x10000 {
				r -= 0x10000
				w.hex(0xD800 + r>>10)
				w.hex(0xDC00 + r&0x3FF)
			} else {
				w.hex(r)
			}
		}
		i += n
		from = i
	}
	w.b = append(append(w.b, s[from:]...), '"')
}

func (w *jsonWriter) hex(r rune) {
	const digits = "0123456789abcdef"
	w.b = append(w.b, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

func (w *jsonWriter) float(f float64) error {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		if !w.nan {
			return value.ValueErrorf("Out of range float values are not JSON compliant")
		}
		switch {
		case math.IsNaN(f):
			w.b = append(w.b, "NaN"...)
		case f > 0:
			w.b = append(w.b, "Infinity"...)
		default:
			w.b = append(w.b, "-Infinity"...)
		}
		return nil
	}
	w.b = value.AppendFloat(w.b, f)
	return nil
}

func (w *jsonWriter) newline() {
	if !w.pretty {
		return
	}
	w.b = append(w.b, '\n')
	for range w.depth {
		w.b = append(w.b, w.indent...)
	}
}

func (w *jsonWriter) enter(v val) error {
	if w.circular {
		for _, o := range w.open {
			if o == v {
				return value.ValueErrorf("Circular reference detected")
			}
		}
		w.open = append(w.open, v)
	}
	if w.depth++; w.depth > jsonDepth {
		return value.Errorf(value.ExcRecursionError, "maximum recursion depth exceeded while encoding a JSON object")
	}
	return nil
}

func (w *jsonWriter) leave() {
	w.depth--
	if w.circular {
		w.open = w.open[:len(w.open)-1]
	}
}

func (w *jsonWriter) write(v val) error {
	p := value.Payload(v)
	switch {
	case p.IsNone():
		w.b = append(w.b, "null"...)
	case p.IsBool():
		w.b = strconv.AppendBool(w.b, p.IsTrue())
	case p.IsInt():
		w.b = strconv.AppendInt(w.b, p.Int64(), 10)
	case p.IsFloat():
		return w.float(p.Float64())
	case p.Is(value.ItabString):
		s, _ := p.AsString()
		w.str(s)
	case p.Is(value.ItabBigInt):
		i, _ := value.AsBig(p)
		w.b = append(w.b, i.String()...)
	case p.Is(value.ItabDict):
		return w.dict(v, p.AsDict())
	case p.Is(value.ItabList), p.Is(value.ItabTuple):
		items, _ := elems(p)
		if len(items) == 0 {
			w.b = append(w.b, '[', ']')
			return nil
		}
		if err := w.enter(v); err != nil {
			return err
		}
		w.b = append(w.b, '[')
		for i, e := range items {
			if i > 0 {
				w.b = append(w.b, w.item...)
			}
			w.newline()
			if err := w.write(e); err != nil {
				return err
			}
		}
		w.leave()
		w.newline()
		w.b = append(w.b, ']')
	default:
		return value.TypeErrorf("Object of type %s is not JSON serializable", typeName(v))
	}
	return nil
}

type jsonEntry struct{ k, v val }

func (w *jsonWriter) dict(v val, d *value.Dict) error {
	if d.Len() == 0 {
		w.b = append(w.b, '{', '}')
		return nil
	}
	if err := w.enter(v); err != nil {
		return err
	}
	w.b = append(w.b, '{')
	first := true
	if w.sorted {
		entries, err := w.inOrder(d)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := w.entry(e.k, e.v, &first); err != nil {
				return err
			}
		}
	} else {
		for i := 0; ; {
			k, x, next, ok := d.Next(i)
			if !ok {
				break
			}
			i = next
			if err := w.entry(k, x, &first); err != nil {
				return err
			}
		}
	}
	w.leave()
	w.newline()
	w.b = append(w.b, '}')
	return nil
}

// inOrder is the entries of d, keys ascending.
func (w *jsonWriter) inOrder(d *value.Dict) (entries []jsonEntry, err error) {
	for i := 0; ; {
		k, x, next, ok := d.Next(i)
		if !ok {
			break
		}
		i = next
		entries = append(entries, jsonEntry{k, x})
	}
	sort.SliceStable(entries, func(i, j int) bool {
		v, e := value.Compare(w.t, value.Lt, entries[i].k, entries[j].k)
		if e != nil {
			err = e
		}
		return v == value.True
	})
	return entries, err
}

func (w *jsonWriter) entry(k, v val, first *bool) error {
	text, ok, err := w.keyText(k)
	if err != nil || !ok {
		return err
	}
	if !*first {
		w.b = append(w.b, w.item...)
	}
	*first = false
	w.newline()
	w.str(text)
	w.b = append(w.b, w.key...)
	return w.write(v)
}

func (w *jsonWriter) keyText(k val) (string, bool, error) {
	p := value.Payload(k)
	if s, ok := p.AsString(); ok {
		return s, true, nil
	}
	switch {
	case p.IsNone():
		return "null", true, nil
	case p.IsBool():
		return strconv.FormatBool(p.IsTrue()), true, nil
	case p.IsInt():
		return strconv.FormatInt(p.Int64(), 10), true, nil
	case p.IsFloat():
		sub := jsonWriter{nan: w.nan}
		err := sub.float(p.Float64())
		return string(sub.b), true, err
	case p.Is(value.ItabBigInt):
		i, _ := value.AsBig(p)
		return i.String(), true, nil
	case w.skip:
		return "", false, nil
	}
	return "", false, value.TypeErrorf("keys must be str, int, float, bool or None, not %s", typeName(k))
}

func jsonModule() *value.Module {
	m := value.NewModule("_json")
	m.Set("ScanError", scanError.Value())
	put(m, pure(
		// scan(text, start, raw, strict) reads one value: (value, where it ends).
		fn("scan(text, start, raw, strict, /)", func(t *thread, a []val) (val, error) {
			s, ok := value.Payload(a[0]).AsString()
			if !ok {
				return val{}, value.TypeErrorf("the JSON object must be str, bytes or bytearray, not %s", typeName(a[0]))
			}
			start, err := asInt(t, a[1])
			if err != nil {
				return val{}, err
			}
			p := &jsonScanner{s: s, raw: a[2] == value.True, strict: a[3] == value.True}
			for n := int64(0); n < start && p.i < len(s); n++ {
				_, k := utf8.DecodeRuneInString(s[p.i:])
				p.i += k
			}
			v, err := p.value()
			if err != nil {
				return val{}, err
			}
			return value.Tuple(v, value.Int(int64(utf8.RuneCountInString(s[:p.i])))), nil
		}),
		// loads(text, raw, strict) reads text that is one value.
		fn("loads(text, raw, strict, /)", func(t *thread, a []val) (val, error) {
			s, ok := value.Payload(a[0]).AsString()
			if !ok {
				return val{}, value.TypeErrorf("the JSON object must be str, bytes or bytearray, not %s", typeName(a[0]))
			}
			p := &jsonScanner{s: s, raw: a[1] == value.True, strict: a[2] == value.True}
			if strings.HasPrefix(s, "\ufeff") {
				return val{}, p.fail("Unexpected UTF-8 BOM (decode using utf-8-sig)", 0)
			}
			p.space()
			v, err := p.value()
			if err != nil {
				return val{}, err
			}
			if p.space(); p.i < len(s) {
				return val{}, p.fail("Extra data", p.i)
			}
			return v, nil
		}),
		fn("dumps(obj, skipkeys, ensure_ascii, check_circular, allow_nan, indent, item, key, sort_keys, /)", func(t *thread, a []val) (val, error) {
			w := &jsonWriter{t: t, skip: a[1] == value.True, ascii: a[2] == value.True, circular: a[3] == value.True, nan: a[4] == value.True, sorted: a[8] == value.True}
			if !a[5].IsNone() {
				w.pretty = true
				w.indent, _ = a[5].AsString()
			}
			w.item, _ = value.Payload(a[6]).AsString()
			w.key, _ = value.Payload(a[7]).AsString()
			room := jsonRoom.Get().(*[]byte)
			w.b = (*room)[:0]
			err := w.write(a[0])
			text := ""
			if err == nil {
				text = string(w.b)
			}
			if cap(w.b) <= maxJSONRoom {
				*room = w.b
				jsonRoom.Put(room)
			}
			return value.Str(text), err
		}),
	)...)
	return m
}
