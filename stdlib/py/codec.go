package py

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// textCodec is an encoding of text files and what to do about errors.
type textCodec struct {
	encoding string // utf-8, ascii, latin-1
	errors   string // strict, ignore, replace, backslashreplace, surrogateescape
	bom      bool   // utf-8-sig
}

func newCodec(encoding, errors string) (textCodec, error) {
	c := textCodec{errors: errors}
	switch strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(encoding)) {
	case "", "utf-8", "utf8", "u8", "cp65001":
		c.encoding = "utf-8"
	case "utf-8-sig", "utf8-sig":
		c.encoding, c.bom = "utf-8", true
	case "ascii", "us-ascii", "646":
		c.encoding = "ascii"
	case "latin-1", "latin1", "iso-8859-1", "iso8859-1", "8859", "l1":
		c.encoding = "latin-1"
	default:
		return c, value.NewRaised(value.ExcLookupError, value.Str("unknown encoding: "+encoding))
	}
	return c, nil
}

func (c textCodec) decode(b []byte) (string, error) {
	s := string(b)
	switch c.encoding {
	case "latin-1":
		r := make([]rune, len(b))
		for i, x := range b {
			r[i] = rune(x)
		}
		return string(r), nil
	case "utf-8":
		if c.bom {
			s = strings.TrimPrefix(s, "\ufeff")
		}
		if utf8.ValidString(s) {
			return s, nil
		}
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if (r != utf8.RuneError || n > 1) && (c.encoding == "utf-8" || r < 0x80) {
			out.WriteRune(r)
			i += n
			continue
		}
		reason, bad := "ordinal not in range(128)", 1
		if c.encoding == "utf-8" {
			reason, bad = utf8Fault(s[i:])
		}
		switch c.errors {
		case "ignore":
		case "replace":
			out.WriteRune('\ufffd')
		case "backslashreplace":
			for _, x := range []byte(s[i : i+bad]) {
				fmt.Fprintf(&out, "\\x%02x", x)
			}
		default:
			return "", decodeError(c.encoding, b, i, bad, reason)
		}
		i += bad
	}
	return out.String(), nil
}

// utf8Fault says what is wrong at the start of s and how many bytes it spans.
func utf8Fault(s string) (reason string, n int) {
	b := s[0]
	want := 0
	switch {
	case b >= 0xC2 && b <= 0xDF:
		want = 1
	case b >= 0xE0 && b <= 0xEF:
		want = 2
	case b >= 0xF0 && b <= 0xF4:
		want = 3
	default:
		return "invalid start byte", 1
	}
	for n = 1; n <= want; n++ {
		if n == len(s) {
			return "unexpected end of data", n
		}
		c := s[n]
		lo, hi := byte(0x80), byte(0xBF)
		if n == 1 {
			switch b {
			case 0xE0:
				lo = 0xA0
			case 0xED:
				hi = 0x9F
			case 0xF0:
				lo = 0x90
			case 0xF4:
				hi = 0x8F
			}
		}
		if c < lo || c > hi {
			return "invalid continuation byte", n
		}
	}
	return "invalid continuation byte", 1
}

func decodeError(encoding string, b []byte, at, n int, reason string) error {
	text := fmt.Sprintf("'%s' codec can't decode byte 0x%02x in position %d: %s", encoding, b[at], at, reason)
	if n > 1 {
		text = fmt.Sprintf("'%s' codec can't decode bytes in position %d-%d: %s", encoding, at, at+n-1, reason)
	}
	r := value.NewRaised(value.ExcUnicodeDecodeError, value.Str(text))
	in := r.Value().AsInstance()
	in.Set("encoding", value.Str(encoding))
	in.Set("object", value.BytesOf(b))
	in.Set("start", value.Int(int64(at)))
	in.Set("end", value.Int(int64(at+n)))
	in.Set("reason", value.Str(reason))
	return r
}

func (c textCodec) encode(s string) ([]byte, error) {
	if c.encoding == "utf-8" {
		return []byte(s), nil
	}
	limit := rune(0x80)
	if c.encoding == "latin-1" {
		limit = 0x100
	}
	out := make([]byte, 0, len(s))
	i := 0
	for _, r := range s {
		switch {
		case r < limit:
			out = append(out, byte(r))
		case c.errors == "ignore":
		case c.errors == "replace":
			out = append(out, '?')
		case c.errors == "backslashreplace" || c.errors == "xmlcharrefreplace":
			if c.errors[0] == 'x' {
				out = fmt.Appendf(out, "&#%d;", r)
			} else {
				out = append(out, escapeRune(r)...)
			}
		default:
			return nil, value.Errorf(value.ExcUnicodeEncodeError, "'%s' codec can't encode character '%s' in position %d: ordinal not in range(%d)",
				c.encoding, escapeRune(r), i, limit)
		}
		i++
	}
	return out, nil
}

func escapeRune(r rune) string {
	switch {
	case r < 0x100:
		return fmt.Sprintf("\\x%02x", r)
	case r < 0x10000:
		return fmt.Sprintf("\\u%04x", r)
	}
	return fmt.Sprintf("\\U%08x", r)
}
