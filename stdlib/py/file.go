package py

import (
	"bufio"
	"bytes"
	"io"
	"os"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// file is the state behind all file objects: one of the operating system, one
// in memory (io.BytesIO, io.StringIO), or a standard stream. Reads are buffered.
// Writes go through at once, because a program may drop a file object without
// closing it and read the file right after, as CPython's reference counting lets it.
type file struct {
	name     val
	wraps    bool   // a TextIOWrapper around another file
	encoding string // as it was given
	mode     string
	text     bool
	codec    textCodec
	newline  string // "": of a text file, translate; see lines
	keepEOL  bool   // newline="": lines end at any of \n, \r, \r\n and are not translated

	raw      rawFile
	rd       *bufio.Reader
	out      func(t *thread, b []byte) error // in place of raw, for stdout and stderr
	readable bool
	writable bool
	seekable bool
	appends  bool
	closed   bool
	tty      bool
	release  func()
}

// rawFile is what a file object stands on.
type rawFile interface {
	io.Reader
	io.Writer
	io.Seeker
	io.Closer
	Truncate(n int64) error
}

// memory is a file of bytes in memory.
type memory struct {
	b   []byte
	pos int64
}

func (m *memory) Read(p []byte) (int, error) {
	if m.pos >= int64(len(m.b)) {
		return 0, io.EOF
	}
	n := copy(p, m.b[m.pos:])
	m.pos += int64(n)
	return n, nil
}

func (m *memory) Write(p []byte) (int, error) {
	if need := m.pos + int64(len(p)); need > int64(len(m.b)) {
		if m.pos > int64(len(m.b)) {
			m.b = append(m.b, make([]byte, m.pos-int64(len(m.b)))...)
		}
		m.b = append(m.b[:m.pos], p...)
	} else {
		copy(m.b[m.pos:], p)
	}
	m.pos += int64(len(p))
	return len(p), nil
}

func (m *memory) Seek(off int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		off += m.pos
	case io.SeekEnd:
		off += int64(len(m.b))
	}
	if off < 0 {
		return 0, os.ErrInvalid
	}
	m.pos = off
	return off, nil
}

func (m *memory) Truncate(n int64) error {
	if n < int64(len(m.b)) {
		m.b = m.b[:n]
	}
	return nil
}

func (m *memory) Close() error { m.b = nil; return nil }

// stream is a standard stream: it only reads.
type stream struct{ io.Reader }

func (stream) Write([]byte) (int, error)      { return 0, os.ErrInvalid }
func (stream) Seek(int64, int) (int64, error) { return 0, os.ErrInvalid }
func (stream) Truncate(int64) error           { return os.ErrInvalid }
func (stream) Close() error                   { return nil }

func (f *file) open(what string) error {
	if f.closed {
		if what == "getvalue" || f.text && f.name.IsUnset() {
			return value.ValueErrorf("I/O operation on closed file")
		}
		return value.ValueErrorf("I/O operation on closed file.")
	}
	return nil
}

func unsupported(what string) error {
	return value.Errorf(unsupportedClass, "%s", what)
}

func (f *file) mayRead() error {
	if err := f.open("read"); err != nil {
		return err
	}
	if !f.readable {
		if f.text {
			return unsupported("not readable")
		}
		return unsupported("read")
	}
	if f.rd == nil {
		f.rd = bufio.NewReaderSize(f.raw, 1<<16)
	}
	return nil
}

func (f *file) mayWrite() error {
	if err := f.open("write"); err != nil {
		return err
	}
	if !f.writable {
		if f.text {
			return unsupported("not writable")
		}
		return unsupported("write")
	}
	// Bytes that were read ahead are given back.
	if f.rd != nil && f.rd.Buffered() > 0 {
		if _, err := f.raw.Seek(-int64(f.rd.Buffered()), io.SeekCurrent); err != nil {
			return osError(err)
		}
		f.rd.Reset(f.raw)
	}
	return nil
}

func (f *file) write(t *thread, b []byte) error {
	if f.out != nil {
		return f.out(t, b)
	}
	if f.appends {
		if _, err := f.raw.Seek(0, io.SeekEnd); err != nil {
			return osError(err)
		}
	}
	if _, err := f.raw.Write(b); err != nil {
		return osError(err)
	}
	return nil
}

func (f *file) tell() (int64, error) {
	if !f.seekable {
		return 0, unsupported("underlying stream is not seekable")
	}
	pos, err := f.raw.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, osError(err)
	}
	if f.rd != nil {
		pos -= int64(f.rd.Buffered())
	}
	return pos, nil
}

func (f *file) seek(off int64, whence int) (int64, error) {
	if !f.seekable {
		return 0, unsupported("underlying stream is not seekable")
	}
	if whence == io.SeekCurrent && f.rd != nil {
		off -= int64(f.rd.Buffered())
	}
	pos, err := f.raw.Seek(off, whence)
	if err != nil {
		if off < 0 {
			return 0, value.ValueErrorf("negative seek value %d", off)
		}
		return 0, osError(err)
	}
	if f.rd != nil {
		f.rd.Reset(f.raw)
	}
	return pos, nil
}

func (f *file) close() error {
	if f.closed {
		return nil
	}
	f.closed = true
	if f.release != nil {
		f.release()
	}
	if f.raw != nil {
		if err := f.raw.Close(); err != nil {
			return osError(err)
		}
	}
	return nil
}

// readBytes reads n bytes, or with n < 0 to the end.
func (f *file) readBytes(n int64) ([]byte, error) {
	if n < 0 {
		b, err := io.ReadAll(f.rd)
		if err != nil {
			return nil, osError(err)
		}
		return b, nil
	}
	var b []byte
	for int64(len(b)) < n {
		want := min(n-int64(len(b)), 1<<20)
		at := len(b)
		b = append(b, make([]byte, want)...)
		k, err := io.ReadFull(f.rd, b[at:])
		b = b[:at+k]
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return nil, osError(err)
		}
	}
	return b, nil
}

// readLine reads up to and with the next end of line; empty at the end of the file.
func (f *file) readLine(limit int64) ([]byte, error) {
	var line []byte
	for {
		b, err := f.rd.ReadSlice('\n')
		line = append(line, b...)
		if err == nil || err == io.EOF {
			break
		}
		if err != bufio.ErrBufferFull {
			return nil, osError(err)
		}
	}
	if f.text && f.newline == "" && bytes.IndexByte(line, '\r') >= 0 {
		line = f.splitCR(line)
	}
	if limit >= 0 && int64(len(line)) > limit {
		f.unread(line[limit:])
		line = line[:limit]
	}
	return line, nil
}

// splitCR ends the line at a lone carriage return, and translates line ends
// unless they are to be kept.
func (f *file) splitCR(line []byte) []byte {
	i := bytes.IndexByte(line, '\r')
	end := i + 1
	if end < len(line) && line[end] == '\n' {
		end++
	}
	if end < len(line) {
		f.unread(line[end:])
	}
	if f.keepEOL {
		return line[:end]
	}
	return append(line[:i:i], '\n')
}

// unread puts bytes back in front of the reader.
func (f *file) unread(b []byte) {
	rest := append([]byte(nil), b...)
	if n := f.rd.Buffered(); n > 0 {
		ahead, _ := f.rd.Peek(n)
		rest = append(rest, ahead...)
	}
	f.rd = bufio.NewReaderSize(&ahead{raw: f.raw, b: rest}, 1<<16)
	f.rd.Peek(len(rest)) // so that Buffered counts them
}

// ahead reads bytes that were put back, then the file.
type ahead struct {
	raw io.Reader
	b   []byte
}

func (a *ahead) Read(p []byte) (int, error) {
	if len(a.b) > 0 {
		n := copy(p, a.b)
		a.b = a.b[n:]
		return n, nil
	}
	return a.raw.Read(p)
}

// translate turns \r\n and \r into \n.
func translate(b []byte) []byte {
	if bytes.IndexByte(b, '\r') < 0 {
		return b
	}
	out := b[:0]
	for i := 0; i < len(b); i++ {
		if b[i] == '\r' {
			if i+1 < len(b) && b[i+1] == '\n' {
				continue
			}
			out = append(out, '\n')
			continue
		}
		out = append(out, b[i])
	}
	return out
}
