package vm

import (
	"unsafe"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// A frame is one activation.
//
//	R ─▶ │ parameters │ locals │ cells │ temporaries │ ◀─ top: where a callee's window may start
type frame struct {
	ip   unsafe.Pointer // the next instruction
	R    unsafe.Pointer // register 0
	p    *proto         // nil in entry and native frames
	fn   *Function
	gen  *Generator // whose body this is
	top  unsafe.Pointer
	ext  *extra
	kind frameKind
}

// frameKind tells what a return from the frame has to do besides storing the
// value in the register that the frame below waits for.
type frameKind uint64

const (
	entryFrame  frameKind = 1 << iota // Go waits for the result
	nativeFrame                       // ext.step waits for the result of the frame above
	initFrame                         // a constructor: the result must be None, and is dropped
	forFrame                          // a generator that a FORITER advances
	nextFrame                         // a generator that something else advances: unset at its end
	sendFrame                         // likewise: StopIteration at its end
	delegFrame                        // a generator that a SEND advances
	slowReturn                        // the frame below is native or an entry, or needs finish
	newSegment                        // the window is the first in its segment: ext.lim was th.lim
	dialFrame                         // the dialect changed: ext.dialect was before
	wakeFrame                         // Woken is to be called when it is gone
)

// extra is the rare part of a frame.
type extra struct {
	step    value.Stepper
	lim     unsafe.Pointer // th.lim to restore
	dialect value.Dialect
	// Of an entry frame: the result that Go waits for.
	result value.Value
	err    error
	done   bool
	// saved by entry frames: what was being handled outside.
	handling *value.Raised
}

const frameSize = unsafe.Sizeof(frame{})

func (fr *frame) down() *frame { return (*frame)(unsafe.Add(unsafe.Pointer(fr), -int(frameSize))) }

// pc is the number of the instruction that waits or has just been fetched.
func (fr *frame) pc() int {
	return int(uintptr(fr.ip)-uintptr(unsafe.Pointer(unsafe.SliceData(fr.p.code))))/8 - 1
}

// setPC makes pc the next instruction.
func (fr *frame) setPC(pc int) { fr.ip = unsafe.Pointer(&fr.p.code[pc]) }

// waiting is the instruction whose result the frame waits for.
func (fr *frame) waiting() bytecode.Ins { return *(*bytecode.Ins)(unsafe.Add(fr.ip, -8)) }

func (fr *frame) regs() []value.Value {
	return unsafe.Slice((*value.Value)(fr.R), fr.p.frame/bytecode.RegSize)
}

// reg is the register at a distance in bytes from the window's start.
func reg(R unsafe.Pointer, off uint64) *value.Value { return (*value.Value)(unsafe.Add(R, off)) }

func a(R unsafe.Pointer, ins uint64) *value.Value { return reg(R, uint64(uint16(ins>>16))) }
func b(R unsafe.Pointer, ins uint64) *value.Value { return reg(R, uint64(uint16(ins>>32))) }
func c(R unsafe.Pointer, ins uint64) *value.Value { return reg(R, ins>>48) }

func (fr *frame) a(ins uint64) *value.Value { return a(fr.R, ins) }
func (fr *frame) b(ins uint64) *value.Value { return b(fr.R, ins) }
func (fr *frame) c(ins uint64) *value.Value { return c(fr.R, ins) }

// window is n registers from the one at off.
func (fr *frame) window(off uint64, n int) []value.Value {
	return unsafe.Slice(reg(fr.R, off), n)
}
