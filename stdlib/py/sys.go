package py

import (
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// version is the language version that programs are told.
var version = [3]int64{3, 11, 0}

// namedRow makes a tuple whose items have names too, as sys.version_info is.
func namedRow(class *value.Class, names []string, items ...val) val {
	for i, n := range names {
		getter(class, n, func(t *thread, self val) (val, error) {
			tup, _ := value.Payload(self).AsTuple()
			return value.FromStarlark(tup[i]), nil
		})
	}
	row := value.Tuple(items...)
	return object(class, &row)
}

func (l *Library) sysModule() *value.Module {
	l.start()
	m := value.NewModule("sys")
	m.Doc = "The interpreter and its surroundings."
	args := l.host.Args()
	argv := make([]val, len(args))
	for i, a := range args {
		argv[i] = value.Str(a)
	}
	if len(argv) == 0 {
		argv = []val{value.Str("")}
	}
	strs := func(ss ...string) val {
		out := make([]val, len(ss))
		for i, s := range ss {
			out[i] = value.Str(s)
		}
		return value.NewList(out).Value()
	}
	info := value.NewClass("version_info", "sys", value.TupleClass)
	flags := value.NewClass("flags", "sys", value.TupleClass)
	finfo := value.NewClass("float_info", "sys", value.TupleClass)
	impl := value.NewClass("SimpleNamespace", "types")
	im := value.NewInstance(impl)
	im.Set("name", value.Str("larkspur"))
	im.Set("cache_tag", value.None)
	platform := map[string]string{"windows": "win32"}[runtime.GOOS]
	if platform == "" {
		platform = runtime.GOOS
	}
	for k, v := range map[string]val{
		"argv": value.NewList(argv).Value(), "orig_argv": value.NewList(append([]val(nil), argv...)).Value(),
		"path": strs(""), "meta_path": strs(), "path_hooks": strs(), "warnoptions": strs(),
		"modules": l.loaded.Value(), "stdin": l.stdin, "stdout": l.stdout, "stderr": l.stderr,
		"__stdin__": l.stdin, "__stdout__": l.stdout, "__stderr__": l.stderr,
		"maxsize": value.Int(1<<63 - 1), "maxunicode": value.Int(0x10FFFF), "byteorder": value.Str("little"),
		"platform": value.Str(platform), "executable": value.Str(""), "prefix": value.Str(""), "exec_prefix": value.Str(""),
		"base_prefix": value.Str(""), "version": value.Str("3.11.0 (larkspur)"), "hexversion": value.Int(0x030b00f0), "api_version": value.Int(1013),
		"copyright": value.Str(""), "dont_write_bytecode": value.True, "implementation": im.Value(), "float_repr_style": value.Str("short"),
		"version_info": namedRow(info, []string{"major", "minor", "micro", "releaselevel", "serial"},
			value.Int(version[0]), value.Int(version[1]), value.Int(version[2]), value.Str("final"), value.Int(0)),
		"flags": namedRow(flags, []string{"debug", "inspect", "interactive", "optimize", "verbose"},
			value.Int(0), value.Int(0), value.Int(0), value.Int(0), value.Int(0)),
		"float_info": namedRow(finfo, []string{"max", "max_exp", "max_10_exp", "min", "min_exp", "min_10_exp", "dig", "mant_dig", "epsilon", "radix", "rounds"},
			value.Float(1.7976931348623157e308), value.Int(1024), value.Int(308), value.Float(2.2250738585072014e-308), value.Int(-1021), value.Int(-307),
			value.Int(15), value.Int(53), value.Float(2.220446049250313e-16), value.Int(2), value.Int(1)),
	} {
		m.Set(k, v)
	}
	rows := func(name string, fields []string, items ...val) val {
		return namedRow(value.NewClass(name, "sys", value.TupleClass), fields, items...)
	}
	m.Set("int_info", rows("int_info", []string{"bits_per_digit", "sizeof_digit", "default_max_str_digits", "str_digits_check_threshold"},
		value.Int(30), value.Int(4), value.Int(4300), value.Int(640)))
	m.Set("hash_info", rows("hash_info", []string{"width", "modulus", "inf", "nan", "imag", "algorithm", "hash_bits", "seed_bits", "cutoff"},
		value.Int(64), value.Int(1<<61-1), value.Int(314159), value.Int(0), value.Int(1000003), value.Str("siphash13"), value.Int(64), value.Int(128), value.Int(0)))
	m.Set("thread_info", rows("thread_info", []string{"name", "lock", "version"}, value.Str("goroutine"), value.None, value.None))
	m.Set("builtin_module_names", value.Tuple(moduleNames(slices.Sorted(maps.Keys(makers)))...))
	names := value.NewSet(0)
	for _, n := range moduleNames(append(FileModules(), slices.Collect(maps.Keys(makers))...)) {
		names.Add(nil, n)
	}
	names.Const = true
	m.Set("stdlib_module_names", names.Value())
	put(m,
		fn("exit(status=None, /)", func(t *thread, a []val) (val, error) {
			r := value.NewRaised(value.ExcSystemExit)
			code := value.None
			if !a[0].IsUnset() {
				r.Args, code = []val{a[0]}, a[0]
			}
			r.Value().AsInstance().Set("code", code)
			return val{}, r
		}),
		fn("getrecursionlimit()", func(t *thread, a []val) (val, error) {
			if r, ok := t.Machine.(recursive); ok {
				return value.Int(int64(r.RecursionLimit())), nil
			}
			return value.Int(1000), nil
		}),
		fn("setrecursionlimit(limit, /)", func(t *thread, a []val) (val, error) {
			n, err := asInt(t, a[0])
			if err == nil && n < 1 {
				err = value.ValueErrorf("recursion limit must be greater or equal than 1")
			}
			if r, ok := t.Machine.(recursive); ok && err == nil {
				err = r.SetRecursionLimit(int(min(n, 1<<31)))
			}
			return value.None, err
		}),
		fn("get_int_max_str_digits()", func(t *thread, a []val) (val, error) {
			switch {
			case t.IntDigits == 0:
				return value.Int(4300), nil
			case t.IntDigits < 0:
				return value.Int(0), nil
			}
			return value.Int(int64(t.IntDigits)), nil
		}),
		fn("set_int_max_str_digits(maxdigits)", func(t *thread, a []val) (val, error) {
			n, err := asInt(t, a[0])
			if err == nil && n != 0 && n < 640 {
				err = value.ValueErrorf("maxdigits must be 0 or larger than 640")
			}
			if err != nil {
				return val{}, err
			}
			if t.IntDigits = int(n); n == 0 {
				t.IntDigits = -1
			}
			return value.None, nil
		}),
		fn("getswitchinterval()", func(t *thread, a []val) (val, error) { return value.Float(0.005), nil }),
		fn("setswitchinterval(interval, /)", func(t *thread, a []val) (val, error) { return value.None, nil }),
		fn("displayhook(object, /)", func(t *thread, a []val) (val, error) {
			if a[0].IsNone() {
				return value.None, nil
			}
			return val{}, t.Run(&displayStep{x: a[0]})
		}),
		fn("getsizeof(object, default=None)", func(t *thread, a []val) (val, error) { return value.Int(sizeOf(a[0])), nil }),
		fn("getrefcount(object, /)", func(t *thread, a []val) (val, error) { return value.Int(2), nil }),
		fn("getdefaultencoding()", func(t *thread, a []val) (val, error) { return value.Str("utf-8"), nil }),
		fn("getfilesystemencoding()", func(t *thread, a []val) (val, error) { return value.Str("utf-8"), nil }),
		fn("intern(string, /)", func(t *thread, a []val) (val, error) {
			_, err := asStr("intern", a[0])
			return a[0], err
		}),
		fn("exc_info()", func(t *thread, a []val) (val, error) {
			r := t.Handling
			if r == nil {
				return value.Tuple(value.None, value.None, value.None), nil
			}
			v := r.Value()
			tb, err := value.GetAttr(t, v, "__traceback__")
			if err != nil {
				tb = value.None
			}
			return value.Tuple(r.Class.Value(), v, tb), nil
		}),
		fn("exception()", func(t *thread, a []val) (val, error) {
			if r := t.Handling; r != nil {
				return r.Value(), nil
			}
			return value.None, nil
		}),
		fn("is_finalizing()", func(t *thread, a []val) (val, error) { return value.False, nil }),
		fn("settrace(function, /)", func(t *thread, a []val) (val, error) {
			if given(a[0]) {
				return val{}, value.Errorf(value.ExcNotImplementedError, "sys.settrace is not supported")
			}
			return value.None, nil
		}),
		fn("gettrace()", func(t *thread, a []val) (val, error) { return value.None, nil }),
		fn("_getframe(depth=0, /)", func(t *thread, a []val) (val, error) {
			n, err := intOr(t, a[0], 0)
			if err != nil {
				return val{}, err
			}
			var where []value.Entry
			if t.Machine != nil {
				where = t.Machine.Where()
			}
			at := len(where) - 1 - int(max(n, 0))
			if at < 0 {
				return val{}, value.ValueErrorf("call stack is not deep enough")
			}
			return value.FromStarlark(&value.FrameInfo{Entry: where[at], Back: where[:at]}), nil
		}),
	)
	return m
}

// recursive is a machine whose limit of recursion can be changed.
type recursive interface {
	RecursionLimit() int
	SetRecursionLimit(n int) error
}

// displayStep prints what an object's __repr__ says.
type displayStep struct {
	x     val
	asked bool
}

func (s *displayStep) Roots(visit func(*val)) { visit(&s.x) }

func (s *displayStep) Step(t *thread, in val, err error) value.Action {
	if err == nil && !s.asked {
		s.asked = true
		in, err = value.ReprOf(t, s.x)
	}
	if err != nil {
		return value.Raise(err)
	}
	if text, ok := in.AsString(); ok {
		t.WriteOut(text + "\n")
	}
	return value.Return(value.None)
}

// moduleNames are the top-level names among those of modules, as values.
func moduleNames(names []string) (out []val) {
	seen := map[string]bool{}
	for _, n := range names {
		if n, _, _ = strings.Cut(n, "."); !seen[n] {
			seen[n] = true
			out = append(out, value.Str(n))
		}
	}
	return out
}

// sizeOf estimates the bytes of an object, not of what it refers to.
func sizeOf(v val) int64 {
	p := value.Payload(v)
	if s, ok := p.AsString(); ok {
		return int64(49 + len(s))
	}
	if b, ok := asBytes(p); ok {
		return int64(33 + len(b))
	}
	if l := p.AsList(); l != nil {
		return int64(56 + 16*cap(l.Elems))
	}
	if tup, ok := p.AsTuple(); ok {
		return int64(40 + 16*len(tup))
	}
	if d := p.AsDict(); d != nil {
		return int64(64 + 48*d.Len())
	}
	if in := v.AsInstance(); in != nil {
		return int64(48 + 16*len(in.Slots))
	}
	return 32
}
