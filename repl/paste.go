package repl

import (
	"bytes"
	"io"
)

// A terminal in bracketed-paste mode wraps pasted text in these marks.
const (
	bracketPaste   = "\x1b[?2004h"
	unbracketPaste = "\x1b[?2004l"
	pasteBegin     = "\x1b[200~"
	pasteEnd       = "\x1b[201~"
)

// pasteReader hands keys on. Pasted text becomes one line whose inner line ends
// are the newline mark; a paste of several lines that ends with a line end is
// entered at once.
type pasteReader struct {
	in      io.Reader
	raw     []byte // read, not yet looked at
	out     []byte // to be handed on
	pasting bool
	text    []byte // of the paste so far
	err     error
}

func newPasteReader(in io.Reader) *pasteReader { return &pasteReader{in: in} }

// Close implements io.Closer; the terminal stays open.
func (r *pasteReader) Close() error { return nil }

func (r *pasteReader) Read(p []byte) (int, error) {
	for len(r.out) == 0 {
		r.step(r.err != nil)
		if len(r.out) > 0 {
			break
		}
		if r.err != nil {
			return 0, r.err
		}
		var buf [4096]byte
		n, err := r.in.Read(buf[:])
		r.raw = append(r.raw, buf[:n]...)
		r.err = err
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// step moves what can be decided from raw to out. A prefix of a mark at the end
// waits for the rest; a lone escape does too, which costs nothing, since for
// readline that key only begins sequences.
func (r *pasteReader) step(last bool) {
	for len(r.raw) > 0 {
		mark := pasteBegin
		if r.pasting {
			mark = pasteEnd
		}
		i := bytes.Index(r.raw, []byte(mark))
		n := i
		if i < 0 {
			n = len(r.raw)
			if !last {
				n -= partial(r.raw, mark)
			}
		}
		if r.pasting {
			r.text = append(r.text, r.raw[:n]...)
		} else {
			r.out = append(r.out, r.raw[:n]...)
		}
		r.raw = r.raw[n:]
		if i < 0 {
			return
		}
		r.raw = r.raw[len(mark):]
		if r.pasting {
			r.out = append(r.out, pasted(r.text)...)
			r.text = nil
		}
		r.pasting = !r.pasting
	}
}

// partial is the length of the longest proper prefix of mark that b ends with.
func partial(b []byte, mark string) int {
	for n := min(len(mark)-1, len(b)); n >= 1; n-- {
		if string(b[len(b)-n:]) == mark[:n] {
			return n
		}
	}
	return 0
}

// pasted is the line that stands for pasted text.
func pasted(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	body := bytes.TrimRight(text, "\n")
	enter := len(body) < len(text) && bytes.Contains(body, []byte("\n"))
	out := bytes.ReplaceAll(body, []byte("\n"), []byte(newline))
	out = bytes.ReplaceAll(out, []byte("\t"), []byte("    ")) // a tab would ask for completion
	if enter || len(body) < len(text) {
		out = append(out, '\r')
	}
	return out
}
