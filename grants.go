package larkspur

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// grants decides what a program may touch. Paths are compared after symbolic
// links are followed, so a link inside a granted folder is no way out of it.
type grants struct {
	Grants
	read, write []string // absolute, links followed
}

func newGrants(g Grants) *grants {
	r := &grants{Grants: g}
	for _, p := range g.Write {
		r.write = append(r.write, settle(p))
	}
	for _, p := range g.Read {
		r.read = append(r.read, settle(p))
	}
	return r
}

// settle makes a path absolute and follows its links; of a path that does not
// exist yet, those of the part that does.
func settle(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	rest := ""
	for dir := abs; ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return abs
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = up
	}
}

func within(path string, roots []string) bool {
	for _, r := range roots {
		if path == r || strings.HasPrefix(path, strings.TrimSuffix(r, string(filepath.Separator))+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

func (g *grants) mayRead(path string) bool {
	p := settle(path)
	return within(p, g.read) || within(p, g.write)
}

func (g *grants) mayWrite(path string) bool { return within(settle(path), g.write) }

func refused(what, path, grant string) error {
	return value.Errorf(value.ExcPermissionError, "%s '%s' is not allowed: it is not under a path that was granted (%s)", what, path, grant)
}

const (
	readGrant  = "--allow-read, Grants.Read"
	writeGrant = "--allow-write, Grants.Write"
)

// CheckRead, CheckWrite, Clock, Env and the rest are the capability interface
// that the standard modules ask (py.Host).
func (g *grants) CheckRead(path string) error {
	if g.mayRead(path) {
		return nil
	}
	return refused("reading", path, readGrant)
}

func (g *grants) CheckWrite(path string) error {
	if g.mayWrite(path) {
		return nil
	}
	return refused("writing", path, writeGrant)
}

func (g *grants) CheckClock() error {
	if g.Clock {
		return nil
	}
	return value.Errorf(value.ExcPermissionError, "reading the clock is not allowed: it was not granted (Grants.Clock)")
}

func (g *grants) CheckEnv() error {
	if g.Env {
		return nil
	}
	return value.Errorf(value.ExcPermissionError, "reading the environment is not allowed: it was not granted (--allow-env, Grants.Env)")
}

// readFile reads a whole file under the grants, with Python's exceptions.
func (g *grants) readFile(path string) ([]byte, error) {
	if err := g.CheckRead(path); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, osError(err, path)
	}
	return b, nil
}

func (g *grants) writeFile(path string, data []byte) error {
	if err := g.CheckWrite(path); err != nil {
		return err
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		return osError(err, path)
	}
	return nil
}

// osError words an error of the operating system as Python does.
func osError(err error, path string) error {
	cls, errno, text := value.ExcOSError, int64(5), ""
	switch {
	case os.IsNotExist(err):
		cls, errno, text = value.ExcFileNotFoundError, 2, "No such file or directory"
	case os.IsPermission(err):
		cls, errno, text = value.ExcPermissionError, 13, "Permission denied"
	case os.IsExist(err):
		cls, errno, text = value.ExcFileExistsError, 17, "File exists"
	default:
		if pe, ok := err.(*fs.PathError); ok {
			err = pe.Err
		}
		text = err.Error()
		if strings.Contains(text, "is a directory") {
			cls, errno, text = value.ExcIsADirectoryError, 21, "Is a directory"
		}
	}
	r := value.NewRaised(cls, value.Int(errno), value.Str(text), value.Str(path))
	r.Host = err
	return r
}

// pyHost is what the standard modules see of the Runtime.
type pyHost struct {
	*grants
	opts *Options
}

func (h *pyHost) Args() []string { return h.opts.Args }
func (h *pyHost) Terminal() int  { return h.grants.Terminal }
func (h *pyHost) Stdout() io.Writer {
	if h.opts.Stdout == nil {
		return io.Discard
	}
	return h.opts.Stdout
}
func (h *pyHost) Stderr() io.Writer {
	if h.opts.Stderr == nil {
		return io.Discard
	}
	return h.opts.Stderr
}
func (h *pyHost) Stdin() io.Reader { return h.opts.Stdin }
