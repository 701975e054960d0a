package tracer

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/guards"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// place is an instruction.
type place struct {
	code *bytecode.Code
	pc   int
}

// Region is where recordings start: the chain of places from its base frame to
// the innermost one.
type Region struct {
	chain  []place      // outermost (the base) first
	loopPC int          // header of the loop whose round ends it; -1: the base frame's return does
	husk   *vm.Function // of the base frame's code
	mark   *Marking     // whom its recordings are made for; nil: code that runs often

	tree    atomic.Pointer[tree]    // of the entries, for look-ups; nil: there are none
	clock   atomic.Int64            // hits so far
	polls   atomic.Int64            // of entries on which something has fired
	dead    atomic.Bool             // not to be recorded any more
	skip    atomic.Bool             // its first instruction breaks: it is executed, and control goes on behind
	pending atomic.Pointer[pending] // a recording that is being compiled
	// busy is the right to record it, and to touch what follows up to mu.
	busy atomic.Bool
	// What failing guards have taught: sources whose numbers are symbolic, and
	// those whose objects are told by class or code only.
	dyn, generic map[string]bool
	dims         map[string]uint64 // dimensions of tensors that are symbolic, by source
	lens         map[string]bool   // containers whose length is
	static       bool              // sizes are not symbolic: something cannot do with it

	mu      sync.Mutex
	refs    []entryRef
	trapped bool // the machine asks at its header, however seldom it comes by
	records int
	aborts  int
	empty   int // recordings without tensor operations
	// What the policy of --jit=auto knows.
	cost                  time.Duration // of the latest recording
	next                  time.Time     // no recording before
	tried                 atomic.Bool   // its rounds were timed:
	Interpreted, Replayed time.Duration // medians
	Dropped               string        // why its recordings were dropped
	Causes                []string
	Reason                string // of the latest abort
}

// base is the number of the region's base frame when control stands at it.
func (r *Region) base(_ *vm.Thread, depth int) int { return depth - len(r.chain) + 1 }

// region finds or makes the region for the chain of frames from base to the top.
func (ts *thread) region(base, loopPC int) *Region {
	th := ts.th
	depth := th.Depth()
	k := ts.key[:0]
	for i := base; i <= depth; i++ {
		f := th.FrameAt(i)
		k = binary.LittleEndian.AppendUint64(k, uint64(uintptr(unsafe.Pointer(f.Code))))
		k = binary.LittleEndian.AppendUint32(k, uint32(f.PC))
		if i > base {
			k = binary.LittleEndian.AppendUint32(k, uint32(f.Kind))
		}
	}
	k = binary.LittleEndian.AppendUint32(k, uint32(loopPC))
	mark, _ := ts.marked(base)
	if mark != nil {
		k = binary.LittleEndian.AppendUint64(k, uint64(uintptr(unsafe.Pointer(mark))))
	}
	ts.key = k
	if r := ts.regions[string(k)]; r != nil {
		return r
	}
	ts.tr.mu.Lock()
	defer ts.tr.mu.Unlock()
	r := ts.tr.table[string(k)]
	if r == nil {
		r = &Region{loopPC: loopPC, mark: mark, dyn: map[string]bool{}, dims: map[string]uint64{}, lens: map[string]bool{}, generic: map[string]bool{}, husk: th.FrameAt(base).Fn.Husk()}
		for i := base; i <= depth; i++ {
			f := th.FrameAt(i)
			r.chain = append(r.chain, place{f.Code, f.PC})
		}
		ts.tr.table[string(k)] = r
		ts.tr.regions = append(ts.tr.regions, r)
	}
	ts.regions[string(k)] = r
	return r
}

// keyAt is the key of the region at a header.
func (ts *thread) keyAt(c *bytecode.Code, loopPC int) string {
	k := binary.LittleEndian.AppendUint64(nil, uint64(uintptr(unsafe.Pointer(c))))
	k = binary.LittleEndian.AppendUint32(k, uint32(max(loopPC, 0)))
	return string(binary.LittleEndian.AppendUint32(k, uint32(loopPC)))
}

// trap makes the machine ask at the region's header each time while there is
// something to find. What is behind a break is looked for without.
func (r *Region) trap(on bool) {
	if p := r.chain[0]; r.trapped == on || len(r.chain) > 1 || p.pc != r.loopPC && (p.pc != 0 || r.loopPC >= 0) {
		return
	}
	r.trapped = on
	vm.Trap(r.husk, r.loopPC < 0, on)
}

// Name is the function in which the region starts.
func (r *Region) Name() string { return r.chain[len(r.chain)-1].code.QualName }

// Kind says what sort of place the region starts at.
func (r *Region) Kind() string {
	last := r.chain[len(r.chain)-1]
	switch {
	case len(r.chain) == 1 && last.pc == r.loopPC:
		return "loop"
	case len(r.chain) == 1 && last.pc == 0 && r.loopPC < 0:
		return "function"
	}
	return "behind break"
}

// Where is the file and line of the region's start.
func (r *Region) Where() (file string, line int) {
	last := r.chain[len(r.chain)-1]
	s := last.code.At(last.pc)
	return last.code.Program.File, int(s.Start.Line)
}

func (r *Region) String() string {
	file, line := r.Where()
	return fmt.Sprintf("%s %s at %s:%d", r.Kind(), r.Name(), file, line)
}

// learn draws what it can from a guard that failed.
func (r *Region) learn(g *guards.Guard, got value.Value, w guards.World) {
	if g == nil || g.Source == nil {
		return
	}
	switch g.Test {
	case guards.TestEqual:
		if r.mark.never() {
			return
		}
		if got.IsInt() && g.Want.IsInt() || got.IsFloat() && g.Want.IsFloat() {
			r.dyn[g.Source.String()] = true
		}
	case guards.TestLen:
		r.lens[g.Source.String()] = true
	case guards.TestTensor:
		t, m := tensorOf(got), g.Meta.(*meta)
		if t == nil || r.mark.never() || t.DType != m.g.DType || len(t.Size) != len(m.g.Size) {
			return
		}
		dims := r.dims[g.Source.String()]
		for d := range t.Size {
			if t.Size[d] != m.g.Size[d] {
				dims |= 1 << d
			}
		}
		if dims != 0 {
			r.dims[g.Source.String()] = dims
		}
	case guards.TestIs:
		in, was := got.AsInstance(), g.Want.AsInstance()
		if in != nil && was != nil && in.Class() == was.Class() || g.Code != nil && !got.IsUnset() && w.Code(got) == g.Code {
			r.generic[g.Source.String()] = true
		}
	}
}

func (r *Region) cause(g *guards.Guard, got value.Value) {
	if len(r.Causes) < 32 {
		text := g.String()
		if g.Test != guards.TestTrue && g.Test != guards.TestFalse {
			text += ", found " + guards.Text(got)
		}
		if len(r.Causes) == 0 || !strings.HasPrefix(r.Causes[len(r.Causes)-1], text) {
			r.Causes = append(r.Causes, text)
		}
	}
}
