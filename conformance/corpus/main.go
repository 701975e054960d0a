package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"time"

	"github.com/larkspur-ml/larkspur"
	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/resolve"
	"github.com/larkspur-ml/larkspur/lang/syntax"
)

// debian is where Debian puts Python packages.
const debian = "/usr/lib/python3/dist-packages"

func main() {
	packages := flag.String("packages", debian, "the folder that has torchvision and torch")
	open := flag.String("open", "", "a folder of model files OWNER/NAME/PATH")
	list := flag.String("list", "", "a file that names those files of -open to report on, one a line")
	flag.Parse()
	for _, g := range []struct{ title, dir string }{
		{"torchvision.models", filepath.Join(*packages, "torchvision", "models")},
		{"torch.nn.modules", filepath.Join(*packages, "torch", "nn", "modules")},
	} {
		report(g.title, examine(*packages, filesOf(g.dir)))
	}
	if *open != "" {
		files := filesOf(*open)
		if *list != "" {
			names, err := os.ReadFile(*list)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			files = nil
			for name := range strings.FieldsSeq(string(names)) {
				files = append(files, filepath.Join(*open, name))
			}
		}
		report("public model files", examine(*open, files))
	}
}

// A verdict is how far a file gets.
type verdict struct {
	file  string // below the root
	stage string // "imports", "compiles" or "parses" is the last that succeeded; "" none
	why   string // what stops it
}

func report(title string, all []verdict) {
	count := map[string]int{}
	for _, v := range all {
		count[v.stage]++
	}
	n := len(all)
	fmt.Printf("%s: %d files, %d parse, %d compile, %d import\n", title, n, n-count[""], n-count[""]-count["parses"], count["imports"])
	for _, v := range all {
		if v.stage != "imports" {
			fmt.Printf("  %-52s %s\n", v.file, v.why)
		}
	}
	fmt.Println()
}

// filesOf are the Python files below a folder.
func filesOf(dir string) (files []string) {
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(p, ".py") {
			files = append(files, p)
		}
		return err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	sort.Strings(files)
	return files
}

// examine looks at files below root, where imports start.
func examine(root string, files []string) (all []verdict) {
	for _, f := range files {
		rel, _ := filepath.Rel(root, f)
		v := verdict{file: filepath.ToSlash(rel)}
		text, err := os.ReadFile(f)
		if err == nil {
			v.stage, err = compile(f, string(text))
		}
		if err == nil {
			v.stage, err = "compiles", load(root, v.file)
		}
		if err == nil {
			v.stage = "imports"
		} else {
			v.why = strings.ReplaceAll(err.Error(), root+"/", "")
		}
		all = append(all, v)
	}
	return all
}

// compile takes a file through scanner, parser, resolver, compiler and verifier.
func compile(file, text string) (stage string, err error) {
	if _, e := syntax.Parse(file, text, syntax.Options{}); e != nil {
		return "", e
	}
	p, err := bytecode.CompileSource(file, text, syntax.Options{}, resolve.Env{}, bytecode.ExecMode)
	if err != nil {
		return "parses", err
	}
	return "compiles", bytecode.Verify(p)
}

var identifier = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// dotted is the name of a module, or "" if a part of its path is no name.
func dotted(parts []string) string {
	for _, p := range parts {
		if !identifier.MatchString(p) {
			return ""
		}
	}
	return strings.Join(parts, ".")
}

// load imports a file as a module of the package that its path says; a public file from
// the root of its repository.
func load(root, file string) error {
	if !strings.HasPrefix(file, "torch") {
		parts := strings.SplitN(file, "/", 3)
		root, file = filepath.Join(root, parts[0], parts[1]), parts[2]
	}
	name := strings.TrimSuffix(strings.TrimSuffix(file, ".py"), "/__init__")
	if rest, ok := strings.CutPrefix(name, "torch/"); ok {
		name = "orig/" + rest
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	rt, err := larkspur.New(larkspur.Options{
		Stdout: &out, Stderr: &out, ImportFS: corpusFS{os.DirFS(root)}, HeapLimit: 2 << 30,
		Grants: larkspur.Grants{Clock: true, Read: []string{root}},
	})
	if err != nil {
		return err
	}
	if module := dotted(strings.Split(name, "/")); module != "" {
		_, err = rt.LoadString(ctx, "import.py", "import "+module)
	} else {
		_, err = rt.LoadFile(ctx, filepath.Join(root, file))
	}
	var e *larkspur.Error
	if errors.As(err, &e) {
		at := ""
		if n := len(e.Trace); n > 0 {
			at = fmt.Sprintf(" (%s:%d)", e.Trace[n-1].File, e.Trace[n-1].Line)
		}
		if i := strings.IndexByte(e.Message, '\n'); i >= 0 {
			e.Message = e.Message[:i]
		}
		return fmt.Errorf("%s: %s%s", e.Type, e.Message, at)
	}
	return err
}

// corpusFS is the folder of packages with the replacements that doc.go names.
type corpusFS struct{ fs.FS }

func (c corpusFS) Open(name string) (fs.File, error) {
	if name == "torchvision/__init__.py" {
		return text(name, "__version__ = '0.14.1'\n"), nil
	}
	if rest, ok := strings.CutPrefix(name, "orig/"); ok {
		if strings.HasPrefix(rest, "nn/modules/") || rest == "nn/modules" {
			return c.FS.Open("torch/" + rest)
		}
		switch {
		case rest == "__init__.py":
			return text(name, "from torch import *\nimport torch\n_VF = torch\n"), nil
		case rest == "nn/__init__.py":
			return text(name, "from torch.nn import functional, init, parameter\n"), nil
		case rest == "_jit_internal.py" || rest == "nn/_reduction.py" || rest == "nn/common_types.py":
			return c.FS.Open("torch/" + rest)
		case strings.HasSuffix(rest, ".py"):
			if f, err := c.FS.Open("torch/" + rest); err != nil {
				return nil, err
			} else if err := f.Close(); err != nil {
				return nil, err
			}
			return text(name, "from torch."+strings.ReplaceAll(strings.TrimSuffix(rest, ".py"), "/", ".")+" import *\n"), nil
		}
	}
	switch name {
	case "torchvision/_internally_replaced_utils.py":
		return text(name, "from torch.hub import load_state_dict_from_url\ndef _get_extension_path(name): raise ImportError(name)\n"), nil
	case "torchvision/ops/_register_onnx_ops.py":
		return text(name, "def _register_custom_op(): pass\n"), nil
	case "torchvision/extension.py":
		return text(name, "def _has_ops(): return False\ndef _assert_has_ops(): raise RuntimeError('no C++ ops')\n"), nil
	case "torch/_torch_docs.py": // it gives functions of C++ their docstrings
		return text(name, "reproducibility_notes = {k: '' for k in ('cudnn_reproducibility_note', 'forward_reproducibility_note', "+
			"'backward_reproducibility_note', 'tf32_note')}\ntf32_notes = {'tf32_note': ''}\nsparse_support_notes = {}\n"), nil
	case "torch/_jit_internal.py": // decorators for scripting
		return text(name, "def __getattr__(name): return lambda f=None, *a, **k: f\n"), nil
	case "torchvision/transforms/functional_pil.py", "torchvision/transforms/_functional_pil.py":
		return text(name, "def __getattr__(name): return lambda *a, **k: None\n"), nil // operations of PIL
	case "PIL/__init__.py":
		return text(name, "__version__ = '9.4.0'\n"), nil
	case "PIL/Image.py":
		return text(name, "class Image: pass\nclass _Names:\n    def __getattr__(self, name): return _Names()\ndef __getattr__(name): return _Names()\n"), nil
	case "PIL/ImageColor.py", "PIL/ImageDraw.py", "PIL/ImageEnhance.py", "PIL/ImageFont.py", "PIL/ImageOps.py", "PIL/ImageFilter.py":
		return text(name, ""), nil
	}
	if strings.HasPrefix(name, "torch/") { // PyTorch's own files are none of ours
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if name == "orig" || name == "orig/nn" {
		return c.FS.Open("torch/nn")
	}
	return c.FS.Open(name)
}

// text is a file in memory.
func text(name, s string) fs.File {
	return &memFile{Reader: strings.NewReader(s), name: path.Base(name), size: int64(len(s))}
}

type memFile struct {
	*strings.Reader
	name string
	size int64
}

func (f *memFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *memFile) Close() error               { return nil }
func (f *memFile) Name() string               { return f.name }
func (f *memFile) Size() int64                { return f.size }
func (f *memFile) Mode() fs.FileMode          { return 0o444 }
func (f *memFile) ModTime() time.Time         { return time.Time{} }
func (f *memFile) IsDir() bool                { return false }
func (f *memFile) Sys() any                   { return nil }
