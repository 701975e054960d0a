// Command larkspur runs model programs, and is their prompt.
//
// Of the environment it reads HOME, where the prompt keeps its history, GOGC, and
// LARKSPUR_CUBLASLT, which may be off, and LARKSPUR_DEBUG, which adds Go's stack to an
// internal error. What programs read is granted by --allow-env.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/larkspur-ml/larkspur"
	"github.com/spf13/cobra"
)

// The collector's settings for a program that runs alone: a floor under the heap
// size spares short programs most collections (a library must not choose this).
const (
	gcPercent = 400
	gcFloor   = 64 << 20
)

func main() { os.Exit(run()) }

func run() int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
		defer ballast(gcFloor / (1 + gcPercent/100))()
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	cmd := rootCommand()
	if err := cmd.ExecuteContext(ctx); err != nil {
		return report(err)
	}
	return 0
}

// report prints an error as Python would and gives the exit status.
func report(err error) int {
	var e *larkspur.Error
	if errors.As(err, &e) {
		if code, ok := e.ExitCode(); ok {
			if code != 0 && e.Message != "" && e.Message != fmt.Sprint(code) {
				fmt.Fprintln(os.Stderr, e.Message)
			}
			return code
		}
		if e.Type == "" { // no script raised it
			fmt.Fprintln(os.Stderr, "larkspur:", e.Message)
		} else {
			fmt.Fprint(os.Stderr, e.Traceback())
		}
		if stack := larkspur.InternalStack(err); stack != nil && os.Getenv("LARKSPUR_DEBUG") != "" {
			os.Stderr.Write(stack)
		}
		var h *hinted
		if errors.As(err, &h) {
			fmt.Fprintln(os.Stderr, "larkspur:", h.hint)
		}
		if larkspur.Cancelled(err) || e.Type == "KeyboardInterrupt" {
			return 130
		}
		return 1
	}
	fmt.Fprintln(os.Stderr, "larkspur:", err)
	return 2
}

func rootCommand() *cobra.Command {
	var f flags
	var code string
	root := &cobra.Command{
		Use:           "larkspur",
		Short:         "Run PyTorch model programs without Python",
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version(),
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.root(cmd.Context(), code, cmd.Flags().Changed("code"), args)
		},
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetVersionTemplate(versionLine() + "\n")
	f.register(root)
	root.Flags().StringVarP(&code, "code", "c", "", "run `CODE`")
	root.Flags().SetInterspersed(false)
	root.AddCommand(runCommand(), explainCommand(), replCommand(), disCommand(), opsCommand(), versionCommand())
	return root
}
