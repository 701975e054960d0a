package value

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// wide reads a name of UTF-16 or UTF-32: bytes of a unit, order of the bytes (nil: by the mark at the
// front, which is written too).
func wide(norm string) (unit int, order binary.ByteOrder, ok bool) {
	switch norm {
	case "utf-16", "utf16":
		return 2, nil, true
	case "utf-16-le", "utf-16le":
		return 2, binary.LittleEndian, true
	case "utf-16-be", "utf-16be":
		return 2, binary.BigEndian, true
	case "utf-32", "utf32":
		return 4, nil, true
	case "utf-32-le", "utf-32le":
		return 4, binary.LittleEndian, true
	case "utf-32-be", "utf-32be":
		return 4, binary.BigEndian, true
	}
	return 0, nil, false
}

func encodeWide(s string, unit int, order binary.ByteOrder) string {
	mark := order == nil
	if mark {
		order = binary.LittleEndian
	}
	var b []byte
	put := func(r rune) {
		var w [4]byte
		if unit == 2 {
			order.PutUint16(w[:], uint16(r))
		} else {
			order.PutUint32(w[:], uint32(r))
		}
		b = append(b, w[:unit]...)
	}
	if mark {
		put(0xfeff)
	}
	for _, r := range s {
		if hi, lo := utf16.EncodeRune(r); unit == 2 && hi != utf8.RuneError {
			put(hi)
			put(lo)
		} else {
			put(r)
		}
	}
	return string(b)
}

// decodeWide answers with fault's errors for what is no character.
func decodeWide(s string, unit int, order binary.ByteOrder, codec string, b *strings.Builder, fault func(codec string, lo, hi int, why string) error) error {
	i := 0
	if order == nil {
		order = binary.LittleEndian
		if len(s) >= unit {
			switch {
			case at(s, 0, unit, binary.LittleEndian) == 0xfeff:
				i = unit
			case at(s, 0, unit, binary.BigEndian) == 0xfeff:
				i, order = unit, binary.BigEndian
			}
		}
	}
	for i < len(s) {
		if len(s)-i < unit {
			return fault(codec, i, len(s), "truncated data")
		}
		r, n := at(s, i, unit, order), unit
		switch {
		case unit == 2 && r >= 0xd800 && r < 0xdc00:
			if len(s)-i < 4 {
				return fault(codec, i, len(s), "unexpected end of data")
			}
			if low := at(s, i+2, 2, order); utf16.IsSurrogate(low) && low >= 0xdc00 {
				r, n = utf16.DecodeRune(r, low), 4
				break
			}
			if err := fault(codec, i, i+2, "illegal UTF-16 surrogate"); err != nil {
				return err
			}
			i += 2
			continue
		case unit == 2 && r >= 0xdc00 && r < 0xe000:
			if err := fault(codec, i, i+2, "illegal encoding"); err != nil {
				return err
			}
			i += 2
			continue
		case r > utf8.MaxRune || r < 0:
			if err := fault(codec, i, i+4, "code point not in range(0x110000)"); err != nil {
				return err
			}
			i += 4
			continue
		}
		b.WriteRune(r)
		i += n
	}
	return nil
}

func at(s string, i, unit int, order binary.ByteOrder) rune {
	if unit == 2 {
		return rune(order.Uint16([]byte(s[i : i+2])))
	}
	return rune(order.Uint32([]byte(s[i : i+4])))
}

// decodeEscapes reads the escapes of Python's literals; raw: only \u and \U. Other bytes are Latin-1.
func decodeEscapes(s string, raw bool, b *strings.Builder, fault func(codec string, lo, hi int, why string) error) error {
	codec := "unicodeescape"
	if raw {
		codec = "rawunicodeescape"
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c != '\\' || i+1 == len(s) && raw {
			b.WriteRune(rune(c))
			i++
			continue
		}
		if i+1 == len(s) {
			if err := fault(codec, i, i+1, "\\ at end of string"); err != nil {
				return err
			}
			break
		}
		e := s[i+1]
		digits, kind := 0, ""
		switch e {
		case 'x':
			digits, kind = 2, "\\xXX"
		case 'u':
			digits, kind = 4, "\\uXXXX"
		case 'U':
			digits, kind = 8, "\\UXXXXXXXX"
		}
		if raw && e != 'u' && e != 'U' {
			b.WriteByte('\\')
			i++
			if e == '\\' {
				b.WriteByte('\\')
				i++
			}
			continue
		}
		if digits > 0 {
			r, n := rune(0), 0
			for n < digits && i+2+n < len(s) {
				d := strings.IndexByte("0123456789abcdef", s[i+2+n]|0x20)
				if d < 0 {
					break
				}
				r = r<<4 | rune(d)
				n++
			}
			if n < digits {
				if err := fault(codec, i, i+2+n, "truncated "+kind+" escape"); err != nil {
					return err
				}
				i += 2 + n
				continue
			}
			if r < 0 || r > utf8.MaxRune {
				if err := fault(codec, i, i+2+digits, "illegal Unicode character"); err != nil {
					return err
				}
			} else {
				b.WriteRune(r)
			}
			i += 2 + digits
			continue
		}
		i += 2
		switch e {
		case '\n':
		case '\\', '\'', '"':
			b.WriteByte(e)
		case 'a', 'b', 'f', 'n', 'r', 't', 'v':
			b.WriteByte("\a\b\f\n\r\t\v"[strings.IndexByte("abfnrtv", e)])
		case '0', '1', '2', '3', '4', '5', '6', '7':
			r := rune(e - '0')
			for n := 0; n < 2 && i < len(s) && s[i] >= '0' && s[i] <= '7'; n++ {
				r = r<<3 | rune(s[i]-'0')
				i++
			}
			b.WriteRune(r)
		default:
			b.WriteByte('\\')
			b.WriteRune(rune(e))
		}
	}
	return nil
}

// encodeEscapes writes s as decodeEscapes reads it.
func encodeEscapes(s string, raw bool) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case raw && r < 0x100:
			b.WriteByte(byte(r))
		case raw:
			b.WriteString(escapeRune(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\\':
			b.WriteString(`\\`)
		case r < ' ' || r >= 0x7f:
			b.WriteString(escapeRune(r))
		default:
			b.WriteByte(byte(r))
		}
	}
	return b.String()
}
