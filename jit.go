package larkspur

import (
	"fmt"

	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/tracer"
)

// autoThreshold is how many calls or rounds make code hot under JITAuto.
const autoThreshold = 16

// record sets the tracer up, unless the mode is JITOff.
func (rt *Runtime) record(c graph.Compiler) {
	if rt.opts.JIT == JITOff {
		return
	}
	o := tracer.Options{Compiler: c, Context: rt.torch.Context, Wrap: rt.torch.Wrap, Dump: rt.dump.recording(), Warn: rt.warn}
	if rt.opts.JIT == JITAuto {
		o.Threshold, o.Background = autoThreshold, true
	}
	if rt.opts.recording != nil {
		rt.opts.recording(&o)
	}
	rt.tracer = tracer.New(o)
}

// observe makes a thread record.
func (rt *Runtime) observe(th *vm.Thread) {
	if rt.tracer != nil {
		rt.tracer.Attach(th)
	}
}

// warn prints a line where warnings go.
func (rt *Runtime) warn(line string) {
	if rt.opts.Stderr != nil {
		fmt.Fprintln(rt.opts.Stderr, line)
	}
}

// Explain reports what was recorded so far, of one file or ("") of all: regions
// with their graphs, guards that failed, and graph breaks with their places. It is
// to be called while nothing runs.
func (rt *Runtime) Explain(file string) string {
	if rt.tracer == nil {
		return "nothing is recorded: compilation is off\n"
	}
	return rt.tracer.Explain(file)
}
