package larkspur

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/resolve"
	"github.com/larkspur-ml/larkspur/lang/syntax"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// importer finds modules for import and load statements. In order: what is
// loaded already, modules in Go, modules in the language that come with
// Larkspur, modules of the host, then files beside the importing one and in
// Options.ImportFS.
//
// A module in a file is known by its place as well as by its name: two scripts
// in different folders may each import a "utils" of their own.
type importer struct {
	rt     *Runtime
	mu     sync.Mutex // guards the maps: calls into frozen modules import too
	byPath map[string]*value.Module
	// root is the folder whose files a module's imports are looked for in: that
	// of the script it belongs to.
	root map[*value.Module]*source
	// loading are the modules whose code a load statement runs now.
	loading map[*value.Module]bool
	// lazy load the names that modules import when they are asked for.
	lazy []func(*vm.Thread) error
}

func (im *importer) sourceOf(m *value.Module) *source {
	im.mu.Lock()
	defer im.mu.Unlock()
	return im.root[m]
}

func (im *importer) setSource(m *value.Module, src *source) {
	im.mu.Lock()
	defer im.mu.Unlock()
	im.root[m] = src
}

func (im *importer) at(key string) *value.Module {
	im.mu.Lock()
	defer im.mu.Unlock()
	return im.byPath[key]
}

// enter notes the module of a file; nil takes it out.
func (im *importer) enter(key string, m *value.Module) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if m == nil {
		delete(im.byPath, key)
		return
	}
	im.byPath[key] = m
}

// source is a tree of files with modules.
type source struct {
	fsys fs.FS
	dir  string // shown before paths in tracebacks; "" for built-in sources
	id   string // distinguishes sources in byPath
}

// mount is a tree of files that come with Larkspur: the package name of its root.
type mount struct {
	name string
	fsys fs.FS
}

// find locates a dotted name in a source: the file, and whether it is a package.
func (s *source) find(name string) (file string, pkg, ok bool) {
	p := strings.ReplaceAll(name, ".", "/")
	for _, ext := range [...]string{".star", ".py"} {
		if s.exists(path.Join(p, "__init__"+ext)) {
			return path.Join(p, "__init__"+ext), true, true
		}
		if p != "" && s.exists(p+ext) {
			return p + ext, false, true
		}
	}
	return "", false, false
}

func (s *source) exists(file string) bool {
	info, err := fs.Stat(s.fsys, file)
	return err == nil && !info.IsDir()
}

// isFolder reports a folder without __init__, which Python takes for a
// namespace package.
func (s *source) isFolder(name string) bool {
	info, err := fs.Stat(s.fsys, strings.ReplaceAll(name, ".", "/"))
	return err == nil && info.IsDir()
}

func (s *source) shown(file string) string {
	if s.dir == "" {
		return file
	}
	return filepath.Join(s.dir, filepath.FromSlash(file))
}

// Import implements vm.Importer.
func (im *importer) Import(t *vm.Thread, name string, level int, from *value.Module) (*value.Module, error) {
	if level > 0 {
		abs, err := absolute(name, level, from)
		if err != nil {
			return nil, err
		}
		name = abs
	}
	parts := strings.Split(name, ".")
	var mod *value.Module
	for i := range parts {
		full := strings.Join(parts[:i+1], ".")
		m, err := im.one(t, full, mod, from)
		if err != nil {
			return nil, err
		}
		if m == nil {
			if mod != nil {
				if v, ok := mod.Get(parts[i]); ok { // a member module without a file, as os.path
					if sub, ok := value.As[*value.Module](v); ok {
						mod = sub
						continue
					}
				}
				if i > 0 && !isPackage(mod) {
					return nil, importError(name, "No module named '%s'; '%s' is not a package", full, mod.Name)
				}
			}
			return nil, importError(name, "No module named '%s'%s", full, lacking(full))
		}
		if mod != nil {
			if _, ok := mod.Get(parts[i]); !ok && mod.Flags&value.FlagFrozen == 0 {
				mod.Set(parts[i], m.Value())
			}
		}
		mod = m
	}
	return mod, nil
}

func isPackage(m *value.Module) bool {
	_, ok := m.Get("__path__")
	return ok
}

func importError(name, format string, args ...any) error {
	e := value.Errorf(value.ExcModuleNotFoundError, format, args...)
	e.Name = name
	return e
}

// absolute resolves a relative import.
func absolute(name string, level int, from *value.Module) (string, error) {
	pkg := ""
	if v, ok := from.Get("__package__"); ok {
		pkg, _ = v.AsString()
	}
	if pkg == "" {
		return "", value.Errorf(value.ExcImportError, "attempted relative import with no known parent package")
	}
	parts := strings.Split(pkg, ".")
	if level-1 >= len(parts) {
		return "", value.Errorf(value.ExcImportError, "attempted relative import beyond top-level package")
	}
	base := strings.Join(parts[:len(parts)-(level-1)], ".")
	if name == "" {
		return base, nil
	}
	return base + "." + name, nil
}

// one imports a module whose parent is loaded; nil where there is none.
func (im *importer) one(t *vm.Thread, name string, parent, from *value.Module) (*value.Module, error) {
	known := im.rt.machine.Module(name)
	if m, ok, err := im.entered(name, known); ok || err != nil {
		return m, err
	}
	if known != nil && im.visible(known, from) {
		return known, nil
	}
	for _, g := range im.rt.goModules {
		m, ok, err := g(&t.Thread, name)
		if err != nil {
			return nil, err
		}
		if ok {
			im.rt.addModule(name, m)
			return m, nil
		}
	}
	if m, err := im.mounted(t, name); m != nil || err != nil {
		return m, err
	}
	if src := im.sourceOf(from); src != nil {
		if m, err := im.file(t, src, name, name); m != nil || err != nil {
			return m, err
		}
	}
	if fsys := im.rt.opts.ImportFS; fsys != nil {
		return im.file(t, &source{fsys: fsys, id: "importfs"}, name, name)
	}
	return nil, nil
}

// entered is what a program has put into sys.modules under a name, in place of the module that is known.
func (im *importer) entered(name string, known *value.Module) (*value.Module, bool, error) {
	im.mu.Lock()
	v, ok := im.rt.lib.Modules().GetStr(name)
	im.mu.Unlock()
	if !ok {
		return nil, false, nil
	}
	if v.IsNone() {
		return nil, false, importError(name, "import of %s halted; None in sys.modules", name)
	}
	m, ok := value.As[*value.Module](v)
	return m, ok && m != known, nil
}

// visible reports whether a cached module is the one that from means: modules in
// files are seen by the modules of their own tree.
func (im *importer) visible(m, from *value.Module) bool {
	src, own := im.sourceOf(m), im.sourceOf(from)
	return src == nil || src.id == "importfs" || src.id == "builtin" || own == nil || own.id == src.id
}

// mounted finds a module in the trees that come with Larkspur.
func (im *importer) mounted(t *vm.Thread, name string) (*value.Module, error) {
	for _, mt := range im.rt.mounts {
		rel := name
		if mt.name != "" {
			if name != mt.name && !strings.HasPrefix(name, mt.name+".") {
				continue
			}
			rel = strings.TrimPrefix(strings.TrimPrefix(name, mt.name), ".")
		}
		m, err := im.file(t, &source{fsys: mt.fsys, id: "builtin"}, name, rel)
		if m != nil || err != nil {
			return m, err
		}
	}
	return nil, nil
}

// file runs the module that src has under the dotted path rel.
func (im *importer) file(t *vm.Thread, src *source, name, rel string) (*value.Module, error) {
	file, pkg, ok := src.find(rel)
	if !ok {
		if rel != "" && src.id != "builtin" && src.isFolder(rel) {
			m := im.newModule(src, name, "", true)
			im.rt.addModule(name, m)
			return m, nil
		}
		return nil, nil
	}
	key := src.id + ":" + file
	if src.id == "builtin" {
		key += ":" + name
	}
	if m := im.at(key); m != nil {
		return m, nil
	}
	text, err := fs.ReadFile(src.fsys, file)
	if err != nil {
		return nil, osError(err, src.shown(file))
	}
	shown := src.shown(file)
	if src.id == "builtin" {
		shown = "<" + path.Join(strings.ReplaceAll(strings.TrimSuffix(name, rel), ".", "/"), file) + ">"
	}
	var lazy map[string]lazyName
	var edit func(*syntax.Module)
	if src.id == "builtin" && strings.Contains(string(text), lazyMark) {
		edit = func(tree *syntax.Module) { lazy = lazyNames(tree, pkg) }
	}
	prog, err := im.rt.compileAs(im.rt.opts.Dialect, shown, string(text), bytecode.ExecMode, edit)
	if err != nil {
		return nil, err
	}
	m := im.newModule(src, name, shown, pkg)
	if src.id == "builtin" {
		submodule := func(child string) bool {
			_, _, ok := src.find(strings.TrimPrefix(rel+"."+child, "."))
			return ok
		}
		im.rt.torch.Fill(m, submodule)
		if lazy != nil {
			im.serve(m, lazy, func(child string) bool { return pkg && submodule(child) })
		}
	}
	im.enter(key, m)
	prev := im.rt.machine.Module(name)
	im.rt.addModule(name, m)
	m.Loading = true
	_, err = t.Exec(prog, m)
	m.Loading = false
	if err != nil {
		im.enter(key, nil)
		im.rt.addModule(name, prev)
		return nil, err
	}
	return m, nil
}

func (im *importer) newModule(src *source, name, file string, pkg bool) *value.Module {
	m := value.NewModule(name)
	m.File = file
	m.Set("__name__", value.Str(name))
	m.Set("__file__", value.Str(file))
	parent := name
	if pkg {
		m.Set("__path__", value.ListOf())
	} else if i := strings.LastIndexByte(name, '.'); i >= 0 {
		parent = name[:i]
	} else {
		parent = ""
	}
	m.Set("__package__", value.Str(parent))
	im.setSource(m, src)
	return m
}

// Load implements vm.Loader: load("lib.star", "f") names a file, relative to the
// tree of the loading one.
func (im *importer) Load(t *vm.Thread, name string, from *value.Module) (*value.Module, error) {
	src := im.sourceOf(from)
	if src == nil {
		src = &source{fsys: im.rt.opts.ImportFS, id: "importfs"}
	}
	file := strings.TrimPrefix(strings.TrimPrefix(name, "//"), ":")
	if !fs.ValidPath(file) {
		return nil, value.Errorf(value.ExcImportError, "cannot load %s: not a path within the script's folder", name)
	}
	strict := t.Dialect == value.Strict
	if src.fsys == nil || !src.exists(file) {
		if m := strictModule(file); m != nil && strict {
			return m, nil
		}
		return nil, value.Errorf(value.ExcImportError, "cannot load %s: no such file", name)
	}
	key := src.id + ":" + file
	if m := im.at(key); m != nil {
		if im.loading[m] {
			return nil, value.Errorf(value.ExcImportError, "cannot load %s: cycle in load graph", name)
		}
		return m, nil
	}
	text, err := fs.ReadFile(src.fsys, file)
	if err != nil {
		return nil, osError(err, src.shown(file))
	}
	dialect := im.rt.opts.Dialect
	if strict { // a strict file's libraries are strict unless they say otherwise
		dialect = Starlark
	}
	prog, err := im.rt.compileAs(dialect, src.shown(file), string(text), bytecode.ExecMode, nil)
	if err != nil {
		return nil, err
	}
	m := im.newModule(src, strings.TrimSuffix(path.Base(file), path.Ext(file)), src.shown(file), false)
	im.enter(key, m)
	im.loading[m] = true
	_, err = t.Exec(prog, m)
	delete(im.loading, m)
	if err != nil {
		im.enter(key, nil)
		return nil, err
	}
	if prog.Options.Dialect == syntax.Starlark {
		m.Freeze() // as Starlark has it
	}
	return m, nil
}

// compile takes source text to a verified program.
func (rt *Runtime) compile(file, text string, mode bytecode.Mode) (*bytecode.Program, error) {
	return rt.compileAs(rt.opts.Dialect, file, text, mode, nil)
}

// compileAs compiles a text whose dialect, if it does not say itself, is d. edit, if
// not nil, may change the tree first.
func (rt *Runtime) compileAs(d Dialect, file, text string, mode bytecode.Mode, edit func(*syntax.Module)) (*bytecode.Program, error) {
	opts := syntax.Options{}
	if d == Starlark {
		opts.Dialect = syntax.Starlark
	}
	opts, serr := syntax.SourceOptions(text, opts)
	if serr != nil {
		serr.File = file
		return nil, syntaxError(serr, text)
	}
	tree, serr := syntax.Parse(file, text, opts)
	if serr != nil {
		return nil, syntaxError(serr, text)
	}
	if edit != nil {
		edit(tree)
	}
	env := resolve.Env{}
	if opts.Dialect == syntax.Starlark {
		universe := value.Universe(value.Strict)
		env.IsUniversal = func(n string) bool { _, ok := universe[n]; return ok }
		env.IsPredeclared = func(n string) bool { _, ok := rt.machine.StrictPredeclared[n]; return ok }
	}
	if errs := resolve.Module(tree, env); len(errs) > 0 {
		return nil, syntaxError(errs[0], text)
	}
	if !shipped(file) {
		rt.dump.tree(tree)
	}
	prog, err := bytecode.Compile(tree, text, mode)
	if err != nil {
		if se, ok := err.(*syntax.Error); ok {
			return nil, syntaxError(se, text)
		}
		return nil, err
	}
	if !shipped(file) {
		rt.dump.program(prog)
		if rt.tracer != nil && differentiatesTwice(text) {
			rt.tracer.Twice()
		}
	}
	return prog, nil
}

// differentiatesTwice reports a text that names what makes backward passes that can be differentiated again.
func differentiatesTwice(text string) bool {
	return strings.Contains(text, "create_graph") || strings.Contains(text, "gradgradcheck")
}

// shipped reports the name of a file that comes with Larkspur; <string> is none.
func shipped(file string) bool {
	return strings.HasPrefix(file, "<") && (strings.HasSuffix(file, ".star>") || strings.HasSuffix(file, ".py>"))
}

// syntaxError is the exception for a fault in the text.
func syntaxError(e *syntax.Error, text string) error {
	cls := value.ExcSyntaxError
	switch e.Kind {
	case syntax.IndentationError:
		cls = value.ExcIndentationError
	case syntax.TabError:
		cls = value.ExcTabError
	}
	r := value.Errorf(cls, "%s", e.Msg)
	r.Host = &sourceError{e, text}
	return r
}

// sourceError keeps the place of a fault in the text beside the exception.
type sourceError struct {
	fault *syntax.Error
	text  string
}

func (e *sourceError) Error() string { return e.fault.Error() }
func (e *sourceError) Unwrap() error { return e.fault }

// dirSource is the tree of files beside a script.
func dirSource(dir string) *source {
	return &source{fsys: os.DirFS(dir), dir: dir, id: "dir:" + dir}
}
