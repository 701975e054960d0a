package py

import (
	"errors"
	"io"
	"os"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// descriptor is an open file of a program by its number; those that it did not open itself it may not have. take
// hands it over.
func (l *Library) descriptor(fd int64, take bool) *os.File {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.fds[fd]
	if take {
		delete(l.fds, fd)
	}
	return f
}

// descriptorFns are the leaves of os that work with numbers of open files.
func (l *Library) descriptorFns() []*value.Builtin {
	on := func(sig string, take bool, f func(t *thread, of *os.File, a []val) (val, error)) *value.Builtin {
		return fn(sig, func(t *thread, a []val) (val, error) {
			fd, err := asInt(t, a[0])
			if err != nil {
				return val{}, err
			}
			of := l.descriptor(fd, take)
			if of == nil {
				return val{}, newOSError(value.ExcOSError, 9, "Bad file descriptor")
			}
			return f(t, of, a)
		})
	}
	return []*value.Builtin{
		withPaths("open(path, flags, mode=0o777, *, dir_fd=None)", func(t *thread, a []val) (val, error) {
			p, err := pathOf(a[0])
			if err != nil {
				return val{}, err
			}
			flags, err := asInt(t, a[1])
			if err != nil {
				return val{}, err
			}
			mode, err := intOr(t, a[2], 0o777)
			if err != nil {
				return val{}, err
			}
			may := l.host.CheckRead
			if flags&int64(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND) != 0 {
				may = l.host.CheckWrite
			}
			if err := may(p); err != nil {
				return val{}, err
			}
			of, err := os.OpenFile(p, int(flags), os.FileMode(mode)&os.ModePerm)
			if err != nil {
				return val{}, osError(err, p)
			}
			fd := int64(of.Fd())
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.fds == nil {
				l.fds = map[int64]*os.File{}
			}
			l.fds[fd] = of
			return value.Int(fd), nil
		}, 0),
		on("close(fd)", true, func(t *thread, of *os.File, a []val) (val, error) {
			if err := of.Close(); err != nil {
				return val{}, osError(err)
			}
			return value.None, nil
		}),
		on("write(fd, data, /)", false, func(t *thread, of *os.File, a []val) (val, error) {
			b, err := wantBytes(a[1])
			if err != nil {
				return val{}, err
			}
			n, err := of.Write(b)
			if err != nil {
				return val{}, osError(err)
			}
			return value.Int(int64(n)), nil
		}),
		on("read(fd, length, /)", false, func(t *thread, of *os.File, a []val) (val, error) {
			n, err := asInt(t, a[1])
			if err != nil {
				return val{}, err
			}
			if n < 0 || n > 1<<30 {
				return val{}, newOSError(value.ExcOSError, 22, "Invalid argument")
			}
			b := make([]byte, n)
			k, err := of.Read(b)
			if err != nil && !errors.Is(err, io.EOF) {
				return val{}, osError(err)
			}
			return value.BytesOf(b[:k]), nil
		}),
	}
}
