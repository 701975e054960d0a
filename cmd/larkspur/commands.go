package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/larkspur-ml/larkspur"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func explainCommand() *cobra.Command {
	var f flags
	var all bool
	var guards int
	cmd := &cobra.Command{
		Use:   "explain [flags] FILE [argument …]",
		Short: "Run a script and report what of it was captured in graphs",
		Long: "Run a script, as run does but with --jit=sync, and print its source with what of it was captured: the graphs that begin\n" +
			"at a line, their guards, why code was recorded again, and the breaks.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("explain needs a FILE, or - for standard input")
			}
			p := fileProgram(args[0])
			rt, err := f.start(cmd.Context(), p, args[1:], true)
			if rt == nil {
				return err
			}
			var e *larkspur.Error
			if errors.As(err, &e) && e.Type == "" {
				return err // there is no program to tell of
			}
			out := cmd.OutOrStdout()
			if all {
				fmt.Fprint(out, "\n", rt.Explain(""))
				return err
			}
			fmt.Fprint(out, "\n", rt.ExplainSource(p.file, larkspur.ExplainOptions{Guards: guards, Color: term.IsTerminal(int(os.Stdout.Fd()))}))
			return err
		},
	}
	f.register(cmd)
	jit := cmd.Flags().Lookup("jit") // explain is for graphs, and sync gives the same ones in each run
	jit.DefValue, f.jit = "sync", "sync"
	cmd.Flags().BoolVar(&all, "all", false, "list every region and break, of library code too, without the source")
	cmd.Flags().IntVar(&guards, "guards", 8, "how many guards of each graph are printed")
	cmd.Flags().SetInterspersed(false)
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
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return errors.New("dis needs a FILE, and takes the name of one function in it")
			}
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
	var count, all bool
	cmd := &cobra.Command{
		Use:   "ops [NAME]",
		Short: "List the op table",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			if count {
				names, signatures := map[string]bool{}, 0
				for _, d := range op.All() {
					if all || !strings.HasPrefix(d.Base, "_") {
						names[d.Base] = true
						signatures++
					}
				}
				fmt.Fprintf(out, "%d ops, %d signatures\n", len(names), signatures)
				return nil
			}
			name := ""
			if len(args) > 0 {
				name = opName(args[0])
			}
			defs := slices.Clone(op.All())
			slices.SortStableFunc(defs, func(a, b *op.Def) int { return strings.Compare(a.Base, b.Base) })
			found := false
			for _, d := range defs {
				if name == "" && !all && strings.HasPrefix(d.Base, "_") {
					continue
				}
				if name != "" && d.Base != name && d.Name != name && !slices.Contains(d.Aliases, name) {
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
	cmd.Flags().BoolVar(&all, "all", false, "list internal ops too, whose names begin with an underscore")
	cmd.Flags().BoolVar(&count, "count", false, "print only how many there are")
	return cmd
}

// opName takes an op's name as programs write it: torch.relu, Tensor.add_.
func opName(name string) string {
	for _, prefix := range []string{"torch.nn.functional.", "torch.special.", "torch.Tensor.", "torch.", "Tensor.", "F."} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			name = rest
			break
		}
	}
	if len(op.Overloads(name)) == 0 {
		if base, ok := strings.CutSuffix(name, "_"); ok && len(op.Overloads(base)) > 0 {
			return base // the in-place form
		}
	}
	return name
}

// version is the module's version, as far as the build knows it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func versionLine() string {
	return fmt.Sprintf("larkspur %s %s/%s %s", version(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) {
			fmt.Fprintln(cmd.OutOrStdout(), versionLine())
		},
	}
}

// ballast raises the heap size at which the collector first runs to n·(1+GOGC/100)
// by holding n bytes that are never touched, and so never become resident.
func ballast(n int) (release func()) {
	b := make([]byte, n)
	return func() { runtime.KeepAlive(b) }
}
