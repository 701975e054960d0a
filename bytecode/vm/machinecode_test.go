package vm

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// The fast loop may not keep anything on the Go stack between two instructions.
// Its Go frame has room for the operands of three conversions and the saved
// receiver and instruction word, which are stored only around calls.
const maxFrame = 0x28

var (
	frameRE    = regexp.MustCompile(`SUBQ \$(0x[0-9a-f]+), SP`)
	dispatchRE = regexp.MustCompile(`\sJMP 0\(\w+\)\(\w+\*8\)`)
	addrRE     = regexp.MustCompile(`\s0x([0-9a-f]+)\s`)
)

// TestFastLoopDoesNotSpill reads the machine code of run. An edit that lets a
// variable live across a call makes each instruction some 30 % slower, and
// nothing else would show it; nor that the dispatch straddles a cache line.
func TestFastLoopDoesNotSpill(t *testing.T) {
	if runtime.GOARCH != "amd64" || raceEnabled || testing.CoverMode() != "" {
		t.Skip("the check is for plain amd64 builds")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go tool to disassemble with")
	}
	// The binary that go test runs has no symbols.
	self := filepath.Join(t.TempDir(), "vm.test")
	if out, err := exec.Command(goTool, "test", "-c", "-o", self, ".").CombinedOutput(); err != nil {
		t.Skipf("no binary to look at: %v\n%s", err, out)
	}
	out, err := exec.Command(goTool, "tool", "objdump", "-s", `vm\.\(\*Thread\)\.run$`, self).Output()
	if err != nil || len(out) == 0 {
		t.Fatalf("objdump: %v", err)
	}
	lines := strings.Split(string(out), "\n")
	frame, dispatch := "", -1
	for i, l := range lines {
		if m := frameRE.FindStringSubmatch(l); m != nil && frame == "" {
			frame = m[1]
		}
		if dispatchRE.MatchString(l) && dispatch < 0 {
			dispatch = i
		}
	}
	if frame == "" || dispatch < 0 {
		t.Fatal("frame size or table jump not found: has the compiler's output changed?")
	}
	if n, _ := strconv.ParseInt(frame, 0, 64); n > maxFrame {
		t.Errorf("the Go frame of run is %#x bytes, more than %#x", n, maxFrame)
	}
	// The dispatch: from the load of the instruction word to the table jump.
	first := dispatch
	for first > 0 && dispatch-first < 12 && !strings.Contains(lines[first], "MOVQ 0(") {
		first--
	}
	for _, l := range lines[first : dispatch+1] {
		if strings.Contains(l, "(SP)") {
			t.Errorf("the dispatch spills: %s", l)
		}
	}
	// Functions start at multiples of 32: what lies within 32 bytes here does so
	// wherever the linker puts run.
	at := func(i int) uint64 {
		m := addrRE.FindStringSubmatch(lines[i])
		if m == nil {
			return 0
		}
		n, _ := strconv.ParseUint(m[1], 16, 64)
		return n
	}
	start, end := at(first), at(dispatch)+3
	t.Logf("frame %s, dispatch %#x..%#x", frame, start, end)
	if start/32 != end/32 {
		t.Errorf("the dispatch lies across 32 bytes: change the length of Thread.pad")
	}
	if n := dispatch - first; n > 5 {
		t.Errorf("the dispatch has %d instructions before its jump, more than 5: does the switch still list all 256 opcodes?\n%s",
			n, strings.Join(lines[first:dispatch+1], "\n"))
	}
}
