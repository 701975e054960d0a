package larkspur

import (
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/tracer"
)

func TestJITOne(t *testing.T) {
	seed := *jitSeed
	p := randomProgram(rand.New(rand.NewSource(seed)))
	os.WriteFile("/tmp/prog.py", []byte(p.src+"\n# MUT\n"+strings.Join(p.muts, "\n# --\n")), 0o644)
	f, _ := os.Create("/tmp/prog.trace")
	defer f.Close()
	w := newTwins(t, p.src, func(o *tracer.Options) {
		o.Dump = func(stage, name, text string) { fmt.Fprintf(f, "[%s] %s", stage, text) }
	})
	for i, m := range p.muts {
		fmt.Fprintf(f, "=== call %d\n", i)
		if d := w.call("main"); d != "" {
			t.Errorf("call %d: %s", i, d)
			os.WriteFile("/tmp/out0", []byte(w.out[0].String()), 0o644)
			os.WriteFile("/tmp/out1", []byte(w.out[1].String()), 0o644)
			return
		}
		fmt.Fprintf(f, "=== mutation %s\n", m)
		if m != "" {
			if d := w.exec(m); d != "" {
				t.Errorf("mutation %d: %s", i, d)
				return
			}
		}
	}
}
