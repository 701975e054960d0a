package main

import (
	"unsafe"

	"github.com/larkspur-ml/larkspur/device/cpu"
	"github.com/larkspur-ml/larkspur/inductor/amd64"
	"github.com/larkspur-ml/larkspur/inductor/asm"
)

// What the machine can do at most, by a few instructions of machine code.

type peakArgs struct {
	a, b, c uintptr
	n       int64
}

// prober runs the two kernels.
type prober struct {
	fma, triad *cpu.Code
	lanes      int
	a, b, c    []float32
}

func newProber() (*prober, error) {
	if !amd64.HasAVX2() {
		return nil, nil
	}
	p := &prober{lanes: 8}
	L := asm.L256
	accs := uint8(12)
	if amd64.HasAVX512() {
		L, p.lanes, accs = asm.L512, 16, 24
	}
	a := asm.New(0)
	a.RM(asm.MOV, asm.RCX, asm.M(asm.At(asm.RDI, 24)))
	for i := range accs {
		a.V3(asm.VXORPS, L, i, i, asm.R(i))
	}
	a.Align(32)
	head := a.Here()
	for i := range accs {
		a.V3(asm.VFMADD231PS, L, i, i, asm.R(i))
	}
	a.RI(asm.SUB, asm.G(asm.RCX), 1)
	a.J(asm.CondG, head)
	a.Plain(asm.VZEROUPPER)
	a.Plain(asm.RET)
	code, err := a.Finish()
	if err != nil {
		return nil, err
	}
	if p.fma, err = cpu.LoadCode(code); err != nil {
		return nil, err
	}
	p.lanes *= int(accs)

	a = asm.New(0)
	vb := int32(L.Bytes())
	for i, r := range []asm.GP{asm.RSI, asm.RDX, asm.R8, asm.RCX} {
		a.RM(asm.MOV, r, asm.M(asm.At(asm.RDI, int32(8*i))))
	}
	a.V3(asm.VXORPS, L, 0, 0, asm.R(0))
	a.MovI(asm.RAX, 0)
	a.Align(32)
	head = a.Here()
	for u := range int32(4) {
		a.V2(asm.VMOVUPS, L, 1, asm.M(asm.Idx(asm.RDX, asm.RAX, 1, u*vb)))
		a.V3(asm.VFMADD231PS, L, 1, 0, asm.M(asm.Idx(asm.R8, asm.RAX, 1, u*vb)))
		a.V2(asm.VMOVNTPS, L, 1, asm.M(asm.Idx(asm.RSI, asm.RAX, 1, u*vb)))
	}
	a.RI(asm.ADD, asm.G(asm.RAX), 4*vb)
	a.RR(asm.CMP, asm.RAX, asm.G(asm.RCX))
	a.J(asm.CondL, head)
	a.Plain(asm.VZEROUPPER)
	a.Plain(asm.RET)
	if code, err = a.Finish(); err != nil {
		return nil, err
	}
	if p.triad, err = cpu.LoadCode(code); err != nil {
		return nil, err
	}
	p.a, p.b, p.c = aligned(triadLen), aligned(triadLen), aligned(triadLen)
	return p, nil
}

const triadLen = 1 << 24

func aligned(n int) []float32 {
	s := make([]float32, n+16)
	for i := range s {
		s[i] = 1
	}
	off := int(-uintptr(unsafe.Pointer(&s[0]))&63) / 4
	return s[off : off+n]
}

// measure runs both kernels once on threads goroutines.
func (p *prober) measure(threads int) (flops, bytes float64) {
	div := 1.0 // of all threads' time
	if cpuTime {
		div = float64(threads)
	}
	pool := cpu.Shared()
	const rounds, tiles = 20000, 64
	start := clock()
	pool.Run(threads, tiles, func(int, int) {
		p.fma.Call(unsafe.Pointer(&peakArgs{n: rounds}))
	})
	flops = 2 * float64(p.lanes) * rounds * tiles / ((clock() - start).Seconds() / div)
	const step = triadLen / 256
	start = clock()
	pool.Run(threads, 256, func(t, _ int) {
		p.triad.Call(unsafe.Pointer(&peakArgs{uintptr(unsafe.Pointer(&p.a[t*step])), uintptr(unsafe.Pointer(&p.b[t*step])), uintptr(unsafe.Pointer(&p.c[t*step])), 4 * step}))
	})
	return flops, 12 * triadLen / ((clock() - start).Seconds() / div)
}
