package syntax

import "strings"

// A Dialect is one of the two languages that the front end knows.
type Dialect uint8

const (
	Model    Dialect = iota // Python 3.11 without coroutines, plus load
	Starlark                // as go.starlark.net has it
)

func (d Dialect) String() string {
	if d == Starlark {
		return "starlark"
	}
	return "model"
}

// Options choose the dialect and, for Starlark, which of its optional features a
// file may use. The features mean nothing in the model dialect, which has them all.
type Options struct {
	Dialect Dialect

	Set             bool // set is a builtin
	While           bool // while statements
	TopLevelControl bool // if, for and while outside functions
	GlobalReassign  bool // a global may be bound more than once
	LoadBindsGlobal bool // load binds globals, not file-locals (option:loadbindsglobally)
	Recursion       bool // functions may call themselves
}

// SourceOptions derives a file's options from the comments at its head. It
// begins with opts and understands two: a first line `# dialect: starlark` (or
// `model`), and go.starlark.net's `# option:set`, one or several on a line, of
// set, while, toplevelcontrol, globalreassign, loadbindsglobally and recursion.
// An unknown name is reported, with the line it stands on, as the second result.
func SourceOptions(src string, opts Options) (Options, *Error) {
	line := int32(0)
	for len(src) > 0 {
		line++
		var text string
		text, src, _ = strings.Cut(src, "\n")
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		if text[0] != '#' {
			break
		}
		for _, word := range strings.Fields(strings.ReplaceAll(text[1:], "dialect: ", "dialect:")) {
			if name, ok := strings.CutPrefix(word, "option:"); ok {
				if !opts.set(name) {
					return opts, &Error{Msg: "unknown option: " + name, Span: Span{Start: Pos{line, 1}, End: Pos{line, 2}}}
				}
			} else if name, ok := strings.CutPrefix(word, "dialect:"); ok && line == 1 {
				switch name {
				case "starlark":
					opts.Dialect = Starlark
				case "model":
					opts.Dialect = Model
				default:
					return opts, &Error{Msg: "unknown dialect: " + name, Span: Span{Start: Pos{line, 1}, End: Pos{line, 2}}}
				}
			}
		}
	}
	return opts, nil
}

func (o *Options) set(name string) bool {
	switch name {
	case "set":
		o.Set = true
	case "while":
		o.While = true
	case "toplevelcontrol":
		o.TopLevelControl = true
	case "globalreassign":
		o.GlobalReassign = true
	case "loadbindsglobally":
		o.LoadBindsGlobal = true
	case "recursion":
		o.Recursion = true
	default:
		return false
	}
	return true
}
