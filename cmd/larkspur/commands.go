package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/larkspur-ml/larkspur"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/spf13/cobra"
)

func runCommand() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "run [flags] FILE [argument …]",
		Short: "Run a script",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
			defer stop()
			o, err := f.options(args[0], args[1:])
			if err != nil {
				return err
			}
			rt, err := larkspur.New(o)
			if err != nil {
				return err
			}
			_, err = rt.RunFile(ctx, args[0])
			return err
		},
	}
	f.register(cmd)
	cmd.Flags().SetInterspersed(false) // what follows FILE is the script's
	return cmd
}

func replCommand() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "repl",
		Short: "Read, run and print at a prompt",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.repl(cmd.Context()) },
	}
	f.register(cmd)
	return cmd
}

func disCommand() *cobra.Command {
	var starlark bool
	cmd := &cobra.Command{
		Use:   "dis FILE [FUNC]",
		Short: "Print the bytecode of a file, without running it",
		Args:  cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o := larkspur.Options{}
			if starlark {
				o.Dialect = larkspur.Starlark
			}
			text, err := os.ReadFile(args[0])
			if err != nil {
				return cannotOpen(args[0], err)
			}
			rt, err := larkspur.New(o)
			if err != nil {
				return err
			}
			fn := ""
			if len(args) > 1 {
				fn = args[1]
			}
			return rt.Disassemble(cmd.OutOrStdout(), args[0], string(text), fn)
		},
	}
	cmd.Flags().BoolVar(&starlark, "starlark", false, "strict Starlark")
	return cmd
}

func cannotOpen(name string, err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("can't open file '%s': %w", name, err)
}

func opsCommand() *cobra.Command {
	var count bool
	cmd := &cobra.Command{
		Use:   "ops [NAME]",
		Short: "List the op table",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			if count {
				names := map[string]bool{}
				for _, d := range op.All() {
					names[d.Base] = true
				}
				fmt.Fprintf(out, "%d ops, %d signatures\n", len(names), len(op.All()))
				return nil
			}
			found := false
			for _, d := range op.All() {
				if len(args) > 0 && d.Base != args[0] && d.Name != args[0] {
					continue
				}
				found = true
				fmt.Fprintln(out, d.Sig)
				if len(args) > 0 {
					fmt.Fprintln(out, "    "+d.Doc)
					if d.NoGrad != "" {
						fmt.Fprintln(out, "    no gradient: "+d.NoGrad)
					}
					if len(d.Aliases) > 0 {
						fmt.Fprintln(out, "    also: "+strings.Join(d.Aliases, ", "))
					}
				}
			}
			if !found {
				return fmt.Errorf("there is no op %q", args[0])
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&count, "count", false, "print only how many there are")
	return cmd
}

// version is the module's version, as far as the build knows it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) {
			fmt.Fprintf(cmd.OutOrStdout(), "larkspur %s %s/%s %s\n", version(), runtime.GOOS, runtime.GOARCH, runtime.Version())
		},
	}
}

// ballast raises the heap size at which the collector first runs to n·(1+GOGC/100)
// by holding n bytes that are never touched, and so never become resident.
func ballast(n int) (release func()) {
	b := make([]byte, n)
	return func() { runtime.KeepAlive(b) }
}
