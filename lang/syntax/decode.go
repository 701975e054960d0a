package syntax

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

func itoa(n int32) string { return strconv.Itoa(int(n)) }

// maxIntDigits is CPython's default limit on decimal integers, which keeps a short
// text from costing seconds.
const maxIntDigits = 4300

// decodeNumber sets c to the value of a number's text, which the scanner has
// found well formed. It returns a message if the value is out of range.
func decodeNumber(c *Constant, text string, d Dialect) string {
	text = strings.ReplaceAll(text, "_", "")
	hex := len(text) > 1 && (text[1] == 'x' || text[1] == 'X')
	if n := len(text); text[n-1] == 'j' || text[n-1] == 'J' {
		c.Kind = ImagConst
		c.Float, _ = strconv.ParseFloat(text[:n-1], 64)
		return ""
	}
	if !hex && strings.ContainsAny(text, ".eE") {
		var err error
		c.Kind = FloatConst
		c.Float, err = strconv.ParseFloat(text, 64) // out of range is infinite, as in Python
		if err != nil && (d == Starlark || err.(*strconv.NumError).Err != strconv.ErrRange) {
			return "invalid float literal"
		}
		return ""
	}
	c.Kind = IntConst
	base := 10
	if len(text) > 2 && text[0] == '0' && text[1] > '9' {
		base = map[byte]int{'x': 16, 'o': 8, 'b': 2}[text[1]|0x20]
		text = text[2:]
	}
	n, err := strconv.ParseInt(text, base, 64)
	if err == nil {
		c.Int = n
		return ""
	}
	if base == 10 && len(text) > maxIntDigits {
		return fmt.Sprintf("Exceeds the limit (%d digits) for integer string conversion: value has %d digits; "+
			"use sys.set_int_max_str_digits() to increase the limit - "+
			"Consider hexadecimal for huge integer literals to avoid decimal conversion limits.", maxIntDigits, len(text))
	}
	c.Kind = BigConst
	c.Big, _ = new(big.Int).SetString(text, base)
	return ""
}

// A literal is the text of a string token taken apart.
type literal struct {
	raw, bytes, format bool
	body               string // between the quotes
	bodyOff            int    // its place within the token
}

func splitLiteral(text string) (l literal) {
	i := 0
	for text[i] != '"' && text[i] != '\'' {
		switch text[i] {
		case 'r', 'R':
			l.raw = true
		case 'b', 'B':
			l.bytes = true
		case 'f', 'F':
			l.format = true
		}
		i++
	}
	w := 1
	if len(text) >= i+6 && text[i+1] == text[i] && text[i+2] == text[i] {
		w = 3
	}
	l.body, l.bodyOff = text[i+w:len(text)-w], i+w
	return l
}

var simpleEscapes = map[byte]byte{
	'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '\\': '\\', '\'': '\'', '"': '"',
}

// unescape replaces the escapes of a Python literal. An unknown one stands for
// itself. It returns a message for a malformed one.
func unescape(s string, bytes bool) (value, msg string) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, ""
	}
	var b strings.Builder
	// CPython reports places in its decoder's input, where what is not ASCII has
	// been replaced by ten-byte escapes.
	place := func(i int) int {
		n := 0
		for _, r := range s[:i] {
			if n++; r >= utf8.RuneSelf {
				n += 9
			}
		}
		return n
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c != '\\' || i+1 >= len(s) {
			b.WriteByte(c)
			i++
			continue
		}
		start := i
		c = s[i+1]
		i += 2
		switch {
		case c == '\n':
		case simpleEscapes[c] != 0:
			b.WriteByte(simpleEscapes[c])
		case '0' <= c && c <= '7':
			n := rune(c - '0')
			for k := 0; k < 2 && i < len(s) && '0' <= s[i] && s[i] <= '7'; k++ {
				n = n*8 + rune(s[i]-'0')
				i++
			}
			if bytes {
				b.WriteByte(byte(n))
			} else {
				b.WriteRune(n)
			}
		case c == 'x' || !bytes && (c == 'u' || c == 'U'):
			width := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			n, k := rune(0), 0
			for ; k < width && i < len(s) && isHex(s[i]); k++ {
				v, _ := strconv.ParseUint(s[i:i+1], 16, 8)
				n = n<<4 | rune(v) // eight digits overflow to a negative number
				i++
			}
			if k < width {
				if bytes {
					return "", fmt.Sprintf("(value error) invalid \\x escape at position %d", place(start))
				}
				return "", fmt.Sprintf("(unicode error) 'unicodeescape' codec can't decode bytes in position %d-%d: truncated \\%c%s escape",
					place(start), place(start)+1+k, c, strings.Repeat("X", width))
			}
			switch {
			case bytes:
				b.WriteByte(byte(n))
			case n < 0 || n > utf8.MaxRune:
				return "", fmt.Sprintf("(unicode error) 'unicodeescape' codec can't decode bytes in position %d-%d: illegal Unicode character",
					place(start), place(start)+9)
			case 0xD800 <= n && n < 0xE000:
				b.Write([]byte{0xE0 | byte(n>>12), 0x80 | byte(n>>6)&0x3F, 0x80 | byte(n)&0x3F})
			default:
				b.WriteRune(n)
			}
		case c == 'N' && !bytes:
			text := s[i:]
			end := strings.IndexByte(text, '}')
			if !strings.HasPrefix(text, "{") || end < 2 {
				return "", fmt.Sprintf("(unicode error) 'unicodeescape' codec can't decode bytes in position %d-%d: malformed \\N character escape",
					place(start), place(start)+1)
			}
			r, ok := CharNamed(text[1:end])
			if !ok {
				return "", fmt.Sprintf("(unicode error) 'unicodeescape' codec can't decode bytes in position %d-%d: unknown Unicode character name",
					place(start), place(start)+2+end)
			}
			b.WriteRune(r)
			i += end + 1
		default:
			b.WriteByte('\\')
			i--
		}
	}
	return b.String(), ""
}

// unescapeStarlark replaces the escapes of a Starlark literal, where an unknown
// one is a fault, and so is one that would put a lone byte into text.
func unescapeStarlark(s string, bytes bool) (value, msg string) {
	var b strings.Builder
	for len(s) > 0 {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		s = s[i:]
		if len(s) == 1 {
			return "", `truncated escape sequence \`
		}
		switch c := s[1]; {
		case c == '\n':
			s = s[2:]
		case simpleEscapes[c] != 0:
			b.WriteByte(simpleEscapes[c])
			s = s[2:]
		case '0' <= c && c <= '7':
			n, k := 0, 1
			for ; k < 4 && k < len(s) && '0' <= s[k] && s[k] <= '7'; k++ {
				n = n*8 + int(s[k]-'0')
			}
			if !bytes && n > 127 {
				return "", fmt.Sprintf(`non-ASCII octal escape \%o (use \u%04X for the UTF-8 encoding of U+%04X)`, n, n, n)
			}
			if n > 255 {
				return "", fmt.Sprintf(`invalid escape sequence \%03o`, n)
			}
			b.WriteByte(byte(n))
			s = s[k:]
		case c == 'x' || c == 'u' || c == 'U':
			width := 2 + map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			if len(s) < width {
				return "", "truncated escape sequence " + s
			}
			n, err := strconv.ParseUint(s[2:width], 16, 64)
			switch {
			case err != nil:
				return "", "invalid escape sequence " + s[:width]
			case c == 'x' && !bytes && n > 127:
				return "", fmt.Sprintf(`non-ASCII hex escape %s (use \u%04X for the UTF-8 encoding of U+%04X)`, s[:width], n, n)
			case n > utf8.MaxRune:
				return "", fmt.Sprintf(`code point out of range: %s (max \U%08x)`, s[:width], n)
			case 0xD800 <= n && n < 0xE000:
				return "", fmt.Sprintf(`invalid Unicode code point U+%04X`, n)
			case c == 'x':
				b.WriteByte(byte(n))
			default:
				b.WriteRune(rune(n))
			}
			s = s[width:]
		default:
			r, _ := utf8.DecodeRuneInString(s[1:])
			return "", fmt.Sprintf(`invalid escape sequence \%c`, r)
		}
	}
	return b.String(), ""
}
