// Package repl is Larkspur's prompt.
//
//	keys ──▶ paste filter ──▶ readline ──▶ lines ──▶ block ──▶ larkspur.Session ──▶ what it prints
//
// It knows terminals and the embedding API, nothing of the language's insides.
//
// An input that begins with a colon is a command (:doc, :dis, :time, :graph …; : lists
// them), and x? is :doc x.
//
// A block of several lines is one entry of the history: there and in the editor
// its line ends are shown as ⏎, so that it can be edited and run again as a
// whole. Text pasted into a terminal that brackets pastes arrives the same way
// and runs as a whole. Ctrl-C ends the statement that runs, or drops the line
// being typed; Ctrl-D on an empty line leaves.
//
// The exception that an input ended with stays in sys.last_value, and
// traceback.print_last shows it again. Prompts and tracebacks have colours on a
// terminal, unless NO_COLOR is set or TERM is dumb.
package repl
