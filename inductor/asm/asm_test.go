package asm

import (
	"encoding/hex"
	"strings"
	"testing"
)

// golden is instructions with their bytes, checked by hand against the manual's
// rules; the disassembler test covers the rest.
var golden = []struct {
	text, hex string
	emit      func(a *Asm)
}{
	{"vaddps zmm1{k3}{z},zmm2,[rax+r9*4+0x40]{bcst}", "62b16cdb584c8810", func(a *Asm) {
		m := Idx(RAX, R9, 4, 0x40)
		m.Bcast = true
		a.V3K(VADDPS, L512, 1, 2, M(m), Mask{3, true})
	}},
	{"vaddps ymm1,ymm2,ymm3", "c5ec58cb", func(a *Asm) { a.V3(VADDPS, L256, 1, 2, R(3)) }},
	{"vaddps ymm1,ymm2,ymm11", "c4c16c58cb", func(a *Asm) { a.V3(VADDPS, L256, 1, 2, R(11)) }},
	{"vaddps ymm17,ymm2,ymm3", "62e16c2858cb", func(a *Asm) { a.V3(VADDPS, L256, 17, 2, R(3)) }},
	{"vpmovdb [rsp+0x40]{k1},zmm3", "62f27e49315c2404", func(a *Asm) { a.V3K(VPMOVDB, L512, 3, 0, M(At(RSP, 0x40)), Mask{K: 1}) }},
	{"vmovups [r13+0x0],zmm20", "62c17c48116500", func(a *Asm) { a.V2(VMOVUPSst, L512, 20, M(At(R13, 0))) }},
	{"vextractf64x4 ymm3,zmm4,0x1", "62f3fd481be301", func(a *Asm) { a.V2I(VEXTRACTF64X4, L512, 4, R(3), 1) }},
	{"kmovd k1,eax", "c5fb92c8", func(a *Asm) { a.V2(KMOVDr, 0, 1, G(RAX)) }},
	{"imul rax,[rsp+0x8],0x12345", "4869442408" + "45230100", func(a *Asm) { a.ImulI(RAX, M(At(RSP, 8)), 0x12345) }},
	{"bzhi rax,rbx,rcx", "c4e2f0f5c3", func(a *Asm) { a.V3(BZHI, 0, uint8(RAX), uint8(RCX), G(RBX)) }},
	{"vpslld ymm3,ymm4,0x5", "c5e572f405", func(a *Asm) { a.V2I(VPSLLDI, L256, 3, R(4), 5) }},
	{"mov [rsi],dil", "40883e", func(a *Asm) { a.RM(STORE8, RDI, M(At(RSI, 0))) }},
}

func TestGolden(t *testing.T) {
	for _, g := range golden {
		a := New(0)
		a.List()
		g.emit(a)
		b, err := a.Finish()
		if err != nil {
			t.Errorf("%s: %v", g.text, err)
			continue
		}
		if h := hex.EncodeToString(b); h != g.hex {
			t.Errorf("%s: %s, want %s", g.text, h, g.hex)
		}
		if s := strings.TrimSpace(a.Listing()); s != g.text {
			t.Errorf("text %q, want %q", s, g.text)
		}
	}
}

func TestErrors(t *testing.T) {
	for name, emit := range map[string]func(a *Asm){
		"register 40":        func(a *Asm) { a.V3(VADDPS, L512, 40, 1, R(2)) },
		"vex high register":  func(a *Asm) { a.V3(VPSHUFB, L256, 17, 1, R(2)) },
		"mask on VEX":        func(a *Asm) { a.V3K(VPSHUFB, L256, 1, 1, R(2), Mask{K: 1}) },
		"missing immediate":  func(a *Asm) { a.V3(VSHUFPS, L256, 1, 1, R(2)) },
		"zeroing a store":    func(a *Asm) { a.V3K(VMOVUPSst, L512, 1, 0, M(At(RAX, 0)), Mask{1, true}) },
		"rsp index":          func(a *Asm) { a.V2(VMOVUPS, L512, 1, M(Idx(RAX, RSP, 1, 0))) },
		"scale 3":            func(a *Asm) { a.V2(VMOVUPS, L512, 1, M(Idx(RAX, RCX, 3, 0))) },
		"broadcast of move":  func(a *Asm) { a.V2(VMOVUPS, L512, 1, M(Mem{Base: RAX, Bcast: true})) },
		"opmask 9":           func(a *Asm) { a.V3(VCMPPSK, L512, 9, 1, R(2)) },
		"vector index":       func(a *Asm) { a.V2(VMOVUPS, L512, 1, M(Vec(RAX, 3, 4, 0))) },
		"middle operand":     func(a *Asm) { a.V3(VSQRTPS, L512, 1, 3, R(2)) },
		"unbound label":      func(a *Asm) { a.Jmp(a.NewLabel()) },
		"length 512 of VEX":  func(a *Asm) { a.V3I(VPERM2F128, L512, 1, 2, R(3), 0) },
		"general register":   func(a *Asm) { a.RM(MOV, 16, G(RAX)) },
		"memory for movzx":   func(a *Asm) { a.RM(MOVZX8, RAX, G(RAX)) },
		"register for store": func(a *Asm) { a.RM(STORE, RAX, G(RAX)) },
	} {
		a := New(0)
		emit(a)
		a.Plain(RET) // an error stays
		if _, err := a.Finish(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestConstants checks that the displacement counts from the end of the
// instruction, with and without an immediate behind it.
func TestConstants(t *testing.T) {
	a := New(0)
	a.V3(VADDPS, L512, 0, 1, a.Const32(0x3f800000))           // 10 bytes
	a.V3I(VPTERNLOGD, L512, 0, 1, a.Const32(0x40000000), 0xd) // 11 bytes
	a.V3(VADDPS, L512, 0, 1, a.Const32(0x3f800000))           // 10 bytes
	a.Plain(RET)
	b, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if len(b) != 40 {
		t.Fatalf("%d bytes", len(b))
	}
	// constants at 32 and 36
	for _, c := range []struct{ at, end, want int }{{6, 10, 32}, {16, 21, 36}, {27, 31, 32}} {
		if got := c.end + int(b[c.at]); got != c.want {
			t.Errorf("displacement at %d leads to %d, want %d", c.at, got, c.want)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	a := New(0)
	for b.Loop() {
		if len(a.b) > 1<<20 {
			a.b = a.b[:0]
		}
		a.V3(VADDPS, L512, 1, 2, M(At(RAX, 64)))
	}
}
