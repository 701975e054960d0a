package asm

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// randMem is a memory operand of every kind but labels.
func randMem(r *rand.Rand, vsib bool) Mem {
	m := Mem{Base: GP(r.IntN(16)), Disp: []int32{0, 8, -64, 64, 256, -4096, 1 << 20, int32(r.IntN(300) - 150), int32(r.IntN(40)-20) * 64}[r.IntN(9)]}
	if vsib {
		m.VSIB, m.VReg, m.Scale = true, uint8(r.IntN(32)), 1<<r.IntN(4)
	} else if r.IntN(2) == 0 {
		for m.Index = RSP; m.Index == RSP; {
			m.Index = GP(r.IntN(16))
		}
		m.Scale = 1 << r.IntN(4)
	}
	return m
}

// randomVec appends one random instruction of a row; ok is false where the
// choice made is not encodable (VEX only and a high register).
func randomVec(a *Asm, r *rand.Rand, f *Form) bool {
	top := 16
	if f.flags&vexOnly == 0 {
		top = 32
	}
	num := func(c class) uint8 { return uint8(r.IntN(min(top, int(limit(c))))) }
	l := Len(r.IntN(3))
	if f.flags&vexOnly != 0 {
		l = Len(r.IntN(2))
	}
	switch {
	case f.flags&l0 != 0:
		l = 0
	case f.flags&onlyL512 != 0:
		l = L512
	case f.flags&kL1 != 0:
		l = 1
	case f.flags&noL128 != 0 && l == 0:
		l = 1
	}
	dst := num(f.reg)
	if f.ext >= 0 {
		dst = num(full)
	}
	v := num(f.v)
	var rm RM
	if f.flags&regOnly == 0 && (r.IntN(2) == 0 || f.flags&memOnly != 0) {
		rm = M(randMem(r, f.flags&vsib != 0))
		if f.flags&vsib != 0 && f.flags&vexOnly != 0 {
			rm.Mem.VReg &= 15
		}
		if f.flags&bcast != 0 && f.flags&vexOnly == 0 && r.IntN(3) == 0 {
			rm.Mem.Bcast = true
		}
	} else {
		rm = R(num(f.rm))
	}
	var k Mask
	if f.flags&(noMask|vexOnly) == 0 && r.IntN(3) == 0 || f.flags&vsib != 0 && f.flags&vexOnly == 0 {
		k.K = uint8(1 + r.IntN(7))
		k.Zero = f.flags&noZero == 0 && !(rm.IsMem && f.flags&store != 0) && r.IntN(2) == 0
	}
	// a gather's registers differ
	if f.flags&vsib != 0 && (dst == rm.Mem.VReg || f.v != none && (v == dst || v == rm.Mem.VReg)) {
		return false
	}
	switch {
	case f.isFour():
		a.V4(f, l, dst, v, rm, uint8(r.IntN(16)))
	case f.imm:
		imm := uint8(r.IntN(256))
		if strings.Contains(f.Name, "cmp") {
			imm |= 0xe0 // below that objdump writes names of the predicates
		}
		a.V3KI(f, l, dst, v, rm, k, imm)
	default:
		a.V3K(f, l, dst, v, rm, k)
	}
	return true
}

func randomInt(a *Asm, r *rand.Rand) {
	rm := func(f *IntForm) RM {
		if f.rmSize != 0 && r.IntN(2) == 0 {
			return R(uint8(r.IntN(16)))
		}
		return M(randMem(r, false))
	}
	g := GP(r.IntN(16))
	imm := []int32{int32(r.IntN(256) - 128), r.Int32() - 1<<30, 127, 128, -128, -129}[r.IntN(6)]
	ops := []Arith{ADD, OR, AND, SUB, XOR, CMP}
	full := &IntForm{rmSize: 8}
	switch r.IntN(9) {
	case 0:
		a.RI(ops[r.IntN(6)], rm(full), imm)
	case 1:
		a.RR(ops[r.IntN(6)], g, rm(full))
	case 2:
		a.MR(ops[r.IntN(6)], randMem(r, false), g)
	case 3:
		a.MovI(g, []int64{int64(imm), r.Int64(), -r.Int64()}[r.IntN(3)])
	case 4:
		a.ImulI(g, rm(full), int32(1000+r.IntN(1<<20)))
	case 5:
		a.ShiftI([]Shift{SHL, SHR, SAR}[r.IntN(3)], g, uint8(2+r.IntN(60)))
	case 6:
		a.Cmov([]Cond{CondB, CondAE, CondE, CondNE, CondL, CondGE, CondLE, CondG}[r.IntN(8)], g, rm(full))
	default:
		f := IntForms()[r.IntN(len(IntForms()))]
		if f.ext >= 0 {
			a.One(f, rm(f))
		} else {
			a.RM(f, g, rm(f))
		}
	}
}

var (
	size   = regexp.MustCompile(`(?:(?:[XYZ]MM|[DQO])?WORD|BYTE) (PTR|BCST) (\[[^\]]*\])`)
	spread = regexp.MustCompile(`\{1to\d+\}`)
	spaces = regexp.MustCompile(`\s+`)
)

// normal brings both texts to one form.
func normal(s string) string {
	s = size.ReplaceAllStringFunc(s, func(x string) string {
		m := size.FindStringSubmatch(x)
		if m[1] == "BCST" {
			return m[2] + "{bcst}"
		}
		return m[2]
	})
	s = spread.ReplaceAllString(s, "") // a repeated note of a broadcast
	return spaces.ReplaceAllString(strings.TrimSpace(s), " ")
}

func needObjdump(t *testing.T) string {
	p, err := exec.LookPath("objdump")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("objdump is needed in CI")
		}
		t.Skip("no objdump")
	}
	return p
}

func disassemble(t *testing.T, code []byte) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(file, code, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(needObjdump(t), "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--no-show-raw-insn", "-w", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, l := range strings.Split(string(out), "\n") {
		if _, text, ok := strings.Cut(l, ":\t"); ok {
			text, _, _ = strings.Cut(text, " #")
			lines = append(lines, normal(text))
		}
	}
	return lines
}

// TestObjdump disassembles random instructions of every row.
func TestObjdump(t *testing.T) {
	needObjdump(t)
	a := New(0)
	a.List()
	r := rand.New(rand.NewPCG(1, 2))
	n := 100
	if testing.Short() {
		n = 20
	}
	for _, f := range Forms() {
		for i := 0; i < n; {
			if randomVec(a, r, f) {
				i++
			}
			if a.Err() != nil {
				t.Fatal(a.Err())
			}
		}
	}
	for range 60 * n {
		randomInt(a, r)
	}
	for _, p := range []Bytes{RET, CQO, CDQ, VZEROUPPER, SFENCE, FPREM, FNSTSW, SAHF} {
		a.Plain(p)
	}
	code, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(a.Listing()), "\n")
	got := disassemble(t, code)
	bad := 0
	for i := 0; i < len(want) && i < len(got) && bad < 30; i++ {
		if w := normal(want[i]); w != got[i] && bad < 30 {
			t.Errorf("instruction %d: encoded %q, disassembled %q", i, w, got[i])
			bad++
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d instructions encoded, %d disassembled", len(want), len(got))
	}
	t.Logf("%d instructions of %d rows", len(want), len(Forms()))
}
