package bytecode_test

import (
	"encoding/binary"
	"io"
	"strings"
	"testing"

	. "github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/syntax"
)

// TestVerifierRefuses spoils good code in one way at a time.
func TestVerifierRefuses(t *testing.T) {
	const src = "def f(a):\n    for i in a:\n        try: print(i, a[0], 1.5)\n        except KeyError: pass\n"
	find := func(c *Code, op Op) int {
		for i, w := range c.Ins {
			if w.Op() == op {
				return i
			}
		}
		t.Fatalf("no %s", op)
		return 0
	}
	for name, spoil := range map[string]func(p *Program, c *Code){
		"invariant 1": func(p *Program, c *Code) {
			p.Codes = p.Codes[:1]
			p.Main.Children = nil
			p.Codes = append(p.Codes, nil)
		},
		"invariant 2": func(p *Program, c *Code) { c.NumArgs = 100 },
		"invariant 3": func(p *Program, c *Code) { c.Ins = c.Ins[:len(c.Ins)-1]; c.Spans = c.Spans[:len(c.Ins)] },
		"invariant 4": func(p *Program, c *Code) { c.Free = append(c.Free, Free{Name: "x", Index: 5}) },
		"register": func(p *Program, c *Code) {
			c.Ins[find(c, GETIDX)] |= Ins(0xFFF0) << 16
		},
		"constant": func(p *Program, c *Code) { c.Consts = nil },
		"global":   func(p *Program, c *Code) { p.Globals = nil },
		"window": func(p *Program, c *Code) {
			c.Ins[find(c, CALL)] |= Ins(500) << 32
		},
		"leads to": func(p *Program, c *Code) {
			i := find(c, FORITER)
			c.Ins[i] = c.Ins[i]&^(0xFFFF<<48) | 0x7FFF<<48
		},
		"handler": func(p *Program, c *Code) { c.Handlers[0].Target = len(c.Ins) },
		"flags":   func(p *Program, c *Code) { c.Ins[find(c, FORITER)] |= 1 << 9 },
		"opcode":  func(p *Program, c *Code) { c.Ins[0] = Ins(NumOps) },
		"yield": func(p *Program, c *Code) {
			c.Ins[0] = Ins(YIELD) | Ins(NoReg)<<48
		},
	} {
		p := compile(t, src)
		if err := Verify(p); err != nil {
			t.Fatal(err)
		}
		spoil(p, p.Codes[1])
		err := Verify(p)
		if err == nil || !strings.Contains(strings.ToLower(err.Error()), name) {
			t.Errorf("%s: the verifier says %v", name, err)
		}
	}
}

// FuzzVerify overwrites parts of compiled programs: the verifier and the
// disassembler must come back from whatever there is.
func FuzzVerify(f *testing.F) {
	f.Add([]byte{0, 0, 1, 2, 3, 4, 5, 6, 7, 8}, uint8(0))
	f.Add([]byte{1, 3, 0, 0, 255, 255, 0, 0, 1, 1, 2, 9, 9, 9, 9, 9}, uint8(3))
	sources := []string{
		"def f(a, *b, c=1, **d):\n    for i in a:\n        try: print(i, a[0], 1.5)\n        except KeyError: pass\n    return lambda: a\n",
		"class C(B):\n    def m(self): return super().m()\n",
		"def g():\n    x = yield 1\n    yield from x\n",
		"import a\nwith a as b: print(f'{b!r:3}')\n",
	}
	f.Fuzz(func(t *testing.T, data []byte, which uint8) {
		p := compile(t, sources[int(which)%len(sources)])
		for len(data) >= 10 {
			c := p.Codes[int(data[0])%len(p.Codes)]
			switch data[1] % 8 {
			case 0:
				c.NumRegs = int(int16(binary.LittleEndian.Uint16(data[2:])))
			case 1:
				c.NumArgs = int(int8(data[2]))
				c.NumKwOnly = int(int8(data[3]))
			case 2:
				c.Handlers = append(c.Handlers, Handler{Kind: HandlerKind(data[2]), Start: int(int8(data[3])), End: int(data[4]), Target: int(int8(data[5])), Reg: int(data[6])})
			case 3:
				c.Ins = append(c.Ins, Ins(binary.LittleEndian.Uint64(data[2:])))
				c.Spans = append(c.Spans, syntax.Span{})
			case 4:
				c.Sites, c.Consts = nil, nil
			default:
				c.Ins[int(data[2])%len(c.Ins)] = Ins(binary.LittleEndian.Uint64(data[2:]))
			}
			data = data[10:]
		}
		err := Verify(p)
		Disassemble(io.Discard, p)
		if err == nil {
			for _, c := range p.Codes {
				for pc, w := range c.Ins {
					if w.Op() >= NumOps || w.Op() == END && pc != len(c.Ins)-1 {
						t.Fatalf("pc %d: verified, but %s", pc, w.Op())
					}
				}
			}
		}
	})
}
