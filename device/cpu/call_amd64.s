#include "textflag.h"
#include "funcdata.h"

// func call(fn uintptr, arg unsafe.Pointer)
//
// A kernel is a leaf. It gets arg in DI, may use every register but SP and BP,
// and may spill to [rsp+8 .. rsp+4096): that is this function's frame, which its
// prologue has grown the goroutine's stack for (so it is not NOSPLIT). It never
// moves SP: a fault inside is then taken for one of this function, which the Go
// runtime can turn into a panic. It leaves with the upper vector halves clear,
// the direction flag clear and the floating-point modes as they were. The wrapper
// that Go code enters this function by restores R14 and X15.
TEXT ·call(SB), 0, $4096-16
	NO_LOCAL_POINTERS
	MOVQ fn+0(FP), AX
	MOVQ arg+8(FP), DI
	CALL AX
	RET

// func callDeep(fn uintptr, arg unsafe.Pointer)
//
// The same for a kernel that may spill to [rsp+8 .. rsp+32768).
TEXT ·callDeep(SB), 0, $32768-16
	NO_LOCAL_POINTERS
	MOVQ fn+0(FP), AX
	MOVQ arg+8(FP), DI
	CALL AX
	RET
