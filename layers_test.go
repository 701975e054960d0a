package larkspur

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

const modulePath = "github.com/larkspur-ml/larkspur/"

// layers is the package map as a policy: what each package may import from this module. Names left of the
// arrow inherit nothing; every import is written out, so that a new edge in the architecture is a change to this
// table that a reviewer sees. A package that is absent may not exist.
var layers = map[string]string{
	"lang/syntax":             "",
	"lang/resolve":            "lang/syntax",
	"lang/elementary":         "",
	"lang/value":              "lang/elementary lang/syntax",
	"bytecode":                "lang/syntax lang/resolve",
	"bytecode/vm":             "bytecode lang/value lang/syntax lang/resolve",
	"tensor/sym":              "",
	"tensor":                  "tensor/sym",
	"inductor/loop":           "tensor tensor/sym",
	"inductor/random":         "",
	"inductor/asm":            "",
	"inductor/amd64":          "inductor/loop inductor/asm tensor",
	"op":                      "inductor/loop tensor tensor/sym",
	"graph":                   "op tensor tensor/sym inductor/loop",
	"inductor/ptx":            "inductor/loop inductor/random tensor tensor/sym device",
	"inductor/ptx/sim":        "inductor/ptx device tensor",
	"device":                  "tensor",
	"device/cuda":             "device tensor",
	"device/cpu":              "device tensor",
	"eager":                   "graph op tensor tensor/sym device inductor/loop inductor/random",
	"guards":                  "lang/value tensor tensor/sym",
	"tracer":                  "bytecode/vm bytecode lang/value guards graph op eager tensor tensor/sym",
	"inductor":                "graph op inductor/loop inductor/random tensor tensor/sym device",
	"stdlib/torch":            "op eager device lang/value tensor tensor/sym graph inductor/random inductor/loop",
	"stdlib/nn":               "",
	"stdlib/optim":            "",
	"stdlib/utils":            "",
	"stdlib/py":               "lang/elementary lang/value",
	"repl":                    ". lang/syntax lang/value",
	"cmd/larkspur":            ". repl op device/cuda",
	"bench":                   ". device/cpu inductor/amd64 inductor/asm",
	"bench/guards":            ". tracer eager bytecode bytecode/vm lang/syntax lang/resolve lang/value",
	"bench/lang":              ".",
	"conformance/starlark":    ". bytecode bytecode/vm lang/syntax lang/resolve lang/value",
	"conformance/python":      ".",
	"conformance/corpus":      ". bytecode lang/syntax lang/resolve",
	"conformance/torch":       ". op eager graph inductor inductor/loop tensor tensor/sym device device/cpu inductor/random",
	"conformance/nn":          ".",
	"conformance/models":      ".",
	"conformance/safetensors": ".",
	".":                       "tracer guards inductor/amd64 lang/syntax lang/resolve lang/value bytecode bytecode/vm tensor tensor/sym op graph device device/cpu eager inductor inductor/loop inductor/ptx inductor/amd64 inductor/random stdlib/torch stdlib/nn stdlib/optim stdlib/utils stdlib/py",
}

// external lists the third-party packages and who may import them (a prefix of the importing package's path).
var external = map[string][]string{
	"go.starlark.net":              {"tracer", "lang/value", "bytecode", "stdlib/py", "conformance/starlark", "bench/lang", "."},
	"github.com/chzyer/readline":   {"repl"},
	"github.com/spf13/cobra":       {"cmd/larkspur"},
	"golang.org/x/term":            {"repl", "cmd/larkspur", "stdlib/py"},
	"github.com/dlclark/regexp2/":  {"stdlib/py"},
	"github.com/creack/pty":        {"repl"},
	"golang.org/x/text":            {"lang/syntax", "lang/value", "stdlib/py"},
	"golang.org/x/sys":             {"stdlib/py", "inductor/amd64", "device/cpu", "cmd/larkspur"},
	"github.com/ebitengine/purego": {"device/cuda"},
}

// TestLayers holds every non-test file's imports against the table.
func TestLayers(t *testing.T) {
	seen := map[string]map[string]string{} // package -> import -> file
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "bin" || name == "tools") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		if seen[pkg] == nil {
			seen[pkg] = map[string]string{}
		}
		for _, spec := range f.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			seen[pkg][imp] = path
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	pkgs := make([]string, 0, len(seen))
	for pkg := range seen {
		pkgs = append(pkgs, pkg)
	}
	sort.Strings(pkgs)
	for _, pkg := range pkgs {
		allowed, ok := layers[pkg]
		if !ok {
			t.Errorf("package %s is not in the package map", pkg)
			continue
		}
		list := strings.Fields(allowed)
		for imp, file := range seen[pkg] {
			switch {
			case imp == strings.TrimSuffix(modulePath, "/"):
				if !slices.Contains(list, ".") {
					t.Errorf("%s: %s may not import the root package", file, pkg)
				}
			case strings.HasPrefix(imp, modulePath):
				if rel := strings.TrimPrefix(imp, modulePath); !slices.Contains(list, rel) {
					t.Errorf("%s: %s may not import %s", file, pkg, rel)
				}
			case strings.Contains(strings.SplitN(imp, "/", 2)[0], "."):
				if !externalAllowed(pkg, imp) {
					t.Errorf("%s: %s may not import %s", file, pkg, imp)
				}
			}
		}
	}
}

func externalAllowed(pkg, imp string) bool {
	for prefix, users := range external {
		if imp != strings.TrimSuffix(prefix, "/") && !strings.HasPrefix(imp, strings.TrimSuffix(prefix, "/")+"/") {
			continue
		}
		for _, u := range users {
			if pkg == u || u != "." && strings.HasPrefix(pkg, u+"/") {
				return true
			}
		}
	}
	return false
}
