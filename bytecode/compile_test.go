package bytecode_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	. "github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/resolve"
	"github.com/larkspur-ml/larkspur/lang/syntax"
)

var update = flag.Bool("update", false, "write the golden files anew")

func compile(t testing.TB, src string) *Program {
	t.Helper()
	p, err := CompileSource("x.py", src, syntax.Options{}, resolve.Env{}, ExecMode)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDisassembly(t *testing.T) {
	src, err := os.ReadFile("testdata/basics.py")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for _, chunk := range strings.Split(string(src), "\n---\n") {
		fmt.Fprintf(&got, "%s\n---\n", strings.TrimSpace(chunk))
		p := compile(t, chunk)
		Disassemble(&got, p)
		var again bytes.Buffer
		Disassemble(&again, compile(t, chunk))
		if !bytes.HasSuffix(got.Bytes(), again.Bytes()) {
			t.Error("compiling the same text again gives other code")
		}
		fmt.Fprintln(&got, "===")
	}
	const golden = "testdata/basics.golden"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		g, w := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
		for i := range g {
			if i >= len(w) || g[i] != w[i] {
				t.Fatalf("line %d: got %q (run with -update if that is right)", i+1, g[i])
			}
		}
		t.Fatal("the golden file has more lines")
	}
}

// TestRows checks that the table names each opcode and describes it.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for op := range NumOps {
		row := op.Row()
		if row.Name == "" || row.Picture == "" {
			t.Errorf("opcode %d has no row", op)
		}
		if seen[row.Name] {
			t.Errorf("%s stands twice", row.Name)
		}
		seen[row.Name] = true
		switch row.Result {
		case ToA, BoolToA, NotToA, Iterate:
			if row.A != Dst && row.A != Base && row.A != Mod {
				t.Errorf("%s gives a result, but A is not written", row.Name)
			}
		case JumpIf, JumpIfNot:
			if row.C != Jump {
				t.Errorf("%s jumps on a result, but C is no jump", row.Name)
			}
		}
		if (row.Window.Count == 'B' && row.B != Uint) || (row.Window.Count == 'C' && row.C != Uint) {
			t.Errorf("%s counts its window by a field that is no count", row.Name)
		}
	}
}

// TestLongJumps compiles loops and branches that are too long for a jump of 16 bits.
func TestLongJumps(t *testing.T) {
	var b strings.Builder
	b.WriteString("def f(x):\n for i in x:\n  if i:\n")
	for i := range 20000 {
		fmt.Fprintf(&b, "   x[%d] = i\n", i)
	}
	b.WriteString("  else:\n   x = 1\n")
	p := compile(t, b.String())
	f := p.Codes[1]
	if len(f.Ins) < 1<<15 {
		t.Fatalf("only %d instructions", len(f.Ins))
	}
}

func TestManyElements(t *testing.T) {
	for _, src := range []string{
		"x = [" + strings.Repeat("y, ", 6000) + "]\n",
		"x = (" + strings.Repeat("y, ", 6000) + ")\n",
		"x = {" + strings.Repeat("y, ", 6000) + "}\n",
		"x = {" + strings.Repeat("y: z, ", 6000) + "}\n",
		"x(" + strings.Repeat("y, ", 6000) + ")\n",
		"x = " + strings.Repeat("y + ", 1500) + "y\n",
		"x = f'" + strings.Repeat("{y} ", 3000) + "'\n",
	} {
		if p := compile(t, src); p.Main.NumRegs > 300 {
			t.Errorf("%.20s… needs %d registers", src, p.Main.NumRegs)
		}
	}
}

func TestTooManyRegisters(t *testing.T) {
	var b strings.Builder
	b.WriteString("def f():\n")
	for i := range 5000 {
		fmt.Fprintf(&b, " v%d = 1\n", i)
	}
	_, err := CompileSource("x.py", b.String(), syntax.Options{}, resolve.Env{}, ExecMode)
	if err == nil || !strings.Contains(err.Error(), "4095 registers") {
		t.Fatalf("error %v", err)
	}
}

func TestCompileErrors(t *testing.T) {
	for src, want := range map[string]string{
		"try: pass\nexcept* ValueError: pass\n": "except* is not supported",
		"*a = 1\n":                              "starred assignment target must be in a list or tuple",
	} {
		_, err := CompileSource("x.py", src, syntax.Options{}, resolve.Env{}, ExecMode)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", src, err, want)
		}
	}
}
