package vm

import "github.com/larkspur-ml/larkspur/bytecode"

// A Header is a place where a region may start: a function's entry (PC 0 and
// Entry), or the header of a loop, named by its first instruction.
type Header struct {
	Code  *bytecode.Code
	PC    int
	Entry bool
}

// Regions is asked at headers that run often, when control stands before the
// header's first instruction: of a function that has been entered with its
// arguments in place, of a while loop's test, of the FORITER of a for loop. It may
// look at the thread's frames, set an Observer, or put other frames in the place
// of these (record.go).
type Regions interface {
	// Threshold is how many calls or rounds make a header hot.
	Threshold() int
	// Hot is called when control stands at a header that is hot, again and
	// again, until it returns false: then not any more.
	Hot(th *Thread, at Header) bool
}

// count charges n calls or rounds to a header and tells Regions of a hot one.
// The thread counts by samples: whoever spends the last of the fuel is charged
// with all of it, and while Regions is set the fuel is small. It reports whether
// Regions has changed frames or hooks: then the loop has to look again.
func (th *Thread) count(at Header, n int) (acted bool) {
	if th.hot == nil {
		th.hot = map[Header]int{}
	}
	c := th.hot[at]
	if c < 0 {
		return false
	}
	if c < 1<<30 {
		c += n
		th.hot[at] = c
	}
	if c < th.Regions.Threshold() {
		return false
	}
	th.moved = false
	if !th.Regions.Hot(th, at) {
		th.hot[at] = -1
	}
	return th.moved || th.Observer != nil || th.Before != nil
}

// asks reports whether Regions is to be asked.
func (th *Thread) asks() bool {
	return th.Regions != nil && th.Observer == nil && th.Before == nil && th.stop == nil
}

// sampled is what one look at a header stands for.
func (th *Thread) sampled() int {
	if th.armed {
		return 1
	}
	return sample
}

// entered counts the call whose frame has just been pushed.
func (th *Thread) entered() {
	fr := th.fr
	if !th.asks() || fr.p == nil || fr.gen != nil || fr.kind&(entryFrame|nativeFrame) != 0 || fr.ip != startOf(fr.p) {
		return
	}
	n := th.sampled()
	if fr.fn.armed {
		n = th.Regions.Threshold()
	}
	th.count(Header{Code: fr.p.info, Entry: true}, n)
}

// Arm makes the thread ask Regions at every header from now on, not by samples.
func (th *Thread) Arm() {
	th.armed = true
	th.refuel()
}

// MarkHot makes a header hot at once, also one that was given up.
func (th *Thread) MarkHot(at Header) {
	if th.hot == nil {
		th.hot = map[Header]int{}
	}
	th.hot[at] = 1 << 30
}

// Arm makes every call of f one that Regions hears of, as hot: what is compiled
// for it is then found at once. The fast path of calls leaves f alone.
func (f *Function) Arm(on bool) {
	f.armed = on
	f.arity = f.p.arity
	if on {
		f.arity = 0
	}
}
