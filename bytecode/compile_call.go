package bytecode

import (
	"slices"
	"unicode/utf8"

	"github.com/larkspur-ml/larkspur/lang/syntax"
)

// maxArgs is how many arguments a call takes from registers; more go by a list.
const maxArgs = 200

// base returns the first register of a call's window: the wanted one if nothing
// lies behind it.
func (f *fn) base(want int) int {
	if want >= f.firstTmp && want == f.top-1 {
		return want
	}
	return f.tmp()
}

// done ends a call with its result in base.
func (f *fn) done(base, save, want int) int {
	if want < 0 {
		f.top = base + 1
		return base
	}
	f.top = save
	if want != base {
		f.emit(MOVE, want, base, 0)
	}
	return want
}

func (f *fn) call(e *syntax.Call, want int) int {
	save := f.top
	base := f.base(want)
	if f.superCall(e, base) {
		return f.done(base, save, want)
	}
	plain := len(e.Args)+len(e.Keywords) <= maxArgs
	for _, a := range e.Args {
		if _, star := a.(*syntax.Starred); star {
			plain = false
		}
	}
	var kw []string
	for _, k := range e.Keywords {
		if k.Name == "" {
			plain = false
		}
		kw = append(kw, k.Name)
	}
	if !plain {
		f.into(e.Func, base)
		f.spread(base, e.Args, e.Keywords)
		f.emit(CALLX, base, 0, 0)
		return f.done(base, save, want)
	}
	n := len(e.Args) + len(e.Keywords)
	args := func() {
		for _, a := range e.Args {
			f.into(a, f.tmp())
		}
		for _, k := range e.Keywords {
			f.into(k.Value, f.tmp())
		}
	}
	attr, method := e.Func.(*syntax.Attribute)
	switch {
	case method && f.inert(e):
		// Nothing that the arguments do can change what the attribute is, so
		// the call looks it up and no bound method is made.
		f.into(attr.X, f.tmp())
		args()
		f.atAttribute(attr, e)
		if kw != nil {
			f.emit(CALLMK, base, n, f.methodSite(attr, kw))
		} else {
			f.emit(CALLM, base, n, f.methodSite(attr, nil))
		}
	case method:
		self := f.tmp()
		x := f.operand(attr.X)
		old := f.span
		f.atAttribute(attr, attr)
		f.emit(METHOD, base, x, f.site(attr.Attr, nil))
		f.span = old
		f.top = self + 1
		args()
		f.atAttribute(attr, e)
		if kw != nil {
			f.emit(CALLBK, base, n, f.site("", kw))
		} else {
			f.emit(CALLB, base, n, 0)
		}
	default:
		f.into(e.Func, base)
		args()
		if kw != nil {
			f.emit(CALLK, base, n, f.site("", kw))
		} else {
			f.emit(CALL, base, n, 0)
		}
	}
	return f.done(base, save, want)
}

// methodSite is the site of a call that looks its method up.
func (f *fn) methodSite(a *syntax.Attribute, kw []string) int {
	i := f.site(a.Attr, kw)
	call := f.atAttribute(a, a)
	f.code.Sites[i].At = f.span
	f.span = call
	return i
}

// atAttribute places what follows at n, which is a, or a call of it: where a's name
// stands on a later line than n begins, at the name, as CPython does. It returns what f.span was.
func (f *fn) atAttribute(a *syntax.Attribute, n syntax.Node) syntax.Span {
	old := f.at(n)
	if end := a.Range().End; end.Line != f.span.Start.Line {
		f.span.Start = end
		f.span.Start.Col -= int32(utf8.RuneCountInString(a.Attr))
	}
	return old
}

// inert reports whether the arguments of a call are names, literals,
// attributes and arithmetic of them.
func (f *fn) inert(e *syntax.Call) bool {
	for _, a := range e.Args {
		if !inert(a) {
			return false
		}
	}
	for _, k := range e.Keywords {
		if !inert(k.Value) {
			return false
		}
	}
	return true
}

func inert(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Name, *syntax.Constant, *syntax.Lambda:
		return true
	case *syntax.Attribute:
		return inert(e.X)
	case *syntax.BinOp:
		return inert(e.X) && inert(e.Y)
	case *syntax.UnaryOp:
		return inert(e.X)
	case *syntax.Subscript:
		return inert(e.X) && inert(e.Index)
	case *syntax.Tuple:
		for _, x := range e.Elts {
			if !inert(x) {
				return false
			}
		}
		return true
	case *syntax.List:
		for _, x := range e.Elts {
			if !inert(x) {
				return false
			}
		}
		return true
	}
	return false
}

// superCall compiles super() as super(__class__, first parameter).
func (f *fn) superCall(e *syntax.Call, base int) bool {
	n, ok := e.Func.(*syntax.Name)
	if !ok || n.ID != "super" || len(e.Args)+len(e.Keywords) > 0 || f.asm.code.NumArgs == 0 || f.env != nil {
		return false
	}
	free := -1
	for i, v := range f.scope.Free {
		if v.Name == "__class__" {
			free = i
		}
	}
	if free < 0 || f.place(n).kind != syntax.GlobalName {
		return false
	}
	f.into(e.Func, base)
	f.emit(GETFREE, f.tmp(), 0, free)
	self := f.tmp()
	for i, c := range f.scope.Cells {
		if c.Param == 0 {
			f.emit(GETCELL, self, f.asm.code.Cells[i].Reg, 0)
			f.emit(CALL, base, 2, 0)
			return true
		}
	}
	f.check(0, f.asm.code.Locals[0])
	f.emit(MOVE, self, 0, 0)
	f.emit(CALL, base, 2, 0)
	return true
}

// spread evaluates arguments with stars: a list into base+1, a dict or None
// into base+2. The callee is in base.
func (f *fn) spread(base int, args []syntax.Expr, keywords []*syntax.Keyword) {
	list, dict := f.tmp(), f.tmp()
	f.emit(LIST, list, list, 0)
	add := func(args []syntax.Expr) {
		for _, a := range args {
			top := f.top
			if s, ok := a.(*syntax.Starred); ok {
				f.emit(LISTEXT, list, f.operand(s.X), base)
			} else {
				f.emit(LISTAPP, list, f.operand(a), 0)
			}
			f.top = top
		}
	}
	if f.starlark() {
		// Starlark evaluates *args and **kwargs last.
		n := slices.IndexFunc(args, func(a syntax.Expr) bool { _, star := a.(*syntax.Starred); return star })
		if n < 0 {
			n = len(args)
		}
		m := slices.IndexFunc(keywords, func(k *syntax.Keyword) bool { return k.Name == "" })
		if m < 0 {
			m = len(keywords)
		}
		add(args[:n])
		f.keywords(base, dict, keywords[:m])
		add(args[n:])
		if m < len(keywords) {
			if m == 0 {
				f.emit(DICT, dict, dict, 0)
			}
			f.merge(base, dict, keywords[m:])
		}
		return
	}
	add(args)
	f.keywords(base, dict, keywords)
}

// keywords evaluates keyword arguments into a dict, or None without any.
func (f *fn) keywords(base, dict int, keywords []*syntax.Keyword) {
	if len(keywords) == 0 {
		f.emit(LOADK, dict, f.constant(Constant{Kind: NoneConst}), 0)
		return
	}
	f.emit(DICT, dict, dict, 0)
	f.merge(base, dict, keywords)
}

func (f *fn) merge(base, dict int, keywords []*syntax.Keyword) {
	for _, k := range keywords {
		top := f.top
		if k.Name == "" {
			f.emit(DICTMERGE, dict, f.operand(k.Value), base)
		} else {
			// By DICTMERGE of one pair too, so that a second one is an error.
			pair := f.tmps(2)
			f.emit(LOADK, pair, f.str(k.Name), 0)
			f.into(k.Value, pair+1)
			f.emit(DICT, pair, pair, 1)
			f.emit(DICTMERGE, dict, pair, base)
		}
		f.top = top
	}
}
