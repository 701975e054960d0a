package larkspur

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tracer"
)

// overLimit is what call says where the interpreted side ran over the step limit:
// there the two need not agree.
const overLimit = "over the limit"

// twins are two runtimes that run the same program: one interprets, one records.
type twins struct {
	rt     [2]*Runtime
	mod    [2]*Module
	out    [2]bytes.Buffer
	opts   tracer.Options // of the recording side, as New sets it up
	calls  int
	raises int // calls that raised, interpreted
	last   string
	texts  [2]string // what the latest call came to
}

// bareTwins are twins without a program.
func bareTwins(target [2]Target) (*twins, error) {
	w := &twins{}
	for i := range w.rt {
		o := Options{Stdout: &w.out[i], StepLimit: 20000, RecursionLimit: 200, Threads: 1, Target: target[i]}
		if i == 1 {
			o.JIT = JITSync
			o.recording = func(o *tracer.Options) {
				o.Plain = true
				o.Warn = func(line string) { panic("a fault of ours: " + line) }
				w.opts = *o
			}
		}
		rt, err := New(o)
		if err != nil {
			return nil, err
		}
		w.rt[i] = rt
	}
	return w, nil
}

// renew gives both a new thread, and the recording one a new tracer: nothing of
// an earlier program is left but compiled kernels and the library's modules.
func (w *twins) renew(change func(*tracer.Options)) {
	w.calls, w.raises, w.last = 0, 0, ""
	for i, rt := range w.rt {
		w.out[i].Reset()
		if i == 1 {
			o := w.opts
			if change != nil {
				change(&o)
			}
			rt.tracer = tracer.New(o)
		}
		rt.main = rt.newThread()
		rt.main.Delivered = rt.delivered
		rt.torch.Prepare(&rt.main.Thread)
	}
}

// load runs a program's parts, one after the other, as one module in both.
func (w *twins) load(parts ...*bytecode.Program) error {
	for i, rt := range w.rt {
		m := value.NewModule("prog")
		m.File = "prog.py"
		w.mod[i] = &Module{rt: rt, m: m}
		for _, p := range parts {
			if err := rt.on(context.Background(), func(th *vm.Thread) error {
				_, err := th.Exec(p, m)
				return err
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

func newTwins(t testing.TB, src string, change func(*tracer.Options)) *twins {
	t.Helper()
	w, err := bareTwins([2]Target{})
	if err != nil {
		t.Fatal(err)
	}
	w.renew(change)
	if differentiatesTwice(src) {
		w.rt[1].tracer.Twice()
	}
	p, err := w.rt[0].compile("prog.py", src, bytecode.ExecMode)
	if err == nil {
		err = w.load(p)
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
	return w
}

// call calls a function in both and compares result, exception, output and all
// that the module reaches. "" means equal.
func (w *twins) call(name string) (diff string) {
	var got [2]string
	w.calls++
	for i := range w.rt {
		w.out[i].Reset()
		f, err := w.mod[i].Func(name)
		if err != nil {
			return overLimit // a mutation may take it away
		}
		res, err := f.call(context.Background())
		if th := w.rt[0].main; i == 0 && th.StepLimit != w.rt[0].opts.StepLimit {
			return overLimit // also where the program has caught it
		}
		text := ""
		if err != nil {
			text = lastLine(err.Error())
			if strings.Contains(err.Error(), "goroutine") {
				text = strings.ReplaceAll(err.Error(), "\n", "|")
			}
			if i == 0 {
				w.raises++
			}
		}
		got[i] = "raised " + text + "\n" + w.out[i].String() + "\n" + dumpState(w.rt[i], w.mod[i], res)
	}
	w.last, w.texts = got[0], got
	return compareText(got[0], got[1])
}

func lastLine(s string) string {
	l := strings.Split(strings.TrimSpace(s), "\n")
	return l[len(l)-1]
}

func compareText(a, b string) string {
	if a == b {
		return ""
	}
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range la {
		if i >= len(lb) || la[i] != lb[i] {
			x := ""
			if i < len(lb) {
				x = lb[i]
			}
			return fmt.Sprintf("interpreted: %s\nrecorded:    %s", la[i], x)
		}
	}
	return "recorded: " + strings.Join(lb[len(la):], "\n")
}

// exec runs statements in both modules.
func (w *twins) exec(src string) string {
	var got [2]string
	p, err := compiled(w.rt[0], "mutation.py", src+"\n")
	if err != nil {
		return err.Error()
	}
	for i, rt := range w.rt {
		err := rt.on(context.Background(), func(th *vm.Thread) error {
			_, err := th.Exec(p, w.mod[i].m)
			return err
		})
		if err != nil {
			got[i] = lastLine(err.Error())
		}
	}
	return compareText(got[0], got[1])
}

var programs sync.Map // of texts that are run again and again

func compiled(rt *Runtime, file, src string) (*bytecode.Program, error) {
	if p, ok := programs.Load(src); ok {
		return p.(*bytecode.Program), nil
	}
	p, err := rt.compile(file, src, bytecode.ExecMode)
	if err != nil {
		return nil, err
	}
	programs.Store(src, p)
	return p, nil
}

// watched runs f, and ends the process with text and all stacks if it takes too
// long: Go code that hangs cannot be stopped.
func watched(limit time.Duration, text func() string, f func()) {
	t := time.AfterFunc(limit, func() {
		stacks := make([]byte, 1<<16)
		stacks = stacks[:runtime.Stack(stacks, true)]
		panic(fmt.Sprintf("no end after %s of\n%s\n%s", limit, text(), stacks))
	})
	defer t.Stop()
	f()
}
