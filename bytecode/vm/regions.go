package vm

import "github.com/larkspur-ml/larkspur/bytecode"

// A Header is a place where a region may start: a function's entry (PC 0 and
// Entry), or the header of a loop, named by the instruction that jumps back.
type Header struct {
	Code  *bytecode.Code
	PC    int
	Entry bool
}

// Regions is asked at headers that run often. It may look at the thread's
// frames, set an Observer, or replace the frames by Restore.
type Regions interface {
	// Threshold is how many calls or rounds make a header hot.
	Threshold() int
	// Hot is called when control stands at a header that is hot, again and
	// again, until it returns false: then not any more.
	Hot(th *Thread, at Header) bool
}

// count charges n calls or rounds to a header and tells Regions of a hot one.
// The thread counts by samples: whoever spends the last of the fuel is charged
// with all of it, and while Regions is set the fuel is small.
func (th *Thread) count(at Header, n int) {
	if th.hot == nil {
		th.hot = map[Header]int{}
	}
	c := th.hot[at]
	if c < 0 {
		return
	}
	c += n
	th.hot[at] = c
	if c >= th.Regions.Threshold() && !th.Regions.Hot(th, at) {
		th.hot[at] = -1
	}
}

// header is the header that the instruction stands for, on the frame fr.
func header(fr *frame, ins uint64) Header {
	return Header{Code: fr.p.info, PC: fr.pc()}
}
