package larkspur

import (
	"slices"
	"strings"

	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/syntax"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// lazyMark is a line of a file that comes with Larkspur whose relative imports at
// the top level wait until their names are asked for: torch.nn has 40 files, and a
// program that needs one layer should not compile them all. The names may not be
// used by the file's own code.
const lazyMark = "\n# imports: lazy\n"

// lazyName is what a lazy import binds: an attribute of a module (attr is empty for
// the module itself).
type lazyName struct {
	module string
	level  int
	attr   string
}

// lazyNames takes the relative imports at the top level out of a tree, and gives the
// names that they bind. In a package the modules that they name are among them.
func lazyNames(tree *syntax.Module, pkg bool) map[string]lazyName {
	names := map[string]lazyName{}
	tree.Body = slices.DeleteFunc(tree.Body, func(s syntax.Stmt) bool {
		from, ok := s.(*syntax.ImportFrom)
		if !ok || from.Level != 1 {
			return false
		}
		first, _, _ := strings.Cut(from.Module, ".")
		if _, taken := names[first]; pkg && first != "" && !taken {
			names[first] = lazyName{module: first, level: 1}
		}
		for _, a := range from.Names {
			bound := a.Name
			if a.HasAs {
				bound = a.Bind.ID
			}
			if from.Module == "" {
				names[bound] = lazyName{module: a.Name, level: 1}
			} else {
				names[bound] = lazyName{module: from.Module, level: 1, attr: a.Name}
			}
		}
		return true
	})
	return names
}

// serve makes m answer for names that are imported when they are first asked for,
// and for its submodules.
func (im *importer) serve(m *value.Module, names map[string]lazyName, submodule func(name string) bool) {
	m.Lazy = func(t *value.Thread, name string) (value.Value, bool, error) {
		from, ok := names[name]
		if !ok {
			if !submodule(name) {
				return value.Value{}, false, nil
			}
			from = lazyName{module: name, level: 1}
		}
		mod, err := im.Import(vm.ThreadOf(t), from.module, from.level, m)
		if err != nil {
			return value.Value{}, false, err
		}
		if from.attr == "" {
			return mod.Value(), true, nil
		}
		v, err := value.GetAttr(t, mod.Value(), from.attr)
		return v, err == nil, err
	}
	for name := range names {
		m.LazyNames = append(m.LazyNames, name)
	}
	slices.Sort(m.LazyNames)
	load := func(t *value.Thread) error {
		for _, name := range m.LazyNames {
			if _, err := value.GetAttr(t, m.Value(), name); err != nil {
				return err
			}
		}
		return nil
	}
	m.LoadAll = load
	im.mu.Lock()
	im.lazy = append(im.lazy, func(t *vm.Thread) error {
		if m.Flags&value.FlagFrozen != 0 {
			return nil
		}
		return load(&t.Thread)
	})
	im.mu.Unlock()
}

// settle imports what lazy imports still owe: what is frozen cannot take it later.
func (im *importer) settle(t *vm.Thread) error {
	for {
		im.mu.Lock()
		todo := im.lazy
		im.lazy = nil
		im.mu.Unlock()
		if len(todo) == 0 {
			return nil
		}
		for _, load := range todo {
			if err := load(t); err != nil {
				return err
			}
		}
	}
}
