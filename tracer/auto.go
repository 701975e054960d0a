package tracer

import (
	"fmt"
	"slices"
	"time"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
)

// What --jit=auto decides for itself: where to record, when that can be afforded,
// and whether it was worth it. A thread's policy is its own.
//
// Where: a sample that meets a header, after tensor operations have run, begins a
// hunt: the headers around it, from the outermost frame inwards, are trapped, and
// the operations of a round (or call) of each are counted. The outermost whose round
// fits in a recording is recorded. So a training step is found, and neither the loop
// over layers inside of it nor the epoch around it; and a program without tensors is
// not recorded at all.
//
// When: recording may take a twentieth (Options.Share) of the time for which the thread has run. So
// a program that ends soon is left alone.
//
// Whether: the first rounds of a region that has code are replayed and interpreted
// in turn. One that is slower replayed, by the medians, is dropped.
type policy struct {
	ts    *thread
	began time.Time
	share time.Duration // of the run time may be spent: one part in so many
	spent time.Duration // on recording and compiling
	next  time.Time     // no hunt before
	calls uint64        // ops at the latest look
	hunt  *hunt
	rests int // hunts in a row that found nothing

	trials map[*Region]*trial
}

const (
	// defaultShare of the run time may go into recording: one part in so many.
	defaultShare = 20
	// grace is what may be spent in any case.
	grace = 500 * time.Microsecond
	// huntAsks and huntTime bound a hunt.
	huntAsks = 20000
	huntTime = 2 * time.Second
	// samplesEach is how many rounds of either kind a trial takes.
	samplesEach = 7
)

func newPolicy(ts *thread) *policy {
	p := &policy{ts: ts, began: time.Now(), share: defaultShare, trials: map[*Region]*trial{}}
	if s := ts.tr.opts.Share; s > 0 {
		p.share = time.Duration(s)
	}
	return p
}

// affords reports whether that much more may be spent.
func (p *policy) affords(cost time.Duration, now time.Time) bool {
	return p.spent+cost <= now.Sub(p.began)/p.share+grace
}

// hunt looks for the header to record at.
type hunt struct {
	began time.Time
	calls uint64
	asks  int
	// elsewhere is the ops at the latest ask about a header that is none of the spots.
	elsewhere uint64
	spots     []*spot // outermost first
}

// spot is a header that control is inside of.
type spot struct {
	frame  int
	code   *bytecode.Code
	loopPC int // -1: the function's entry
	husk   *vm.Function
	calls  uint64
	at     time.Time
	rounds int
	idle   int // rounds without ops
	out    bool
}

// spots are the headers around where control stands.
func (ts *thread) spots() []*spot {
	var out []*spot
	for i := 1; i <= ts.th.Depth(); i++ {
		f := ts.th.FrameAt(i)
		if f.Fn == nil || f.Gen != nil {
			continue
		}
		if f.Code.Kind == bytecode.FunctionCode {
			out = append(out, &spot{frame: i, code: f.Code, loopPC: -1, husk: f.Fn.Husk()})
		}
		pc := f.PC
		if i < ts.th.Depth() {
			pc--
		}
		for _, h := range loopsAround(f.Code, pc) {
			out = append(out, &spot{frame: i, code: f.Code, loopPC: h, husk: f.Fn.Husk()})
		}
	}
	return out
}

// loopsAround are the headers of the loops in which an instruction is, outermost first.
func loopsAround(c *bytecode.Code, pc int) []int {
	type loop struct{ header, lo, hi int }
	var loops []loop
	seen := map[int]bool{}
	for at, w := range c.Ins {
		h := -1
		switch w.Op() {
		case bytecode.FORITER:
			h = at
		case bytecode.LOOP:
			h = at + 1 + w.Jump()
		}
		if h < 0 || seen[h] {
			continue
		}
		seen[h] = true
		if lo, hi := loopRange(c, h); lo <= pc && pc <= hi {
			loops = append(loops, loop{h, lo, hi})
		}
	}
	slices.SortFunc(loops, func(a, b loop) int { return (b.hi - b.lo) - (a.hi - a.lo) })
	out := make([]int, len(loops))
	for i, l := range loops {
		out[i] = l.header
	}
	return out
}

// quiet reports that no ops have run since the latest look.
func (p *policy) quiet() bool {
	return p.hunt == nil && p.ts.tr.opts.Context(&p.ts.th.Thread).Applied == p.calls
}

// look is told that control stands at a header at which nothing is installed. True:
// it is to be recorded now.
func (p *policy) look(depth, loopPC int) bool {
	ts := p.ts
	calls := ts.tr.opts.Context(&ts.th.Thread).Applied
	if p.hunt != nil {
		return p.ask(depth, loopPC, calls)
	}
	if calls == p.calls {
		ts.th.Rest()
		return false
	}
	p.calls = calls
	now := time.Now()
	if now.Before(p.next) || !p.affords(0, now) {
		return false
	}
	p.begin(now, calls)
	return false
}

// begin begins a hunt for the headers around where control stands.
func (p *policy) begin(now time.Time, calls uint64) {
	p.hunt = &hunt{began: now, calls: calls}
	for _, s := range p.ts.spots() {
		if reg := p.ts.regionAt(s); reg != nil && (reg.dead.Load() || reg.tree.Load() != nil || reg.pending.Load() != nil) {
			continue
		}
		p.hunt.spots = append(p.hunt.spots, s)
		vm.Trap(s.husk, s.loopPC < 0, true)
	}
	if len(p.hunt.spots) == 0 {
		p.end(now, 100*time.Millisecond)
	}
}

// stale reports that control is in a loop around the spot which the hunt, begun
// elsewhere, does not know.
func (p *policy) stale(at *spot) bool {
	for _, s := range p.ts.spots() {
		if s.frame > at.frame || s.frame == at.frame && s.loopPC == at.loopPC {
			return false
		}
		if s.loopPC < 0 || slices.ContainsFunc(p.hunt.spots, func(h *spot) bool { return h.code == s.code && h.loopPC == s.loopPC }) {
			continue
		}
		if reg := p.ts.regionAt(s); reg == nil || !reg.dead.Load() {
			return true
		}
	}
	return false
}

// regionAt is the region of a header, nil if there is none yet.
func (ts *thread) regionAt(s *spot) *Region {
	return ts.regions[ts.keyAt(s.code, s.loopPC)]
}

// end ends the hunt; the next one waits, longer each time that none finds anything.
func (p *policy) end(now time.Time, wait time.Duration) {
	for _, s := range p.hunt.spots {
		vm.Trap(s.husk, s.loopPC < 0, false)
	}
	p.hunt = nil
	if p.rests < 8 {
		p.rests++
	}
	p.next = now.Add(wait << p.rests / 2)
}

// ask is told of a header while a hunt is on.
func (p *policy) ask(depth, loopPC int, calls uint64) bool {
	h := p.hunt
	now := time.Now()
	most := uint64(p.ts.tr.opts.MaxNodes)
	if h.asks++; h.asks > huntAsks || now.Sub(h.began) > huntTime {
		p.end(now, 200*time.Millisecond)
		return false
	}
	code := p.ts.th.FrameAt(depth).Code
	for i, s := range h.spots {
		if s.frame != depth || s.loopPC != loopPC || s.code != code {
			continue
		}
		ops, took := calls-s.calls, now.Sub(s.at)
		s.calls, s.at = calls, now
		if s.rounds++; s.rounds == 1 || s.out {
			return false
		}
		switch {
		case ops == 0:
			if s.idle++; s.idle >= 3 {
				s.out = true
			}
			return false
		case ops > most:
			s.out = true
			return false
		}
		for _, outer := range h.spots[:i] {
			if !outer.out && (outer.rounds > 1 || calls-h.calls <= most) {
				return false // it comes, or may still come
			}
		}
		if p.stale(s) {
			p.end(now, 0)
			p.begin(now, calls)
			return false
		}
		if !p.affords(took, now) {
			p.end(now, 0)
			p.next = now.Add((p.spent+took-grace)*p.share - now.Sub(p.began))
			return false
		}
		p.end(now, 0)
		p.rests = 0
		return true
	}
	if calls != h.elsewhere && p.gone() {
		p.end(now, 0)
		p.rests = max(p.rests-1, 0)
		p.begin(now, calls)
	} else {
		h.elsewhere = calls
	}
	return false
}

// gone reports that control is in none of the functions that the hunt is about.
func (p *policy) gone() bool {
	for _, s := range p.hunt.spots {
		if s.frame <= p.ts.th.Depth() {
			if fn := p.ts.th.FnAt(s.frame); fn != nil && fn.Code() == s.code {
				return false
			}
		}
	}
	return true
}

// may reports whether a recording of a region may begin, as often as one has had to
// be given up the later.
func (p *policy) may(reg *Region) bool {
	now := time.Now()
	reg.mu.Lock()
	next, cost := reg.next, reg.cost
	reg.mu.Unlock()
	return !now.Before(next) && p.affords(cost, now)
}

// began and done take the time of a recording.
func (r *recorder) clockOn() {
	if r.ts.auto != nil {
		r.start = time.Now()
	}
}

func (r *recorder) clockOff() {
	p := r.ts.auto
	if p == nil || r.start.IsZero() {
		return
	}
	now := time.Now()
	// The program has run meanwhile: half of it is what recording cost.
	took := now.Sub(r.start) / 2
	p.spent += took
	r.reg.mu.Lock()
	r.reg.cost = took
	if r.why != "" {
		r.reg.next = now.Add(8 * took << min(r.reg.aborts, 10))
	}
	r.reg.mu.Unlock()
	r.start = time.Time{}
}

// trial compares the rounds of a region.
type trial struct {
	open   bool
	again  bool // the machine asks once more about a round that is to be interpreted
	replay bool
	base   int
	at     time.Time
	visits int
	took   [2][]time.Duration // interpreted, replayed
}

// interprets is asked when control stands at a region's header, of which there is
// code: true leaves the round to the interpreter, to see how long it takes.
// acted: control has been moved since the machine asked, and it may ask again.
func (p *policy) interprets(reg *Region, base int, acted bool) bool {
	if reg.mark != nil || len(reg.chain) != 1 || reg.tried.Load() {
		return false
	}
	t := p.trials[reg]
	if t == nil {
		t = &trial{}
		p.trials[reg] = t
	}
	now := time.Now()
	if t.again {
		t.again, t.at = false, now
		return true
	}
	if t.open && t.base == base {
		k := 0
		if t.replay {
			k = 1
		}
		t.took[k] = append(t.took[k], now.Sub(t.at))
	}
	t.open = false
	if len(t.took[0]) >= samplesEach && len(t.took[1]) >= samplesEach {
		delete(p.trials, reg)
		reg.tried.Store(true)
		p.judge(reg, median(t.took[0]), median(t.took[1]))
		return reg.dead.Load()
	}
	if t.visits++; t.visits <= 2 {
		return false
	}
	t.open, t.at, t.base = true, now, base
	t.replay = t.visits%2 == 0
	t.again = !t.replay && acted
	return !t.replay
}

// judge drops a region that is no faster replayed.
func (p *policy) judge(reg *Region, interpreted, replayed time.Duration) {
	reg.mu.Lock()
	reg.Interpreted, reg.Replayed = interpreted, replayed
	reg.mu.Unlock()
	if replayed <= interpreted+interpreted/20 {
		return
	}
	reg.dead.Store(true)
	reg.clear()
	reg.mu.Lock()
	reg.Dropped = fmt.Sprintf("a round takes %s replayed and %s interpreted", round(replayed), round(interpreted))
	reg.mu.Unlock()
	p.ts.tr.dump("trace", reg.Name(), func() string { return fmt.Sprintf("%s: dropped: %s\n", reg, reg.Dropped) })
}

// round gives a duration two digits.
func round(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 100 {
		unit *= 10
	}
	return (d + unit/2) / unit * unit
}

func median(d []time.Duration) time.Duration {
	d = slices.Clone(d)
	slices.Sort(d)
	return d[len(d)/2]
}
