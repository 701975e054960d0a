package repl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"github.com/chzyer/readline"
	"github.com/larkspur-ml/larkspur"
	"golang.org/x/term"
)

// Config is what a prompt runs on.
type Config struct {
	Options larkspur.Options
	// HistoryFile keeps inputs between sessions; "" keeps none.
	HistoryFile string
	// Stdin and Stdout are the terminal; nil means the process's. With a Stdin
	// that is no terminal, inputs are read without prompts or editing.
	Stdin  *os.File
	Stdout io.Writer
	Stderr io.Writer
	// Banner is printed first at a terminal.
	Banner string
}

const (
	prompt     = ">>> "
	promptMore = "... "
	newline    = "⏎" // stands for a line end inside a history entry
)

// Run reads and runs inputs until the end of input, ctx's end, or SystemExit,
// whose error it returns.
func Run(ctx context.Context, c Config) error {
	if c.Stdin == nil {
		c.Stdin = os.Stdin
	}
	if c.Stdout == nil {
		c.Stdout = os.Stdout
	}
	if c.Stderr == nil {
		c.Stderr = os.Stderr
	}
	c.Options.Stdout, c.Options.Stderr = c.Stdout, c.Stderr
	c.Options.KeepRecordings = true // for :graph
	rt, err := larkspur.New(c.Options)
	if err != nil {
		return err
	}
	p := &loop{ctx: ctx, rt: rt, s: rt.NewSession(), out: c.Stdout, err: c.Stderr, colours: coloured(c.Stderr), first: prompt, more: promptMore}
	if !term.IsTerminal(int(c.Stdin.Fd())) {
		return p.plain(c.Stdin)
	}
	return p.edited(c)
}

// loop is one running prompt.
type loop struct {
	ctx   context.Context
	rt    *larkspur.Runtime
	s     *larkspur.Session
	out   io.Writer
	err   io.Writer
	count int
	quit  func() // leaves the terminal as it was

	colours     bool   // in tracebacks
	first, more string // prompts
}

// execute runs one input; the error is that of SystemExit, or of a cancelled ctx.
func (p *loop) execute(src string) error {
	if isCommand(src) {
		p.command(src)
		return nil
	}
	p.count++
	stop := Interrupts(p.rt, p.quit)
	err := p.s.Run(p.ctx, fmt.Sprintf("<input %d>", p.count), src)
	stop()
	var e *larkspur.Error
	if !errors.As(err, &e) {
		return err
	}
	if _, ok := e.ExitCode(); ok {
		return e
	}
	if p.ctx.Err() != nil {
		return e
	}
	p.traceback(e)
	return nil
}

func (p *loop) traceback(e *larkspur.Error) {
	text := e.Traceback()
	if p.colours {
		text = paint(text)
	}
	fmt.Fprint(p.err, text)
}

// plain reads inputs from a file or pipe.
func (p *loop) plain(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	var block strings.Builder
	for {
		more := lines.Scan()
		if more {
			block.WriteString(lines.Text() + "\n")
		}
		src := block.String()
		if more && !isCommand(src) && p.s.NeedsMore(src) {
			continue
		}
		block.Reset()
		if strings.TrimSpace(src) != "" {
			if err := p.execute(src); err != nil {
				return err
			}
		}
		if !more {
			return lines.Err()
		}
	}
}

// edited reads inputs from a terminal.
func (p *loop) edited(c Config) error {
	paste := newPasteReader(c.Stdin)
	raw := &rawMode{fd: int(c.Stdin.Fd())}
	if coloured(c.Stdout) {
		p.first, p.more = promptHue+prompt+plainText, promptHue+promptMore+plainText
	}
	var editor atomic.Pointer[readline.Instance]
	rl, err := readline.NewEx(&readline.Config{
		Prompt:                 p.first,
		HistoryFile:            c.HistoryFile,
		HistoryLimit:           2000,
		DisableAutoSaveHistory: true,
		AutoComplete:           &completer{p.s},
		InterruptPrompt:        "\n",
		EOFPrompt:              "\n",
		Stdin:                  paste,
		FuncIsTerminal:         func() bool { return true },
		FuncGetWidth:           func() int { return columns(c.Stdin) },
		FuncFilterInputRune: func(r rune) (rune, bool) {
			// Ctrl-C drops the line also where it stands above a list of completions,
			// which readline alone would only close.
			if rl := editor.Load(); rl != nil && r == readline.CharInterrupt && rl.Operation.IsInCompleteMode() {
				rl.Operation.ExitCompleteMode(true)
				rl.Operation.Refresh()
			}
			return r, true
		},
		FuncMakeRaw: raw.enter,
		FuncExitRaw: raw.leave,
		Stdout:      c.Stdout,
		Stderr:      c.Stderr,
	})
	if err != nil {
		return err
	}
	defer rl.Close()
	editor.Store(rl)
	fmt.Fprint(c.Stdout, bracketPaste)
	p.quit = func() { fmt.Fprint(c.Stdout, unbracketPaste) }
	defer p.quit()
	if c.Banner != "" {
		fmt.Fprintln(c.Stdout, c.Banner)
	}
	for p.ctx.Err() == nil {
		src, err := p.block(rl)
		switch {
		case errors.Is(err, readline.ErrInterrupt):
			fmt.Fprintln(p.err, "KeyboardInterrupt")
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if strings.TrimSpace(src) == "" {
			continue
		}
		if err := rl.SaveHistory(fold(src)); err != nil {
			fmt.Fprintln(p.err, "history:", err)
		}
		if err := p.execute(src); err != nil {
			return err
		}
	}
	return p.ctx.Err()
}

// rawMode switches a terminal between lines and keys; readline's own does so for
// the process's standard input only.
type rawMode struct {
	fd    int
	state *readline.State
}

func (r *rawMode) enter() (err error) {
	r.state, err = readline.MakeRaw(r.fd)
	return err
}

func (r *rawMode) leave() error {
	if r.state == nil {
		return nil
	}
	return readline.Restore(r.fd, r.state)
}

func columns(f *os.File) int {
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil || w <= 0 {
		return 80
	}
	return w
}

// block reads lines until they make a whole input.
func (p *loop) block(rl *readline.Instance) (string, error) {
	rl.SetPrompt(p.first)
	var b strings.Builder
	for {
		line, err := rl.Readline()
		if err != nil {
			return "", err
		}
		whole := strings.Contains(line, newline)
		b.WriteString(unfold(line) + "\n")
		src := b.String()
		if whole && !p.s.NeedsMore(src+"\n") { // a recalled or pasted block ends where it ends
			return src, nil
		}
		if isCommand(src) || !p.s.NeedsMore(src) {
			return src, nil
		}
		rl.SetPrompt(p.more)
	}
}

// fold makes one history entry of a block, and unfold undoes it.
func fold(src string) string {
	return strings.ReplaceAll(strings.TrimRight(src, "\n"), "\n", newline)
}

func unfold(line string) string { return strings.ReplaceAll(line, newline, "\n") }

// completer answers the Tab key.
type completer struct{ s *larkspur.Session }

// Do implements readline.AutoCompleter: the ends that the word before pos may get.
func (c *completer) Do(line []rune, pos int) (ends [][]rune, length int) {
	text := string(line[:pos])
	if strings.TrimSpace(unfold(text)) == "" {
		return [][]rune{[]rune("    ")}, 0
	}
	word, names := c.s.Complete(unfold(text))
	for _, n := range names {
		ends = append(ends, []rune(strings.TrimPrefix(n, word)))
	}
	return ends, len([]rune(word))
}
