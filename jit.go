package larkspur

import (
	"fmt"

	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/tracer"
)

// autoThreshold is how many calls or rounds make code hot under JITAuto.
const autoThreshold = 16

// record sets the tracer up. With JITOff it serves torch.compile alone.
func (rt *Runtime) record(c graph.Compiler) (err error) {
	if name := rt.opts.Backend; name != "" {
		if c, err = rt.backend(name); err != nil {
			return err
		}
	}
	o := tracer.Options{Compiler: c, Context: rt.torch.Context, Wrap: rt.torch.Wrap, Dump: rt.dump.recording(), Warn: rt.warn, Keep: rt.opts.KeepRecordings}
	switch rt.opts.JIT {
	case JITAuto:
		o.Threshold, o.Background, o.Auto = autoThreshold, true, true
	case JITOff:
		o.Manual, o.Background = true, true
	}
	if rt.opts.recording != nil {
		rt.opts.recording(&o)
	}
	rt.tracer = tracer.New(o)
	return nil
}

// observe makes a thread record.
func (rt *Runtime) observe(th *vm.Thread) {
	if th.Regions == nil && (rt.opts.JIT != JITOff || rt.marks.Load()) {
		rt.tracer.Attach(th)
	}
}

// warn prints a line where warnings go.
func (rt *Runtime) warn(line string) {
	if rt.opts.Stderr != nil {
		fmt.Fprintln(rt.opts.Stderr, line)
	}
}

// JITReport is what was captured, by place; see the fields of its parts.
type JITReport = tracer.Report

// Report tells what was recorded so far, of one file or ("") of all. Recordings whose
// objects are gone are told of only with Options.KeepRecordings.
func (rt *Runtime) Report(file string) JITReport { return rt.tracer.Report(file) }

// Explain is Report as text: regions with their graphs, guards that failed, and graph
// breaks with their places.
func (rt *Runtime) Explain(file string) string {
	if rt.opts.JIT == JITOff && !rt.marks.Load() {
		return "nothing is recorded: compilation is off\n"
	}
	return rt.tracer.Explain(file)
}

// JITStats counts what the recorder has done.
type JITStats struct {
	Recordings int // begun
	Graphs     int // captured: recordings that have tensor operations
	Ops        int // in those graphs
	Recompiles int // graphs of a region that had a recording already
	Breaks     int // graph breaks
	Replays    int
	GivenUp    int // recordings that could not be finished
	Failures   int // replays whose kernels failed
}

// JITStats tells what was recorded so far. Any goroutine may call it.
func (rt *Runtime) JITStats() JITStats {
	s := rt.tracer.Stats()
	return JITStats{s.Records, s.Graphs, s.Ops, s.Recompiles, s.Breaks, s.Replays, s.Aborts, s.Failures}
}
