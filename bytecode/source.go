package bytecode

import (
	"github.com/larkspur-ml/larkspur/lang/resolve"
	"github.com/larkspur-ml/larkspur/lang/syntax"
)

// CompileSource parses, resolves and compiles a text. The comments at its head
// may change opts (see syntax.SourceOptions). An error is a *syntax.Error, the
// first one.
func CompileSource(file, src string, opts syntax.Options, env resolve.Env, mode Mode) (*Program, error) {
	opts, e := syntax.SourceOptions(src, opts)
	if e != nil {
		e.File = file
		return nil, e
	}
	parse := syntax.Parse
	if mode == EvalMode {
		parse = syntax.ParseExpr
	}
	m, e := parse(file, src, opts)
	if e != nil {
		return nil, e
	}
	if errs := resolve.Module(m, env); len(errs) > 0 {
		return nil, errs[0]
	}
	return Compile(m, src, mode)
}
