package py

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// withPaths makes a builtin whose parameters at the given places are paths:
// str, bytes, or objects with __fspath__, which is called first. Unset and None
// are left alone.
func withPaths(sig string, f impl, at ...int) *value.Builtin {
	name, _, _ := parseSig(sig)
	return fn(sig, func(t *thread, a []val) (val, error) {
		for _, i := range at {
			v := a[i]
			if v.IsUnset() || v.IsNone() {
				continue
			}
			if in := v.AsInstance(); in != nil {
				if _, ok := value.Payload(v).AsString(); ok {
					continue
				}
				if m, ok := in.Class().Find("__fspath__"); ok {
					s := &pathStep{f: f, at: at, a: append([]val(nil), a...), name: name}
					_ = m
					return val{}, t.Run(s)
				}
			}
		}
		return f(t, a)
	})
}

type pathStep struct {
	f     impl
	at    []int
	a     []val
	name  string
	i     int
	stage int
}

func (s *pathStep) Roots(visit func(*val)) {
	for i := range s.a {
		visit(&s.a[i])
	}
}

func (s *pathStep) Step(t *thread, in val, err error) value.Action {
	if err != nil {
		return value.Raise(err)
	}
	switch s.stage {
	case 1:
		s.a[s.at[s.i]] = in
		s.i++
	case 2:
		return value.Return(in)
	}
	for ; s.i < len(s.at); s.i++ {
		v := s.a[s.at[s.i]]
		if v.IsUnset() {
			continue
		}
		if ins := v.AsInstance(); ins != nil {
			if m, ok := ins.Class().Find("__fspath__"); ok {
				s.stage = 1
				return value.CallOf(m.Value, v)
			}
		}
	}
	s.stage = 2
	v, err := s.f(t, s.a)
	if err != nil {
		return value.Raise(err)
	}
	return value.Return(v)
}

// pathOf is a path argument that withPaths has prepared.
func pathOf(v val) (string, error) {
	p := value.Payload(v)
	if s, ok := p.AsString(); ok {
		if strings.IndexByte(s, 0) >= 0 {
			return "", value.ValueErrorf("embedded null byte")
		}
		return s, nil
	}
	if b, ok := asBytes(v); ok {
		return string(b), nil
	}
	return "", value.TypeErrorf("expected str, bytes or os.PathLike object, not %s", typeName(v))
}

// osError words an error of the operating system as Python does.
func osError(err error, paths ...string) error {
	var r *value.Raised
	if errors.As(err, &r) {
		return r
	}
	cls, errno := value.ExcOSError, syscall.EIO
	var e syscall.Errno
	switch {
	case errors.As(err, &e):
		errno = e
	case errors.Is(err, fs.ErrNotExist):
		errno = syscall.ENOENT
	case errors.Is(err, fs.ErrExist):
		errno = syscall.EEXIST
	case errors.Is(err, fs.ErrPermission):
		errno = syscall.EACCES
	case errors.Is(err, fs.ErrClosed), errors.Is(err, fs.ErrInvalid):
		errno = syscall.EINVAL
	}
	switch errno {
	case syscall.ENOENT:
		cls = value.ExcFileNotFoundError
	case syscall.EEXIST:
		cls = value.ExcFileExistsError
	case syscall.EACCES, syscall.EPERM:
		cls = value.ExcPermissionError
	case syscall.EISDIR:
		cls = value.ExcIsADirectoryError
	case syscall.ENOTDIR:
		cls = value.ExcNotADirectoryError
	case syscall.ETIMEDOUT:
		cls = value.ExcTimeoutError
	case syscall.EINTR:
		cls = value.ExcInterruptedError
	}
	text := errno.Error()
	if text != "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	if errno == syscall.EINVAL {
		text = "Invalid argument"
	}
	return newOSError(cls, int64(errno), text, paths...)
}

func newOSError(cls *value.Class, errno int64, text string, paths ...string) error {
	r := value.NewRaised(cls, value.Int(errno), value.Str(text))
	for _, p := range paths {
		r.Args = append(r.Args, value.Str(p))
	}
	in := r.Value().AsInstance()
	in.Set("errno", value.Int(errno))
	in.Set("strerror", value.Str(text))
	if len(paths) > 0 {
		in.Set("filename", value.Str(paths[0]))
	}
	return r
}

// expandUser is ~ at the front, where the environment is granted.
func (l *Library) home() (string, bool) {
	if l.host.CheckEnv() != nil {
		return "", false
	}
	h, err := os.UserHomeDir()
	return h, err == nil
}
