package value

import (
	"strconv"
	"unsafe"
)

// A string value is the address of a Go string header. Strings that are made here
// have header and bytes in one allocation, or share a block of them.
type (
	shortText struct {
		s    string
		room [16]byte
	}
	tinyText struct {
		s    string
		room [8]byte
	}
)

// tinyBlock is how many tiny strings share an allocation: it is kept as long as
// one of them is, so it is small.
const tinyBlock = 8

// oneByte is the strings of one ASCII character: there is one of each.
var oneByte [128]tinyText

func init() {
	for i := range oneByte {
		x := &oneByte[i]
		x.room[0] = byte(i)
		x.s = unsafe.String(&x.room[0], 1)
	}
}

// charStr is the value of a piece of a string that is one character.
func charStr(s string) Value {
	if len(s) == 1 && s[0] < 128 {
		return Value{unsafe.Pointer(&oneByte[s[0]]), ItabString}
	}
	return Str(s)
}

// textOf makes a string value of n bytes, to be filled at once by its maker; one
// allocation up to 112 bytes.
func textOf(n int) (Value, []byte) {
	var h *string
	var room []byte
	switch {
	case n <= 8:
		x := &tinyText{}
		h, room = &x.s, x.room[:n]
	case n <= 16:
		x := &shortText{}
		h, room = &x.s, x.room[:n]
	case n <= 48:
		x := &struct {
			s    string
			room [48]byte
		}{}
		h, room = &x.s, x.room[:n]
	case n <= 112:
		x := &struct {
			s    string
			room [112]byte
		}{}
		h, room = &x.s, x.room[:n]
	default:
		h, room = new(string), make([]byte, n)
	}
	*h = unsafe.String(unsafe.SliceData(room), n)
	return Value{unsafe.Pointer(h), ItabString}, room
}

// shortStr makes a string value of bytes that are copied.
func shortStr(b []byte) Value {
	if len(b) == 0 {
		return Str("")
	}
	v, room := textOf(len(b))
	copy(room, b)
	return v
}

// intStr is the decimal text of i.
func (t *Thread) intStr(i int64) Value {
	if i >= 0 && i < 10 {
		return Value{unsafe.Pointer(&oneByte['0'+i]), ItabString}
	}
	var digits [20]byte
	b := strconv.AppendInt(digits[:0], i, 10)
	if len(b) > 8 {
		return shortStr(b)
	}
	if len(t.tiny) == 0 {
		t.tiny = make([]tinyText, tinyBlock)
	}
	x := &t.tiny[0]
	t.tiny = t.tiny[1:]
	copy(x.room[:], b)
	x.s = unsafe.String(&x.room[0], len(b))
	return Value{unsafe.Pointer(x), ItabString}
}

// catBuffer makes loops of s = s + x linear: the buffer behind the last long
// concatenation has room behind it, and is appended to if the next one starts
// with the very same bytes. Nobody else writes there: every longer string
// shares the prefix, and the room behind the longest is taken once.
type catBuffer struct {
	buf   []byte
	heads []string // headers to come, of strings in buf: they live as long as it anyway
}

const catHeads = 16

// concat is a + b as a value.
func (c *catBuffer) concat(a, b string) Value {
	n := len(a) + len(b)
	if len(c.buf) == len(a) && unsafe.StringData(a) == unsafe.SliceData(c.buf) && cap(c.buf) >= n && len(b) > 0 && len(a) > 0 {
		c.buf = append(c.buf, b...)
		return c.head()
	}
	switch {
	case a == "":
		return Str(b)
	case b == "":
		return Str(a)
	case n < 256:
		v, room := textOf(n)
		copy(room[copy(room, a):], b)
		return v
	}
	room := n
	if room < maxText/4 {
		room *= 2
	}
	buf := make([]byte, 0, room)
	c.buf = append(append(buf, a...), b...)
	c.heads = nil
	return c.head()
}

// head is the value of the whole buffer.
func (c *catBuffer) head() Value {
	if len(c.heads) == 0 {
		c.heads = make([]string, catHeads)
	}
	h := &c.heads[0]
	c.heads = c.heads[1:]
	*h = unsafe.String(unsafe.SliceData(c.buf), len(c.buf))
	return Value{unsafe.Pointer(h), ItabString}
}
