package py_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/stdlib/py"
)

// TestImports imports every module there is, alone in a fresh machine.
func TestImports(t *testing.T) {
	names := py.New(&world{}).ModuleNames()
	fs.WalkDir(py.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".star") {
			name := strings.TrimSuffix(strings.TrimSuffix(path, ".star"), "/__init__")
			names = append(names, strings.ReplaceAll(name, "/", "."))
		}
		return err
	})
	for _, name := range names {
		if strings.HasSuffix(name, ".torch") { // needs torch
			continue
		}
		code := "import " + name + "\n"
		if name == "__future__" {
			code = "from __future__ import annotations\n"
		}
		if err := run(&world{}, "import.py", code); err != nil {
			t.Errorf("%s: %s", name, report(err))
		}
	}
}
