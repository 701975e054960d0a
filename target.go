package larkspur

import (
	"fmt"

	"github.com/larkspur-ml/larkspur/device/cpu"
	"github.com/larkspur-ml/larkspur/inductor/amd64"
	"github.com/larkspur-ml/larkspur/inductor/loop"
)

// Target chooses how kernels run on the CPU.
type Target string

const (
	// TargetAuto is the best that the processor can run, and the default.
	TargetAuto     Target = "auto"
	TargetPortable Target = "portable"
	TargetAVX2     Target = "avx2"
	TargetAVX512   Target = "avx512"
)

// newTarget makes the loop target of a Runtime. A machine that lacks what was
// asked for by name is an error; auto falls back. listing, if not nil, is told of the
// code of each kernel.
func newTarget(t Target, listing func(name, text, why string)) (loop.Target, error) {
	load := func(code []byte) (amd64.Func, error) { return cpu.LoadCode(code) }
	switch t {
	case "":
		return newTarget(TargetAuto, listing)
	case TargetPortable:
		return loop.Portable(), nil
	case TargetAuto, TargetAVX2, TargetAVX512:
		m, err := amd64.New(amd64.Options{Load: load, Fallback: loop.Portable(), AVX2: t == TargetAVX2, Listing: listing})
		switch {
		case t == TargetAuto && err != nil:
			return loop.Portable(), nil
		case err != nil:
			return nil, err
		case t == TargetAVX512 && m.Name() != string(t):
			return nil, fmt.Errorf("the processor has no AVX-512")
		}
		return m, nil
	}
	return nil, fmt.Errorf("unknown target %q: portable, avx2, avx512 or auto", string(t))
}
