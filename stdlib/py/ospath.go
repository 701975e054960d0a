package py

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// osPath makes os.path: text functions without a grant, the others with one.
func (l *Library) osPath() *value.Module {
	m := value.NewModule("posixpath")
	m.Doc = "Common operations on POSIX paths."
	for k, s := range map[string]string{"sep": "/", "pardir": "..", "curdir": ".", "extsep": ".", "pathsep": ":", "defpath": "/bin:/usr/bin", "devnull": "/dev/null"} {
		m.Set(k, value.Str(s))
	}
	m.Set("altsep", value.None)
	m.Set("supports_unicode_filenames", value.False)

	// like gives a result the type of the argument it comes from.
	like := func(arg val, s string) val {
		if _, ok := asBytes(arg); ok {
			return value.BytesOf([]byte(s))
		}
		return value.Str(s)
	}
	text := func(sig string, f func(p string) string) *value.Builtin {
		return withPaths(sig, func(t *thread, a []val) (val, error) {
			p, err := pathOf(a[0])
			if err != nil {
				return val{}, err
			}
			return like(a[0], f(p)), nil
		}, 0)
	}
	pair := func(sig string, f func(p string) (string, string)) *value.Builtin {
		return withPaths(sig, func(t *thread, a []val) (val, error) {
			p, err := pathOf(a[0])
			if err != nil {
				return val{}, err
			}
			x, y := f(p)
			return value.Tuple(like(a[0], x), like(a[0], y)), nil
		}, 0)
	}
	// test is a question to the file system whose answer to errors is no.
	test := func(sig string, f func(p string) bool) *value.Builtin {
		return withPaths(sig, func(t *thread, a []val) (val, error) {
			p, err := pathOf(a[0])
			if r, ok := err.(*value.Raised); ok && r.Class == value.ExcTypeError {
				return val{}, value.TypeErrorf("stat: path should be string, bytes, os.PathLike or integer, not %s", typeName(a[0]))
			}
			if err != nil { // a null byte: no such file
				return value.False, nil
			}
			if err := l.host.CheckRead(p); err != nil {
				return val{}, err
			}
			return value.Bool(f(p)), nil
		}, 0)
	}
	stat := func(sig string, f func(fi os.FileInfo) val) *value.Builtin {
		return withPaths(sig, func(t *thread, a []val) (val, error) {
			p, err := pathOf(a[0])
			if err != nil {
				return val{}, err
			}
			if err := l.host.CheckRead(p); err != nil {
				return val{}, err
			}
			fi, err := os.Stat(p)
			if err != nil {
				return val{}, osError(err, p)
			}
			return f(fi), nil
		}, 0)
	}
	abs := func(p string) string {
		if !strings.HasPrefix(p, "/") {
			if wd, err := os.Getwd(); err == nil {
				p = wd + "/" + p
			}
		}
		return normPath(p)
	}
	mtime := func(fi os.FileInfo) val { return value.Float(float64(fi.ModTime().UnixNano()) / 1e9) }
	put(m,
		text("basename(p)", func(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }),
		text("dirname(p)", func(p string) string { d, _ := splitPath(p); return d }),
		text("normpath(path)", normPath),
		text("normcase(s)", func(p string) string { return p }),
		text("abspath(path)", abs),
		text("expanduser(path)", func(p string) string {
			if p == "~" || strings.HasPrefix(p, "~/") {
				if h, ok := l.home(); ok {
					return strings.TrimSuffix(h, "/") + p[1:]
				}
			}
			return p
		}),
		pair("split(p)", splitPath),
		pair("splitext(p)", splitExt),
		pair("splitdrive(p)", func(p string) (string, string) { return "", p }),
		withPaths("isabs(s)", func(t *thread, a []val) (val, error) {
			p, err := pathOf(a[0])
			return value.Bool(strings.HasPrefix(p, "/")), err
		}, 0),
		l.joinFn(like),
		withPaths("realpath(filename, *, strict=False)", func(t *thread, a []val) (val, error) {
			p, err := pathOf(a[0])
			if err != nil {
				return val{}, err
			}
			if err := l.host.CheckRead(p); err != nil {
				return val{}, err
			}
			return like(a[0], realPath(abs(p))), nil
		}, 0),
		withPaths("relpath(path, start=None)", func(t *thread, a []val) (val, error) {
			p, err := pathOf(a[0])
			if err != nil {
				return val{}, err
			}
			if p == "" {
				return val{}, value.ValueErrorf("no path specified")
			}
			start := "."
			if given(a[1]) {
				if start, err = pathOf(a[1]); err != nil {
					return val{}, err
				}
			}
			r, err := filepath.Rel(abs(start), abs(p))
			if err != nil {
				return val{}, value.ValueErrorf("%s", err)
			}
			return like(a[0], r), nil
		}, 0, 1),
		fn("commonprefix(m)", func(t *thread, a []val) (val, error) {
			return gather(t, a[0], func(t *thread, items []val) (val, error) {
				var pre string
				for i, v := range items {
					s, err := pathOf(v)
					if err != nil {
						return val{}, err
					}
					if i == 0 {
						pre = s
					}
					for !strings.HasPrefix(s, pre) {
						pre = pre[:len(pre)-1]
					}
				}
				return value.Str(pre), nil
			})
		}),
		fn("commonpath(paths)", func(t *thread, a []val) (val, error) {
			return gather(t, a[0], func(t *thread, items []val) (val, error) { return commonPath(items) })
		}),
		test("exists(path)", func(p string) bool { _, err := os.Stat(p); return err == nil }),
		test("lexists(path)", func(p string) bool { _, err := os.Lstat(p); return err == nil }),
		test("isfile(path)", func(p string) bool { fi, err := os.Stat(p); return err == nil && fi.Mode().IsRegular() }),
		test("isdir(s)", func(p string) bool { fi, err := os.Stat(p); return err == nil && fi.IsDir() }),
		test("islink(path)", func(p string) bool { fi, err := os.Lstat(p); return err == nil && fi.Mode()&os.ModeSymlink != 0 }),
		test("ismount(path)", func(p string) bool { return abs(p) == "/" }),
		stat("getsize(filename)", func(fi os.FileInfo) val { return value.Int(fi.Size()) }),
		stat("getmtime(filename)", mtime), stat("getatime(filename)", mtime), stat("getctime(filename)", mtime),
		withPaths("samefile(f1, f2)", func(t *thread, a []val) (val, error) {
			var fi [2]os.FileInfo
			for i := range fi {
				p, err := pathOf(a[i])
				if err != nil {
					return val{}, err
				}
				if err := l.host.CheckRead(p); err != nil {
					return val{}, err
				}
				if fi[i], err = os.Stat(p); err != nil {
					return val{}, osError(err, p)
				}
			}
			return value.Bool(os.SameFile(fi[0], fi[1])), nil
		}, 0, 1),
	)
	return m
}

// joinFn is join(a, *p): every argument may be a path object.
func (l *Library) joinFn(like func(val, string) val) *value.Builtin {
	join := func(t *thread, a []val) (val, error) {
		var path string
		for i, v := range a {
			p, err := pathOf(v)
			if err != nil {
				if r, ok := err.(*value.Raised); ok && r.Class == value.ExcTypeError && i > 0 {
					err = value.TypeErrorf("join() argument must be str, bytes, or os.PathLike object, not '%s'", typeName(v))
				}
				return val{}, err
			}
			if _, b := asBytes(v); i > 0 && b != isBytes(a[0]) {
				return val{}, value.TypeErrorf("Can't mix strings and bytes in path components")
			}
			switch {
			case i == 0 || strings.HasPrefix(p, "/"):
				path = p
			case path == "" || strings.HasSuffix(path, "/"):
				path += p
			default:
				path += "/" + p
			}
		}
		return like(a[0], path), nil
	}
	return fn("join(a, *p)", func(t *thread, a []val) (val, error) {
		more, _ := elems(a[1])
		all := append([]val{a[0]}, more...)
		for _, v := range all {
			if in := v.AsInstance(); in != nil {
				if _, ok := value.Payload(v).AsString(); !ok {
					at := make([]int, len(all))
					for i := range at {
						at[i] = i
					}
					return val{}, t.Run(&pathStep{f: join, at: at, a: all, name: "join"})
				}
			}
		}
		return join(t, all)
	})
}

func isBytes(v val) bool {
	_, ok := asBytes(v)
	return ok
}

func splitPath(p string) (head, tail string) {
	i := strings.LastIndexByte(p, '/') + 1
	head, tail = p[:i], p[i:]
	if s := strings.TrimRight(head, "/"); s != "" {
		head = s
	}
	return head, tail
}

func splitExt(p string) (root, ext string) {
	base := strings.LastIndexByte(p, '/') + 1
	dot := strings.LastIndexByte(p, '.')
	if dot < base || strings.Trim(p[base:dot], ".") == "" {
		return p, ""
	}
	return p[:dot], p[dot:]
}

func normPath(p string) string {
	if p == "" {
		return "."
	}
	slashes := ""
	if p[0] == '/' {
		slashes = "/"
		if strings.HasPrefix(p, "//") && !strings.HasPrefix(p, "///") {
			slashes = "//"
		}
	}
	var out []string
	for _, c := range strings.Split(p, "/") {
		switch {
		case c == "" || c == ".":
		case c == ".." && len(out) > 0 && out[len(out)-1] != "..":
			out = out[:len(out)-1]
		case c == ".." && slashes != "":
		default:
			out = append(out, c)
		}
	}
	if s := slashes + strings.Join(out, "/"); s != "" {
		return s
	}
	return "."
}

// realPath follows links of the part of an absolute path that exists.
func realPath(p string) string {
	rest := ""
	for dir := p; ; {
		if r, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(r, rest)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return p
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = up
	}
}

func commonPath(items []val) (val, error) {
	if len(items) == 0 {
		return val{}, value.ValueErrorf("commonpath() arg is an empty sequence")
	}
	var common []string
	abs := false
	for i, v := range items {
		p, err := pathOf(v)
		if err != nil {
			return val{}, err
		}
		a := strings.HasPrefix(p, "/")
		if i > 0 && a != abs {
			return val{}, value.ValueErrorf("Can't mix absolute and relative paths")
		}
		abs = a
		var parts []string
		for _, c := range strings.Split(p, "/") {
			if c != "" && c != "." {
				parts = append(parts, c)
			}
		}
		if i == 0 {
			common = parts
			continue
		}
		n := 0
		for n < len(common) && n < len(parts) && common[n] == parts[n] {
			n++
		}
		common = common[:n]
	}
	s := strings.Join(common, "/")
	if abs {
		s = "/" + s
	}
	return value.Str(s), nil
}
