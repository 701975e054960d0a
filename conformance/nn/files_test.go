package nn

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/stdlib/nn"
	"github.com/larkspur-ml/larkspur/stdlib/optim"
	"github.com/larkspur-ml/larkspur/stdlib/utils"
)

var (
	fromImport = regexp.MustCompile(`(?m)^\s*from (\.+)([\w.]*) import ([\w, ]+|\()`)
	topImport  = regexp.MustCompile(`(?m)^(?:import|from) ([a-z_]\w*)`)
)

// TestFiles checks what is embedded: each package has its __init__.star, every relative import names a file, and no
// file stands on a Python package that the runtime does not mean to have.
func TestFiles(t *testing.T) {
	known := map[string]bool{
		"torch": true, "math": true, "collections": true, "warnings": true, "copy": true, "operator": true, "bisect": true,
	}
	for name, files := range map[string]fs.FS{"nn": nn.Files, "optim": optim.Files, "utils": utils.Files} {
		count := 0
		if _, err := fs.Stat(files, "__init__.star"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		err := fs.WalkDir(files, ".", func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			count++
			src, err := fs.ReadFile(files, file)
			if err != nil {
				return err
			}
			for _, m := range fromImport.FindAllStringSubmatch(string(src), -1) {
				base := path.Dir(file)
				for range len(m[1]) - 1 {
					base = path.Dir(base)
				}
				targets := []string{strings.ReplaceAll(m[2], ".", "/")}
				if m[2] == "" {
					targets = strings.Split(m[3], ", ")
				}
				for _, target := range targets {
					target, _, _ = strings.Cut(target, " as ")
					if !hasModule(files, path.Join(base, target)) {
						t.Errorf("%s/%s: no module for %q", name, file, m[0])
					}
				}
			}
			for _, m := range topImport.FindAllStringSubmatch(string(src), -1) {
				if !known[m[1]] {
					t.Errorf("%s/%s imports %s", name, file, m[1])
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if count < 3 {
			t.Errorf("%s: only %d files embedded", name, count)
		}
	}
}

func hasModule(files fs.FS, name string) bool {
	for _, file := range []string{name + ".star", path.Join(name, "__init__.star")} {
		if _, err := fs.Stat(files, file); err == nil {
			return true
		}
	}
	return false
}
