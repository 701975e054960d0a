package py

import "github.com/larkspur-ml/larkspur/lang/value"

// What Python's site module puts among the builtins: exit, quit and help.

// sayer is the state of an object that says how it is used, and can be called.
type sayer struct {
	text string
	call func(t *thread, args []val, kw []value.Kwarg) (val, error)
}

func newSayer(class, text string, call func(t *thread, args []val, kw []value.Kwarg) (val, error)) val {
	c := value.NewClass(class, "_sitebuiltins")
	c.Slots = &value.Slots{
		Repr: func(_ *thread, v val) (string, error) {
			s, _ := native[*sayer](v)
			return s.text, nil
		},
		Call: func(t *thread, v val, args []val, kw []value.Kwarg) (val, error) {
			s, _ := native[*sayer](v)
			return s.call(t, args, kw)
		},
	}
	return object(c, &sayer{text, call})
}

// quitter is exit or quit: quit(code=None) raises SystemExit.
func quitter(name string) val {
	_, _, params := parseSig(name + "(code=None)")
	return newSayer("Quitter", "Use "+name+"() or Ctrl-D (i.e. EOF) to exit", func(t *thread, args []val, kw []value.Kwarg) (val, error) {
		return bind(t, name, params, args, kw, func(_ *thread, a []val) (val, error) {
			code := a[0]
			if code.IsUnset() {
				code = value.None
			}
			return val{}, value.NewRaised(value.ExcSystemExit, code)
		})
	})
}

// helper is help: help(object) is pydoc's.
func (l *Library) helper() val {
	return newSayer("_Helper", "Type help(object) for help about object.", func(t *thread, args []val, kw []value.Kwarg) (val, error) {
		if len(kw) > 0 {
			return val{}, value.TypeErrorf("help() takes no keyword arguments")
		}
		if l.Import == nil {
			return val{}, value.RuntimeErrorf("help() needs the module pydoc")
		}
		m, err := l.Import(t, "pydoc")
		if err != nil {
			return val{}, err
		}
		f, ok := m.Get("help")
		if !ok {
			panic("BUG: pydoc without help")
		}
		return value.CallAnyOrNeed(t, f, args...)
	})
}
