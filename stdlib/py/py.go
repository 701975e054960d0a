package py

import (
	"embed"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// Files holds the modules that are written in the language: a/b.star is module
// a.b, a/__init__.star package a.
//
//go:embed all:*.star all:*/*.star all:*/*/*.star
var Files embed.FS

// A Library makes the modules that are written in Go, for one host. Its methods
// may be called by any goroutine.
type Library struct {
	host Host
	// Source, if set, gives the text of a file that was loaded, for tracebacks.
	// It is set before the first use.
	Source func(t *value.Thread, file string) (text string, ok bool)
	// Import, if set, gives the module of a dotted name, running it if need be:
	// help asks for pydoc. It is set before the first use.
	Import func(t *value.Thread, name string) (*value.Module, error)

	start func() // made once, when a module first needs the streams

	open, input, print *value.Builtin

	mu     sync.Mutex
	made   map[string]*value.Module
	sys    atomic.Pointer[value.Module] // once it is made
	stdout val
	stderr val
	stdin  val
	loaded *value.Dict        // sys.modules
	fds    map[int64]*os.File // what os.open and tempfile.mkstemp have opened
}

// New makes a Library.
func New(host Host) *Library {
	l := &Library{host: host, made: map[string]*value.Module{}, loaded: value.NewDict(0)}
	l.start = sync.OnceFunc(l.openStreams)
	l.open, l.input, l.print = l.openFn(), l.inputFn(), l.printFn()
	return l
}

// makers makes the modules in Go by name.
var makers = map[string]func(l *Library) *value.Module{
	"builtins":     (*Library).builtinsModule,
	"cmath":        func(*Library) *value.Module { return cmathModule() },
	"math":         func(*Library) *value.Module { return mathModule() },
	"_collections": func(*Library) *value.Module { return collectionsModule() },
	"re":           func(*Library) *value.Module { return reModule() },
	"_hashlib":     func(*Library) *value.Module { return hashlibModule() },
	"binascii":     func(*Library) *value.Module { return binasciiModule() },
	"_operator":    func(*Library) *value.Module { return operatorModule() },
	"_json":        func(*Library) *value.Module { return jsonModule() },
	"_struct":      func(*Library) *value.Module { return structModule() },
	"_random":      func(*Library) *value.Module { return randomModule() },
	"_larkspur":    (*Library).internals,
	"io":           (*Library).ioModule,
	"_os":          (*Library).osModule,
	"os.path":      (*Library).osPath,
	"posixpath":    (*Library).osPath,
	"_time":        (*Library).timeModule,
	"zlib":         (*Library).zlibModule,
}

func init() { makers["sys"] = (*Library).sysModule } // it lists the makers

// Module makes the module of a name, or returns it if it is made; ok is false
// where Go has none.
func (l *Library) Module(t *value.Thread, name string) (m *value.Module, ok bool, err error) {
	if name == "posixpath" {
		name = "os.path"
	}
	make, ok := makers[name]
	if !ok {
		return nil, false, nil
	}
	l.mu.Lock()
	m = l.made[name]
	l.mu.Unlock()
	if m == nil {
		if m = make(l); m == nil {
			return nil, false, nil
		}
		if _, ok := m.Get("__name__"); !ok {
			m.Set("__name__", value.Str(m.Name))
		}
		l.mu.Lock()
		if prev := l.made[name]; prev != nil {
			m = prev
		}
		l.made[name] = m
		if name == "sys" {
			l.sys.Store(m)
		}
		l.mu.Unlock()
	}
	return m, true, nil
}

// FileModules lists the modules of Files.
func FileModules() (names []string) {
	fs.WalkDir(Files, ".", func(path string, d fs.DirEntry, err error) error {
		if name, ok := strings.CutSuffix(path, ".star"); ok && err == nil {
			names = append(names, strings.ReplaceAll(strings.TrimSuffix(name, "/__init__"), "/", "."))
		}
		return err
	})
	return names
}

// ModuleNames lists the modules that Module knows, sorted.
func (l *Library) ModuleNames() []string { return slices.Sorted(maps.Keys(makers)) }

// Modules is the dict that programs see as sys.modules. The importer enters
// each module under its name.
func (l *Library) Modules() *value.Dict { return l.loaded }

// Builtins are the builtin functions and classes that need the host, or that
// belong to the standard modules.
func (l *Library) Builtins() map[string]value.Value {
	return map[string]value.Value{
		"open":      l.open.Value(),
		"input":     l.input.Value(),
		"print":     l.print.Value(),
		"bytearray": byteArrayClass.Value(),
		"exit":      quitter("exit"),
		"quit":      quitter("quit"),
		"help":      l.helper(),
	}
}

// builtinsModule makes builtins: all that programs see without an import.
func (l *Library) builtinsModule() *value.Module {
	m := value.NewModule("builtins")
	for name, v := range value.Universe(value.Model) {
		m.Set(name, v)
	}
	for name, v := range l.Builtins() {
		m.Set(name, v)
	}
	return m
}
