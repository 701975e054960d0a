package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/larkspur-ml/larkspur"
	"github.com/larkspur-ml/larkspur/repl"
	"github.com/spf13/cobra"
)

func runCommand() *cobra.Command {
	var f flags
	var code string
	cmd := &cobra.Command{
		Use:   "run [flags] FILE [argument …]",
		Short: "Run a script",
		Long:  "Run a script, or with - what standard input has. Flags stand before FILE; all that follows FILE is the script's.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("code") {
				return f.run(cmd.Context(), codeProgram(code), args)
			}
			if len(args) == 0 {
				return errors.New("run needs a FILE, or - for standard input")
			}
			return f.run(cmd.Context(), fileProgram(args[0]), args[1:])
		},
	}
	f.register(cmd)
	cmd.Flags().StringVarP(&code, "code", "c", "", "run `CODE` instead of a file")
	cmd.Flags().SetInterspersed(false) // what follows FILE is the script's
	return cmd
}

// program is what run runs.
type program struct {
	argv0 string
	file  string // as tracebacks name it
	load  func(ctx context.Context, rt *larkspur.Runtime) error
}

func fileProgram(name string) program {
	if name == "-" {
		return program{"-", "<stdin>", func(ctx context.Context, rt *larkspur.Runtime) error {
			code, err := io.ReadAll(os.Stdin)
			if err != nil {
				return cannotOpen("-", err)
			}
			_, err = rt.RunString(ctx, "<stdin>", string(code))
			return err
		}}
	}
	return program{name, name, func(ctx context.Context, rt *larkspur.Runtime) error {
		_, err := rt.RunFile(ctx, name)
		return err
	}}
}

func codeProgram(code string) program {
	return program{"-c", "<string>", func(ctx context.Context, rt *larkspur.Runtime) error {
		_, err := rt.RunString(ctx, "<string>", code)
		return err
	}}
}

func (f *flags) run(ctx context.Context, p program, args []string) error {
	_, err := f.start(ctx, p, args, false)
	return err
}

// start runs a program to its end; keep is for those who ask afterwards what was
// recorded. The Runtime is nil if it could not be made.
func (f *flags) start(ctx context.Context, p program, args []string, keep bool) (*larkspur.Runtime, error) {
	o, err := f.options(p.argv0, args)
	if err != nil {
		return nil, err
	}
	o.KeepRecordings = keep
	rt, err := larkspur.New(o)
	if err != nil {
		return nil, err
	}
	defer repl.Interrupts(rt, nil)()
	err = p.load(ctx, rt)
	for _, m := range rt.Undumped() {
		fmt.Fprintln(os.Stderr, "larkspur:", m)
	}
	var e *larkspur.Error
	if errors.As(err, &e) && e.Type == "PermissionError" {
		for _, a := range args {
			if strings.HasPrefix(a, "--allow-") {
				return rt, &hinted{err, fmt.Sprintf("%s stands behind %s and so is the script's argument; larkspur's flags stand before it", a, p.argv0)}
			}
		}
	}
	return rt, err
}

// hinted is an error with a line of advice.
type hinted struct {
	error
	hint string
}

func (h *hinted) Unwrap() error { return h.error }

// root is larkspur without a command: code given by -c, or the prompt.
func (f *flags) root(ctx context.Context, code string, given bool, args []string) error {
	switch {
	case given:
		return f.run(ctx, codeProgram(code), args)
	case len(args) == 0:
		return f.repl(ctx)
	}
	name := args[0]
	if _, err := os.Stat(name); err == nil || filepath.Ext(name) == ".py" || filepath.Ext(name) == ".star" || name == "-" {
		return fmt.Errorf("there is no command %q; did you mean: larkspur run %s", name, name)
	}
	return fmt.Errorf("there is no command %q; larkspur --help lists them", name)
}
