package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/larkspur-ml/larkspur"
)

// cpuTime: times are the process's time on processors.
var cpuTime bool

// begun is where the clock starts.
var begun = time.Now()

func clock() time.Duration {
	if cpuTime {
		return processTime()
	}
	return time.Since(begun)
}

// side is one of those that take turns.
type side interface {
	// load makes the case's program ready.
	load(text string, threads int) error
	// run takes n steps and tells how long they took.
	run(n int) (time.Duration, error)
	// probe is a few numbers of the result.
	probe() ([]float64, error)
}

// ours is Larkspur in this process.
type ours struct {
	jit    larkspur.JITMode
	target larkspur.Target
	rt     *larkspur.Runtime
	mod    *larkspur.Module
	runFn  *larkspur.Func
	stepFn *larkspur.Func // nil: run counts the steps
}

func (o *ours) load(text string, threads int) error {
	rt, err := larkspur.New(larkspur.Options{JIT: o.jit, Target: o.target, Threads: threads, Stderr: os.Stderr, Seed: 1,
		Args: []string{"case"}, Grants: larkspur.Grants{Clock: true, Read: []string{"."}}})
	if err != nil {
		return err
	}
	o.rt = rt
	if o.mod, err = rt.LoadString(context.Background(), "case.star", text); err != nil {
		return traced(err)
	}
	if o.jit != larkspur.JITOff {
		// A recorded loop would do the same work of all its rounds once.
		o.stepFn, err = o.mod.Func("step")
		return err
	}
	o.runFn, err = o.mod.Func("run")
	return err
}

func (o *ours) run(n int) (time.Duration, error) {
	start := clock()
	if o.stepFn != nil {
		ctx := context.Background()
		for range n {
			if _, err := o.stepFn.Call(ctx); err != nil {
				return 0, traced(err)
			}
		}
		return clock() - start, nil
	}
	_, err := o.runFn.Call(context.Background(), n)
	return clock() - start, traced(err)
}

func (o *ours) probe() ([]float64, error) {
	f, err := o.mod.Func("probe")
	if err != nil {
		return nil, err
	}
	r, err := f.Call(context.Background())
	if err != nil {
		return nil, traced(err)
	}
	l, ok := r.([]any)
	if !ok {
		return nil, fmt.Errorf("probe gave a %T", r)
	}
	var out []float64
	for _, v := range l {
		f, _ := v.(float64)
		out = append(out, f)
	}
	return out, nil
}

func traced(err error) error {
	var e *larkspur.Error
	if errors.As(err, &e) {
		return errors.New(e.Traceback())
	}
	return err
}

// child is a peer in a process of its own that answers lines of JSON.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

type answer struct {
	Seconds float64   `json:"seconds"`
	Probe   []float64 `json:"probe"`
	Error   string    `json:"error"`
	Version string    `json:"version"`
	Threads int       `json:"threads"`
}

func start(cmd *exec.Cmd) (*child, error) {
	c := &child{cmd: cmd}
	cmd.Stderr = io.Discard
	var err error
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewScanner(out)
	c.out.Buffer(nil, 1<<20)
	return c, cmd.Start()
}

func (c *child) ask(q map[string]any) (answer, error) {
	var a answer
	b, err := json.Marshal(q)
	if err != nil {
		return a, err
	}
	if _, err := c.in.Write(append(b, '\n')); err != nil {
		return a, err
	}
	for c.out.Scan() {
		if !bytes.HasPrefix(c.out.Bytes(), []byte("{")) {
			continue // what the program printed
		}
		if err := json.Unmarshal(c.out.Bytes(), &a); err != nil {
			return a, err
		}
		if a.Error != "" {
			return a, errors.New(a.Error)
		}
		return a, nil
	}
	return a, fmt.Errorf("the peer has ended: %v", c.out.Err())
}

func (c *child) run(n int) (time.Duration, error) {
	a, err := c.ask(map[string]any{"n": n})
	return time.Duration(a.Seconds * float64(time.Second)), err
}

func (c *child) stop() {
	c.in.Close()
	c.cmd.Wait()
}

// python is python3 with PyTorch.
type python struct{ *child }

func startPython(exe string, threads int) (*python, string, error) {
	src, err := files.ReadFile("cases/peer.py")
	if err != nil {
		return nil, "", err
	}
	cmd := exec.Command(exe, "-u", "-c", string(src))
	// Debian's torch counts one processor unless it is told.
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS="+strconv.Itoa(threads), "OPENBLAS_NUM_THREADS="+strconv.Itoa(threads))
	c, err := start(cmd)
	if err != nil {
		return nil, "", err
	}
	a, err := c.ask(map[string]any{})
	return &python{c}, a.Version, err
}

func (p *python) load(text string, threads int) error {
	_, err := p.ask(map[string]any{"text": text, "threads": threads, "file": "case.py", "cputime": cpuTime})
	return err
}

func (p *python) probe() ([]float64, error) {
	a, err := p.ask(map[string]any{"probe": true})
	return a.Probe, err
}

// onnx is ONNX Runtime under node, with a model that python3-torch exports.
type onnx struct {
	*child
	python, dir string
}

// startONNX looks for onnxruntime-node in a folder's node_modules.
func startONNX(node, python, modules string) (*onnx, string, error) {
	src, err := files.ReadFile("cases/peer.js")
	if err != nil {
		return nil, "", err
	}
	cmd := exec.Command(node, "-e", string(src))
	cmd.Dir = modules
	c, err := start(cmd)
	if err != nil {
		return nil, "", err
	}
	a, err := c.ask(map[string]any{})
	if err != nil {
		c.stop()
		return nil, "", err
	}
	dir, err := os.MkdirTemp("", "bench")
	return &onnx{c, python, dir}, a.Version, err
}

func (o *onnx) load(text string, threads int) error {
	export, err := files.ReadFile("cases/export_vad.py")
	if err != nil {
		return err
	}
	model := filepath.Join(o.dir, "vad.onnx")
	cmd := exec.Command(o.python, "-c", "import sys\nsys.argv = ['case']\n__file__ = 'case.py'\n__name__ = 'case'\nOUT = "+strconv.Quote(model)+"\n"+text+string(export))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("exporting: %s", out)
	}
	_, err = o.ask(map[string]any{"file": model, "threads": threads, "cputime": cpuTime})
	return err
}

func (o *onnx) probe() ([]float64, error) { return nil, nil }

func (o *onnx) stop() {
	o.child.stop()
	os.RemoveAll(o.dir)
}
