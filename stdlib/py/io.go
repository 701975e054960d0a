package py

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// The classes of file objects. They are immutable once this package is set up.
var (
	ioBase, rawIOBase, bufferedIOBase, textIOBase                       *value.Class
	textWrapper, fileIO, bufferedReader, bufferedWriter, bufferedRandom *value.Class
	bytesIO, stringIO                                                   *value.Class
	unsupportedClass                                                    *value.Class
)

func init() {
	unsupportedClass = value.NewClass("UnsupportedOperation", "io", value.ExcOSError, value.ExcValueError)
	ioBase = value.NewClass("IOBase", "io")
	ioBase.Slots = &value.Slots{
		Iter: func(t *thread, x val) (val, error) {
			f, err := fileOf(x)
			if err != nil {
				return val{}, err
			}
			return x, f.open("iterate")
		},
		Next: nextLine,
		Repr: func(t *thread, x val) (string, error) { return fileRepr(x), nil },
	}
	rawIOBase = value.NewClass("RawIOBase", "io", ioBase)
	bufferedIOBase = value.NewClass("BufferedIOBase", "io", ioBase)
	textIOBase = value.NewClass("TextIOBase", "io", ioBase)
	textWrapper = value.NewClass("TextIOWrapper", "_io", textIOBase)
	fileIO = value.NewClass("FileIO", "_io", rawIOBase)
	bufferedReader = value.NewClass("BufferedReader", "_io", bufferedIOBase)
	bufferedWriter = value.NewClass("BufferedWriter", "_io", bufferedIOBase)
	bufferedRandom = value.NewClass("BufferedRandom", "_io", bufferedIOBase)
	bytesIO = value.NewClass("BytesIO", "_io", bufferedIOBase)
	stringIO = value.NewClass("StringIO", "_io", textIOBase)
	ioBase.Def(fileMethods()...)
	for _, n := range []string{"name", "mode", "encoding", "errors", "closed", "newlines", "line_buffering", "buffer"} {
		getter(ioBase, n, fileAttr(n))
	}
	withNew := func(c *value.Class, f func(t *thread, a []val) (*file, error), sig string) {
		s := *ioBase.Slots
		name, _, params := parseSig(sig)
		s.New = func(t *thread, cls *value.Class, args []val, kw []value.Kwarg) (val, error) {
			return bind(t, name, params, args, kw, func(t *thread, a []val) (val, error) {
				st, err := f(t, a)
				if err != nil {
					return val{}, err
				}
				return object(cls, st), nil
			})
		}
		c.Slots = &s
	}
	// A class in the language that derives from one of these has none of a file's methods but what it defines.
	for _, c := range []*value.Class{ioBase, rawIOBase, bufferedIOBase, textIOBase} {
		withNew(c, func(t *thread, a []val) (*file, error) {
			return &file{raw: stream{bytes.NewReader(nil)}, text: c == textIOBase}, nil
		}, c.Name+"(*args)")
	}
	withNew(bytesIO, func(t *thread, a []val) (*file, error) {
		f := &file{raw: &memory{}, readable: true, writable: true, seekable: true, mode: "rb+"}
		if given(a[0]) {
			b, err := wantBytes(a[0])
			if err != nil {
				return nil, err
			}
			f.raw = &memory{b: append([]byte(nil), b...)}
		}
		return f, nil
	}, "BytesIO(initial_bytes=b'')")
	withNew(stringIO, func(t *thread, a []val) (*file, error) {
		f := &file{raw: &memory{}, readable: true, writable: true, seekable: true, text: true, newline: "\n", mode: "r+", codec: textCodec{encoding: "utf-8"}}
		if !a[1].IsUnset() {
			if a[1].IsNone() {
				f.newline = ""
			} else {
				nl, err := asStr("StringIO", a[1])
				if err != nil {
					return nil, err
				}
				f.newline, f.keepEOL = nl, nl == ""
			}
		}
		if given(a[0]) {
			s, ok := value.Payload(a[0]).AsString()
			if !ok {
				return nil, value.TypeErrorf("initial_value must be str or None, not %s", typeName(a[0]))
			}
			f.raw = &memory{b: []byte(s)}
		}
		return f, nil
	}, "StringIO(initial_value='', newline='\\n')")
	withNew(textWrapper, func(t *thread, a []val) (*file, error) {
		of, err := fileOf(a[0])
		if err != nil {
			return nil, err
		}
		enc, err := strOr("TextIOWrapper", a[1], "")
		if err != nil {
			return nil, err
		}
		on, err := strOr("TextIOWrapper", a[2], "strict")
		if err != nil {
			return nil, err
		}
		f := *of
		f.text, f.wraps, f.encoding = true, true, enc
		if f.codec, err = newCodec(enc, on); err != nil {
			return nil, err
		}
		return &f, nil
	}, "TextIOWrapper(buffer, encoding=None, errors=None, newline=None, line_buffering=False, write_through=False)")
}

func fileOf(v val) (*file, error) {
	f, ok := native[*file](v)
	if !ok {
		return nil, value.TypeErrorf("'%s' object is not a file", typeName(v))
	}
	return f, nil
}

func fileRepr(x val) string {
	f, err := fileOf(x)
	c := value.TypeOf(x)
	if err != nil || f.name.IsUnset() {
		return fmt.Sprintf("<%s.%s object>", c.Module, c.Name)
	}
	name, _ := f.name.AsString()
	if f.text {
		return fmt.Sprintf("<%s.%s name=%s mode=%s encoding=%s>", c.Module, c.Name, value.QuoteStr(name), value.QuoteStr(f.mode), value.QuoteStr(shownEncoding(f)))
	}
	return fmt.Sprintf("<%s.%s name=%s>", c.Module, c.Name, value.QuoteStr(name))
}

func shownEncoding(f *file) string {
	if f.encoding != "" {
		return f.encoding
	}
	if f.codec.bom {
		return "utf-8-sig"
	}
	if f.codec.encoding == "utf-8" {
		return "UTF-8"
	}
	return f.codec.encoding
}

func fileAttr(name string) func(t *thread, self val) (val, error) {
	return func(t *thread, self val) (val, error) {
		f, err := fileOf(self)
		if err != nil {
			return val{}, value.AttributeErrorf(name, "'%s' object has no attribute '%s'", typeName(self), name)
		}
		v := val{}
		switch name {
		case "name":
			v = f.name
		case "mode":
			if !f.name.IsUnset() {
				v = value.Str(f.mode)
			}
		case "encoding":
			if f.text {
				v = value.Str(shownEncoding(f))
				if f.name.IsUnset() && !f.wraps {
					v = value.None
				}
			}
		case "errors":
			if f.text {
				v = value.Str(f.codec.errors)
			}
		case "closed":
			v = value.Bool(f.closed)
		case "newlines":
			if f.text {
				v = value.None
			}
		case "line_buffering":
			if f.text {
				v = value.Bool(f.tty)
			}
		case "buffer":
			if f.text && !f.name.IsUnset() {
				b := *f
				b.text, b.mode = false, strings.ReplaceAll(f.mode, "t", "")+"b"
				c := bufferedReader
				if f.writable {
					c = bufferedWriter
				}
				if f.raw == nil {
					b.raw = stream{bytes.NewReader(nil)}
				}
				v = object(c, &b)
			}
		}
		if v.IsUnset() {
			return val{}, value.AttributeErrorf(name, "'%s.%s' object has no attribute '%s'", value.TypeOf(self).Module, typeName(self), name)
		}
		return v, nil
	}
}

// nextLine is __next__: a line, or the end.
func nextLine(t *thread, x val) (val, bool, error) {
	f, err := fileOf(x)
	if err != nil {
		return val{}, false, err
	}
	if err := f.mayRead(); err != nil {
		return val{}, false, err
	}
	f.forThread(t)
	line, err := f.readLine(-1)
	if err != nil || len(line) == 0 {
		return val{}, false, err
	}
	v, err := f.result(line)
	return v, err == nil, err
}

// result is bytes as the file gives them to the program.
func (f *file) result(b []byte) (val, error) {
	if !f.text {
		return value.BytesOf(b), nil
	}
	s, err := f.codec.decode(b)
	if err != nil {
		return val{}, err
	}
	return value.Str(s), nil
}

// readText reads n characters.
func (f *file) readText(n int64) (val, error) {
	var out []byte
	for ; n > 0; n-- {
		if f.codec.encoding != "utf-8" {
			b, err := f.rd.ReadByte()
			if err != nil {
				break
			}
			out = append(out, b)
			continue
		}
		r, size, err := f.rd.ReadRune()
		if err != nil {
			break
		}
		if r == utf8.RuneError && size == 1 {
			f.rd.UnreadRune()
			b, _ := f.rd.ReadByte()
			out = append(out, b)
			continue
		}
		if r == '\r' && f.newline == "" && !f.keepEOL {
			if b, err := f.rd.Peek(1); err == nil && b[0] == '\n' {
				f.rd.ReadByte()
			}
			r = '\n'
		}
		out = utf8.AppendRune(out, r)
	}
	return f.result(out)
}

// fileMethod is a method whose receiver is a file.
func fileMethod(sig string, f func(t *thread, f *file, a []val) (val, error)) *value.Builtin {
	return method(sig, func(t *thread, a []val) (val, error) {
		st, err := fileOf(a[0])
		if err != nil {
			return val{}, err
		}
		st.forThread(t)
		return f(t, st, a[1:])
	})
}

func fileMethods() []*value.Builtin {
	size := func(t *thread, v val) (int64, error) {
		if !given(v) {
			return -1, nil
		}
		return asInt(t, v)
	}
	read := func(t *thread, f *file, a []val) (val, error) {
		n, err := size(t, a[0])
		if err != nil {
			return val{}, err
		}
		if err := f.mayRead(); err != nil {
			return val{}, err
		}
		if f.text && n >= 0 {
			return f.readText(n)
		}
		b, err := f.readBytes(n)
		if err != nil {
			return val{}, err
		}
		if f.text && f.newline == "" && !f.keepEOL {
			b = translate(b)
		}
		return f.result(b)
	}
	into := func(t *thread, f *file, a []val) (val, error) {
		if err := f.mayRead(); err != nil {
			return val{}, err
		}
		dst, ok := asBytes(a[0])
		if !ok {
			return val{}, value.TypeErrorf("readinto() argument must be read-write bytes-like object, not %s", typeName(a[0]))
		}
		b, err := f.readBytes(int64(len(dst)))
		copy(dst, b)
		return value.Int(int64(len(b))), err
	}
	flag := func(name string, get func(f *file) bool) *value.Builtin {
		return fileMethod(name+"()", func(t *thread, f *file, a []val) (val, error) {
			return value.Bool(get(f)), f.open(name)
		})
	}
	return []*value.Builtin{
		fileMethod("read(size=-1, /)", read),
		fileMethod("read1(size=-1, /)", read),
		fileMethod("readall()", func(t *thread, f *file, a []val) (val, error) { return read(t, f, []val{value.Int(-1)}) }),
		fileMethod("readinto(buffer, /)", into),
		fileMethod("readline(size=-1, /)", func(t *thread, f *file, a []val) (val, error) {
			n, err := size(t, a[0])
			if err != nil {
				return val{}, err
			}
			if err := f.mayRead(); err != nil {
				return val{}, err
			}
			line, err := f.readLine(n)
			if err != nil {
				return val{}, err
			}
			return f.result(line)
		}),
		fileMethod("readlines(hint=-1, /)", func(t *thread, f *file, a []val) (val, error) {
			if err := f.mayRead(); err != nil {
				return val{}, err
			}
			hint, err := size(t, a[0])
			if err != nil {
				return val{}, err
			}
			var out []val
			var n int64
			for hint <= 0 || n < hint {
				line, err := f.readLine(-1)
				if err != nil {
					return val{}, err
				}
				if len(line) == 0 {
					break
				}
				n += int64(len(line))
				v, err := f.result(line)
				if err != nil {
					return val{}, err
				}
				out = append(out, v)
			}
			return value.NewList(out).Value(), nil
		}),
		fileMethod("write(s, /)", func(t *thread, f *file, a []val) (val, error) { return f.writeValue(t, a[0]) }),
		fileMethod("writelines(lines, /)", func(t *thread, f *file, a []val) (val, error) {
			return gather(t, a[0], func(t *thread, items []val) (val, error) {
				for _, v := range items {
					if _, err := f.writeValue(t, v); err != nil {
						return val{}, err
					}
				}
				return value.None, nil
			})
		}),
		fileMethod("flush()", func(t *thread, f *file, a []val) (val, error) { return value.None, f.open("flush") }),
		fileMethod("close()", func(t *thread, f *file, a []val) (val, error) { return value.None, f.close() }),
		fileMethod("detach()", func(t *thread, f *file, a []val) (val, error) { return val{}, unsupported("detach") }),
		fileMethod("tell()", func(t *thread, f *file, a []val) (val, error) {
			if err := f.open("tell"); err != nil {
				return val{}, err
			}
			n, err := f.tell()
			return value.Int(n), err
		}),
		fileMethod("seek(offset, whence=0, /)", func(t *thread, f *file, a []val) (val, error) {
			if err := f.open("seek"); err != nil {
				return val{}, err
			}
			off, err := asInt(t, a[0])
			if err != nil {
				return val{}, err
			}
			whence, err := intOr(t, a[1], 0)
			if err != nil {
				return val{}, err
			}
			if f.text && off != 0 && whence != 0 {
				if _, memory := f.raw.(*memory); memory && !f.wraps {
					return val{}, value.Errorf(value.ExcOSError, "Can't do nonzero cur-relative seeks")
				}
				return val{}, unsupported(fmt.Sprintf("can't do nonzero %s-relative seeks", map[int64]string{1: "cur", 2: "end"}[whence]))
			}
			if whence < 0 || whence > 2 {
				return val{}, value.ValueErrorf("invalid whence (%d, should be 0, 1 or 2)", whence)
			}
			n, err := f.seek(off, int(whence))
			return value.Int(n), err
		}),
		fileMethod("truncate(size=None, /)", func(t *thread, f *file, a []val) (val, error) {
			if err := f.mayWrite(); err != nil {
				return val{}, err
			}
			n, err := size(t, a[0])
			if err != nil {
				return val{}, err
			}
			if n < 0 {
				if n, err = f.tell(); err != nil {
					return val{}, err
				}
			}
			if err := f.raw.Truncate(n); err != nil {
				return val{}, osError(err)
			}
			return value.Int(n), nil
		}),
		flag("readable", func(f *file) bool { return f.readable }),
		flag("writable", func(f *file) bool { return f.writable }),
		flag("seekable", func(f *file) bool { return f.seekable }),
		flag("isatty", func(f *file) bool { return f.tty }),
		fileMethod("fileno()", func(t *thread, f *file, a []val) (val, error) {
			if of, ok := f.raw.(*os.File); ok {
				return value.Int(int64(of.Fd())), nil
			}
			return val{}, unsupported("fileno")
		}),
		fileMethod("reconfigure(*, encoding=None, errors=None, newline=None, line_buffering=None, write_through=None)",
			func(t *thread, f *file, a []val) (val, error) { return value.None, nil }),
		fileMethod("getvalue()", func(t *thread, f *file, a []val) (val, error) {
			m, ok := f.raw.(*memory)
			if !ok {
				return val{}, value.AttributeErrorf("getvalue", "'_io.%s' object has no attribute 'getvalue'", "TextIOWrapper")
			}
			if err := f.open("getvalue"); err != nil {
				return val{}, err
			}
			return f.result(m.b)
		}),
		fileMethod("getbuffer()", func(t *thread, f *file, a []val) (val, error) {
			if m, ok := f.raw.(*memory); ok {
				return value.BytesOf(m.b), f.open("getbuffer")
			}
			return val{}, unsupported("getbuffer")
		}),
		method("__enter__()", func(t *thread, a []val) (val, error) {
			f, err := fileOf(a[0])
			if err != nil {
				return val{}, err
			}
			return a[0], f.open("enter")
		}),
		fileMethod("__exit__(*args)", func(t *thread, f *file, a []val) (val, error) { return value.None, f.close() }),
		fileMethod("__del__()", func(t *thread, f *file, a []val) (val, error) { return value.None, nil }),
	}
}

func (f *file) writeValue(t *thread, v val) (val, error) {
	if err := f.mayWrite(); err != nil {
		return val{}, err
	}
	if !f.text {
		b, ok := asBytes(v)
		if !ok {
			return val{}, value.TypeErrorf("a bytes-like object is required, not '%s'", typeName(v))
		}
		return value.Int(int64(len(b))), f.write(t, b)
	}
	s, ok := value.Payload(v).AsString()
	if _, memory := f.raw.(*memory); !ok && memory && f.name.IsUnset() && !f.wraps {
		return val{}, value.TypeErrorf("string argument expected, got '%s'", typeName(v))
	}
	if !ok {
		return val{}, value.TypeErrorf("write() argument must be str, not %s", typeName(v))
	}
	n := utf8.RuneCountInString(s)
	if f.newline == "\r\n" || f.newline == "\r" {
		s = strings.ReplaceAll(s, "\n", f.newline)
	}
	b, err := f.codec.encode(s)
	if err != nil {
		return val{}, err
	}
	return value.Int(int64(n)), f.write(t, b)
}

// openFn is the builtin open.
func (l *Library) openFn() *value.Builtin {
	return withPaths("open(file, mode='r', buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None)", func(t *thread, a []val) (val, error) {
		path, held := "", (*os.File)(nil)
		var err error
		if fd := value.Payload(a[0]); fd.IsInt() {
			if held = l.descriptor(fd.Int64(), true); held == nil {
				return val{}, value.Errorf(value.ExcPermissionError, "opening a file by its descriptor is not allowed")
			}
		} else if path, err = pathOf(a[0]); err != nil {
			return val{}, err
		}
		mode, err := strOr("open", a[1], "r")
		if err != nil {
			return val{}, err
		}
		f, flags, err := parseMode(mode)
		if err != nil {
			return val{}, err
		}
		enc, err := strOr("open", a[3], "")
		if err != nil {
			return val{}, err
		}
		on, err := strOr("open", a[4], "strict")
		if err != nil {
			return val{}, err
		}
		buffering, err := intOr(t, a[2], -1)
		if err != nil {
			return val{}, err
		}
		switch {
		case !f.text && given(a[3]):
			return val{}, value.ValueErrorf("binary mode doesn't take an encoding argument")
		case !f.text && given(a[4]):
			return val{}, value.ValueErrorf("binary mode doesn't take an errors argument")
		case !f.text && given(a[5]):
			return val{}, value.ValueErrorf("binary mode doesn't take a newline argument")
		case f.text && buffering == 0:
			return val{}, value.ValueErrorf("can't have unbuffered text I/O")
		}
		if f.text {
			if f.codec, err = newCodec(enc, on); err != nil {
				return val{}, err
			}
			f.encoding = enc
			if given(a[5]) {
				nl, err := asStr("open", a[5])
				if err != nil {
					return val{}, err
				}
				switch nl {
				case "", "\n", "\r", "\r\n":
				default:
					return val{}, value.ValueErrorf("illegal newline value: %s", value.QuoteStr(nl))
				}
				f.newline, f.keepEOL = nl, nl == ""
			}
		}
		may := l.host.CheckRead
		if f.writable {
			may = l.host.CheckWrite
		}
		of := held
		if held == nil {
			if err := may(path); err != nil {
				return val{}, err
			}
			if of, err = os.OpenFile(path, flags, 0o666); err != nil {
				return val{}, osError(err, path)
			}
		}
		if fi, err := of.Stat(); err == nil && fi.IsDir() {
			of.Close()
			return val{}, newOSError(value.ExcIsADirectoryError, 21, "Is a directory", path)
		}
		f.raw, f.name = of, a[0]
		if _, ok := a[0].AsString(); !ok && held == nil {
			f.name = value.Str(path)
		}
		_, serr := of.Seek(0, 1)
		f.seekable = serr == nil
		if f.appends && f.seekable {
			of.Seek(0, 2)
		}
		return object(f.class(), f), nil
	}, 0)
}

func (f *file) class() *value.Class {
	switch {
	case f.text:
		return textWrapper
	case f.readable && f.writable:
		return bufferedRandom
	case f.writable:
		return bufferedWriter
	}
	return bufferedReader
}

// parseMode reads "r", "wb", "a+", "xt" …
func parseMode(mode string) (f *file, flags int, err error) {
	f = &file{mode: mode, text: true}
	kinds, plus, binary, text := 0, false, false, false
	for _, c := range mode {
		switch c {
		case 'r', 'w', 'a', 'x':
			kinds++
			switch c {
			case 'r':
				f.readable = true
			case 'w':
				f.writable, flags = true, os.O_CREATE|os.O_TRUNC
			case 'a':
				f.writable, f.appends, flags = true, true, os.O_CREATE
			case 'x':
				f.writable, flags = true, os.O_CREATE|os.O_EXCL
			}
		case '+':
			plus = true
		case 'b':
			binary = true
		case 't':
			text = true
		default:
			return nil, 0, value.ValueErrorf("invalid mode: %s", value.QuoteStr(mode))
		}
	}
	switch {
	case binary && text:
		err = value.ValueErrorf("can't have text and binary mode at once")
	case kinds > 1:
		err = value.ValueErrorf("must have exactly one of create/read/write/append mode")
	case kinds == 0:
		err = value.ValueErrorf("Must have exactly one of create/read/write/append mode and at most one plus")
	}
	f.text = !binary
	if plus {
		f.readable, f.writable = true, true
	}
	switch {
	case f.readable && f.writable:
		flags |= os.O_RDWR
	case f.writable:
		flags |= os.O_WRONLY
	}
	return f, flags, err
}

func (l *Library) ioModule() *value.Module {
	m := value.NewModule("io")
	m.Doc = "Files and streams."
	m.Set("open", l.open.Value())
	for _, c := range []*value.Class{ioBase, rawIOBase, bufferedIOBase, textIOBase, textWrapper, fileIO, bufferedReader, bufferedWriter, bufferedRandom, bytesIO, stringIO, unsupportedClass} {
		m.Set(c.Name, c.Value())
	}
	m.Set("DEFAULT_BUFFER_SIZE", value.Int(8192))
	for i, n := range []string{"SEEK_SET", "SEEK_CUR", "SEEK_END"} {
		m.Set(n, value.Int(int64(i)))
	}
	return m
}
