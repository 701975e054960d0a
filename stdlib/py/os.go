package py

import (
	"crypto/rand"
	"os"
	"runtime"
	"sort"
	"syscall"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// osModule makes _os, the leaves of os: what touches the file system and the
// environment.
func (l *Library) osModule() *value.Module {
	m := value.NewModule("_os")
	// on1 and on2 are functions of paths that are to be read or written.
	type check func(string) error
	read, write := check(l.host.CheckRead), check(l.host.CheckWrite)
	on1 := func(sig string, may check, f func(p string, t *thread, a []val) (val, error)) *value.Builtin {
		return withPaths(sig, func(t *thread, a []val) (val, error) {
			p := "."
			if given(a[0]) {
				var err error
				if p, err = pathOf(a[0]); err != nil {
					return val{}, err
				}
			}
			if err := may(p); err != nil {
				return val{}, err
			}
			v, err := f(p, t, a)
			if err != nil {
				return val{}, osError(err, p)
			}
			if v.IsUnset() {
				v = value.None
			}
			return v, nil
		}, 0)
	}
	on2 := func(sig string, first, second check, f func(p, q string) error) *value.Builtin {
		return withPaths(sig, func(t *thread, a []val) (val, error) {
			p, err := pathOf(a[0])
			if err != nil {
				return val{}, err
			}
			q, err := pathOf(a[1])
			if err != nil {
				return val{}, err
			}
			if err := first(p); err != nil {
				return val{}, err
			}
			if err := second(q); err != nil {
				return val{}, err
			}
			if err := f(p, q); err != nil {
				return val{}, osError(err, p)
			}
			return value.None, nil
		}, 0, 1)
	}
	mode := func(t *thread, v val) (os.FileMode, error) {
		i, err := intOr(t, v, 0o777)
		return os.FileMode(i) & os.ModePerm, err
	}
	put(m,
		on1("listdir(path=None)", read, func(p string, _ *thread, a []val) (val, error) {
			list, err := os.ReadDir(p)
			if err != nil {
				return val{}, err
			}
			out := make([]val, len(list))
			for i, e := range list {
				out[i] = value.Str(e.Name())
			}
			return value.NewList(out).Value(), nil
		}),
		// entries is what scandir walks: (name, is folder, is file, is link) by name.
		on1("entries(path=None)", read, func(p string, _ *thread, a []val) (val, error) {
			list, err := os.ReadDir(p)
			if err != nil {
				return val{}, err
			}
			sort.Slice(list, func(i, j int) bool { return list[i].Name() < list[j].Name() })
			out := make([]val, len(list))
			for i, e := range list {
				link := e.Type()&os.ModeSymlink != 0
				dir, file := e.IsDir(), e.Type().IsRegular()
				if link {
					if fi, err := os.Stat(p + "/" + e.Name()); err == nil {
						dir, file = fi.IsDir(), fi.Mode().IsRegular()
					}
				}
				out[i] = value.Tuple(value.Str(e.Name()), value.Bool(dir), value.Bool(file), value.Bool(link))
			}
			return value.NewList(out).Value(), nil
		}),
		on1("mkdir(path, mode=0o777, *, dir_fd=None)", write, func(p string, t *thread, a []val) (val, error) {
			md, err := mode(t, a[1])
			if err != nil {
				return val{}, err
			}
			return val{}, os.Mkdir(p, md)
		}),
		on1("makedirs(name, mode=0o777, exist_ok=False)", write, func(p string, t *thread, a []val) (val, error) {
			md, err := mode(t, a[1])
			if err != nil {
				return val{}, err
			}
			ok, err := boolOr(t, a[2], false)
			if err != nil {
				return val{}, err
			}
			if fi, err := os.Stat(p); err == nil && !(ok && fi.IsDir()) {
				return val{}, syscall.EEXIST
			}
			return val{}, os.MkdirAll(p, md)
		}),
		on1("remove(path, *, dir_fd=None)", write, func(p string, t *thread, a []val) (val, error) {
			if fi, err := os.Lstat(p); err == nil && fi.IsDir() {
				return val{}, syscall.EISDIR
			}
			return val{}, os.Remove(p)
		}),
		on1("rmdir(path, *, dir_fd=None)", write, func(p string, t *thread, a []val) (val, error) {
			return val{}, syscall.Rmdir(p)
		}),
		on1("rmtree(path)", write, func(p string, t *thread, a []val) (val, error) {
			if _, err := os.Lstat(p); err != nil {
				return val{}, err
			}
			return val{}, os.RemoveAll(p)
		}),
		on1("chmod(path, mode)", write, func(p string, t *thread, a []val) (val, error) {
			md, err := mode(t, a[1])
			if err != nil {
				return val{}, err
			}
			return val{}, os.Chmod(p, md)
		}),
		on1("stat(path, follow_symlinks=True)", read, func(p string, t *thread, a []val) (val, error) {
			follow, err := boolOr(t, a[1], true)
			if err != nil {
				return val{}, err
			}
			stat := os.Stat
			if !follow {
				stat = os.Lstat
			}
			fi, err := stat(p)
			if err != nil {
				return val{}, err
			}
			return statTuple(fi), nil
		}),
		on1("readlink(path)", read, func(p string, t *thread, a []val) (val, error) {
			s, err := os.Readlink(p)
			return value.Str(s), err
		}),
		on1("touch(path)", write, func(p string, t *thread, a []val) (val, error) {
			f, err := os.OpenFile(p, os.O_CREATE|os.O_WRONLY, 0o666)
			if err != nil {
				return val{}, err
			}
			return val{}, f.Close()
		}),
		on1("truncate(path, length)", write, func(p string, t *thread, a []val) (val, error) {
			n, err := asInt(t, a[1])
			if err != nil {
				return val{}, err
			}
			return val{}, os.Truncate(p, n)
		}),
		on2("replace(src, dst)", write, write, os.Rename),
		on2("symlink(src, dst)", write, write, os.Symlink),
		on2("copyfile(src, dst)", read, write, copyFile),
		fn("getcwd()", func(t *thread, a []val) (val, error) {
			wd, err := os.Getwd()
			if err != nil {
				return val{}, osError(err)
			}
			return value.Str(wd), nil
		}),
		fn("cpu_count()", func(t *thread, a []val) (val, error) { return value.Int(int64(runtime.NumCPU())), nil }),
		fn("getpid()", func(t *thread, a []val) (val, error) { return value.Int(int64(os.Getpid())), nil }),
		fn("urandom(size)", func(t *thread, a []val) (val, error) {
			n, err := asInt(t, a[0])
			if err != nil {
				return val{}, err
			}
			if n < 0 || n > 1<<30 {
				return val{}, value.ValueErrorf("negative argument not allowed")
			}
			b := make([]byte, n)
			rand.Read(b)
			return value.BytesOf(b), nil
		}),
		fn("getenv(key)", func(t *thread, a []val) (val, error) {
			k, err := asStr("getenv", a[0])
			if err != nil {
				return val{}, err
			}
			if err := l.host.CheckEnv(); err != nil {
				return val{}, err
			}
			if s, ok := os.LookupEnv(k); ok {
				return value.Str(s), nil
			}
			return value.None, nil
		}),
		fn("environ()", func(t *thread, a []val) (val, error) {
			if err := l.host.CheckEnv(); err != nil {
				return val{}, err
			}
			d := value.NewDict(64)
			for _, kv := range os.Environ() {
				for i := 1; i < len(kv); i++ {
					if kv[i] == '=' {
						d.SetStr(kv[:i], value.Str(kv[i+1:]))
						break
					}
				}
			}
			return d.Value(), nil
		}),
		fn("terminal()", func(t *thread, a []val) (val, error) { return value.Int(int64(l.host.Terminal())), nil }),
	)
	put(m, l.descriptorFns()...)
	for name, flag := range map[string]int{"O_RDONLY": os.O_RDONLY, "O_WRONLY": os.O_WRONLY, "O_RDWR": os.O_RDWR, "O_APPEND": os.O_APPEND,
		"O_CREAT": os.O_CREATE, "O_EXCL": os.O_EXCL, "O_SYNC": os.O_SYNC, "O_TRUNC": os.O_TRUNC} {
		m.Set(name, value.Int(int64(flag)))
	}
	put(m, fn("strerror(code, /)", func(t *thread, a []val) (val, error) {
		n, err := asInt(t, a[0])
		if err != nil {
			return val{}, err
		}
		r, _ := osError(syscall.Errno(n)).(*value.Raised)
		return r.Args[1], nil
	}))
	return m
}

func copyFile(src, dst string) error {
	b, err := os.ReadFile(src)
	if err != nil {
		return err
	}
	return os.WriteFile(dst, b, 0o666)
}
