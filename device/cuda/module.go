package cuda

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
)

// function is an entry of a module that the driver has compiled and loaded.
type function struct {
	h      uintptr
	shared int // bytes of shared memory that a launch gives
}

// Options of the driver's compiler.
const (
	jitInfoLog      = 3
	jitInfoLogSize  = 4
	jitErrorLog     = 5
	jitErrorLogSize = 6
	logBytes        = 16 << 10
)

// jitLogs asks for the compiler's messages.
type jitLogs struct {
	keys []int32
	vals []uintptr
	info []byte
	errs []byte
}

func newJITLogs() *jitLogs {
	l := &jitLogs{info: make([]byte, logBytes), errs: make([]byte, logBytes)}
	l.keys = []int32{jitInfoLog, jitInfoLogSize, jitErrorLog, jitErrorLogSize}
	l.vals = []uintptr{ptr(&l.info[0]), logBytes, ptr(&l.errs[0]), logBytes}
	return l
}

func (l *jitLogs) text() string {
	s, _, _ := strings.Cut(string(l.errs), "\x00")
	return strings.TrimSpace(s)
}

// Load implements device.GPU. The error has what the driver's compiler said, with
// line numbers.
func (g *GPU) Load(text string) (any, error) {
	var f *function
	err := g.on(func() (err error) {
		var image []byte
		if g.d.opts.CacheDir != "" {
			image, err = g.cubin(text)
		}
		if err != nil {
			return err
		}
		if image == nil {
			image = append([]byte(text), 0)
		}
		f, err = g.load(image, sharedOf(text))
		return err
	})
	return f, err
}

// sharedOf reads what a text asks for in a line "// shared N".
func sharedOf(text string) int {
	_, rest, ok := strings.Cut(text, "\n// shared ")
	if !ok {
		return 0
	}
	line, _, _ := strings.Cut(rest, "\n")
	n, _ := strconv.Atoi(line)
	return n
}

func (g *GPU) load(image []byte, shared int) (*function, error) {
	d, l := g.d, newJITLogs()
	mod, f := new(uintptr), new(uintptr)
	err := d.call("cuModuleLoadDataEx", d.api.ModuleLoadDataEx, ptr(mod), ptr(&image[0]), uintptr(len(l.keys)), ptr(&l.keys[0]), ptr(&l.vals[0]))
	runtime.KeepAlive(image)
	runtime.KeepAlive(l)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, l.text())
	}
	name := []byte("k\x00")
	err = d.call("cuModuleGetFunction", d.api.ModuleGetFunction, ptr(f), *mod, ptr(&name[0]))
	runtime.KeepAlive(name)
	if err != nil {
		return nil, err
	}
	x := &function{h: *f, shared: shared}
	if x.shared > 0 {
		const maxDynamicShared = 8
		if err := d.call("cuFuncSetAttribute", d.api.FuncSetAttribute, x.h, maxDynamicShared, uintptr(x.shared)); err != nil {
			return nil, err
		}
	}
	return x, nil
}
