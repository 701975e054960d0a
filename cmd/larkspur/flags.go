package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/larkspur-ml/larkspur"
	"github.com/larkspur-ml/larkspur/device/cuda"
	"github.com/larkspur-ml/larkspur/repl"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// flags are what run and repl have in common.
type flags struct {
	jit        string
	target     string
	starlark   bool
	dump       []string
	allowRead  []string
	allowWrite []string
	allowEnv   bool
	threads    int
	memory     string
	kernels    string
	heap       string
	steps      uint64
	recursion  int
}

// anywhere is what a bare --allow-read or --allow-write grants.
const anywhere = "/"

func (f *flags) register(cmd *cobra.Command) {
	p := cmd.Flags()
	p.StringVar(&f.jit, "jit", "off", "what is captured in graphs beside torch.compile: `MODE` off, auto (what is hot) or sync (what runs twice)")
	p.StringVar(&f.target, "target", "auto", "how kernels run: portable, avx2, avx512 or auto")
	p.BoolVar(&f.starlark, "starlark", false, "strict Starlark, as go.starlark.net defines it")
	p.StringArrayVar(&f.dump, "dump", nil, "print a stage, `STAGE[:FUNC]`: "+strings.Join(larkspur.DumpStages, ", "))
	p.StringArrayVar(&f.allowRead, "allow-read", nil, "let the program read under `DIR`, written --allow-read=DIR (without =DIR: all files)")
	p.StringArrayVar(&f.allowWrite, "allow-write", nil, "let the program write under `DIR`, written --allow-write=DIR (without =DIR: the working directory)")
	p.Lookup("allow-read").NoOptDefVal = anywhere
	p.Lookup("allow-write").NoOptDefVal = "."
	p.BoolVar(&f.allowEnv, "allow-env", false, "let the program read environment variables")
	p.IntVar(&f.threads, "threads", 0, "goroutines that a kernel may use (default: the processors)")
	p.StringVar(&f.memory, "memory-limit", "", "`BYTES` of live tensors, such as 512M or 4G")
	p.StringVar(&f.heap, "heap-limit", "", "`BYTES` of all objects (default: seven eighths of the machine's memory)")
	p.StringVar(&f.kernels, "kernel-cache", "", "`FOLDER` in which code made for a GPU is kept for the next run")
	p.Uint64Var(&f.steps, "step-limit", 0, "calls and loop rounds that the program may make")
	p.IntVar(&f.recursion, "recursion-limit", 0, "depth of calls (default 1000)")
}

// options are the Runtime's for a script and its arguments. Running a script
// grants the clock, and reading its folder, the working directory and every path
// among the arguments.
func (f *flags) options(script string, args []string) (larkspur.Options, error) {
	o := larkspur.Options{
		Stdout: os.Stdout, Stderr: os.Stderr, Stdin: os.Stdin,
		Args:    append([]string{script}, args...),
		Threads: f.threads, StepLimit: f.steps, RecursionLimit: f.recursion,
		Dump: f.dump, DumpTo: os.Stdout,
		Target:  larkspur.Target(f.target),
		Devices: cuda.New(cuda.Options{CacheDir: f.kernels, NoBLAS: os.Getenv("LARKSPUR_CUBLASLT") == "off"}),
	}
	if f.threads < 0 {
		return o, fmt.Errorf("--threads=%d: it cannot be negative", f.threads)
	}
	if f.recursion < 0 {
		return o, fmt.Errorf("--recursion-limit=%d: it cannot be negative", f.recursion)
	}
	if err := binary.Read(rand.Reader, binary.LittleEndian, &o.Seed); err != nil { // as PyTorch does; torch.manual_seed fixes it
		return o, err
	}
	switch f.jit {
	case "off":
	case "sync":
		o.JIT = larkspur.JITSync
	case "auto":
		o.JIT = larkspur.JITAuto
	default:
		return o, fmt.Errorf("--jit=%s: there is no such mode; there are off, sync and auto", f.jit)
	}
	if f.starlark {
		o.Dialect = larkspur.Starlark
	}
	if f.memory != "" {
		n, err := byteCount(f.memory)
		if err != nil {
			return o, fmt.Errorf("--memory-limit=%s: %w", f.memory, err)
		}
		o.MemoryLimit = n
	}
	o.HeapLimit = heapLimit()
	if f.heap != "" {
		n, err := byteCount(f.heap)
		if err != nil {
			return o, fmt.Errorf("--heap-limit=%s: %w", f.heap, err)
		}
		o.HeapLimit = n
	}
	g := &o.Grants
	g.Clock, g.Env = true, f.allowEnv
	g.Read = append(g.Read, ".")
	if script != "" {
		g.Read = append(g.Read, filepath.Dir(script))
	}
	for _, a := range args {
		if _, v, ok := strings.Cut(a, "="); ok && strings.HasPrefix(a, "-") {
			a = v
		}
		if _, err := os.Stat(a); err == nil {
			g.Read = append(g.Read, a)
		}
	}
	g.Read = append(g.Read, f.allowRead...)
	g.Write = append(g.Write, f.allowWrite...)
	if term.IsTerminal(int(os.Stdout.Fd())) {
		g.Terminal = 80
		if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && w > 0 {
			g.Terminal = w
		}
	}
	return o, nil
}

// byteCount reads 1048576, 512K, 64M or 4G.
func byteCount(s string) (int64, error) {
	unit := int64(1)
	switch {
	case strings.HasSuffix(s, "K"):
		unit = 1 << 10
	case strings.HasSuffix(s, "M"):
		unit = 1 << 20
	case strings.HasSuffix(s, "G"):
		unit = 1 << 30
	}
	if unit > 1 {
		s = s[:len(s)-1]
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 || n > 1<<62/unit {
		return 0, fmt.Errorf("not a number of bytes")
	}
	return n * unit, nil
}

func (f *flags) repl(ctx context.Context) error {
	o, err := f.options("", nil)
	if err != nil {
		return err
	}
	c := repl.Config{Options: o, Banner: "Larkspur " + version() + "; Ctrl-D leaves"}
	if home, err := os.UserHomeDir(); err == nil {
		c.HistoryFile = filepath.Join(home, ".larkspur_history")
	}
	return repl.Run(ctx, c)
}
