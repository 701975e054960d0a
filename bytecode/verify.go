package bytecode

import "fmt"

// Verify checks that p is a program that the machine can run without checks of
// its own: see the invariants in the package's documentation, whose numbers the
// errors give. It never panics, whatever p holds.
func Verify(p *Program) error {
	if p == nil || p.Main == nil || len(p.Codes) == 0 || p.Codes[0] != p.Main {
		return fmt.Errorf("verify: invariant 1: no main code")
	}
	for i, c := range p.Codes {
		if c == nil || c.ID != i || c.Program != p {
			return fmt.Errorf("verify: invariant 1: code %d is not in its place", i)
		}
	}
	if p.Main.Kind != ModuleCode || p.Main.NumParams() != 0 || len(p.Main.Free) != 0 || p.Main.IsGenerator {
		return fmt.Errorf("verify: invariant 1: the main code is not a module's")
	}
	for _, c := range p.Codes {
		if err := verifyCode(p, c); err != nil {
			return fmt.Errorf("verify: %s: %w", c.QualName, err)
		}
	}
	return nil
}

func verifyCode(p *Program, c *Code) error {
	bad := func(inv int, format string, args ...any) error {
		return fmt.Errorf("invariant %d: %s", inv, fmt.Sprintf(format, args...))
	}
	if c.NumRegs < 1 || c.NumRegs > MaxReg {
		return bad(2, "%d registers", c.NumRegs)
	}
	if c.NumPosOnly < 0 || c.NumArgs < c.NumPosOnly || c.NumKwOnly < 0 || c.NumArgs > MaxReg || c.NumKwOnly > MaxReg {
		return bad(2, "parameter counts")
	}
	n := c.NumParams()
	if c.Kind == ClassCode && n != 0 || n > len(c.Locals) || len(c.Locals) > c.NumRegs || c.NumClear < 0 || c.NumClear > c.NumRegs {
		return bad(2, "%d parameters, %d locals, %d registers", n, len(c.Locals), c.NumRegs)
	}
	if len(c.Ins) == 0 || c.Ins[len(c.Ins)-1] != Ins(END) || len(c.Spans) != len(c.Ins) {
		return bad(3, "the code does not close with END")
	}
	for i, k := range c.Children {
		if k == nil || k.ID < 0 || k.ID >= len(p.Codes) || p.Codes[k.ID] != k || k == c || k.ID <= c.ID {
			return bad(4, "child %d", i)
		}
		for _, f := range k.Free {
			if f.Index < 0 || f.FromCell && f.Index >= c.NumRegs || !f.FromCell && f.Index >= len(c.Free) {
				return bad(4, "free variable %s of child %d", f.Name, i)
			}
		}
	}
	for pc, w := range c.Ins {
		if err := verifyIns(p, c, pc, w, bad); err != nil {
			return err
		}
	}
	for i, in := range c.Inline {
		if in.Start < 0 || in.End < in.Start || in.End > len(c.Ins) {
			return bad(6, "inline range %d", i)
		}
	}
	for i, h := range c.Handlers {
		room := 1
		switch h.Kind {
		case CatchHandler, UnhandleHandler:
			room = 2
		case IterHandler:
			room = 3
		default:
			return bad(6, "kind of handler %d", i)
		}
		if h.Start < 0 || h.Start >= h.End || h.End >= len(c.Ins) || h.Reg < 0 || h.Reg+room > c.NumRegs ||
			h.Target < 0 || h.Target >= len(c.Ins)-1 {
			return bad(6, "handler %d", i)
		}
	}
	return nil
}

func verifyIns(p *Program, c *Code, pc int, w Ins, bad func(int, string, ...any) error) error {
	op := w.Op()
	if op >= NumOps || op == END && pc != len(c.Ins)-1 {
		return bad(3, "pc %d: opcode %d", pc, uint8(op))
	}
	row := &Rows[op]
	if w>>8&0xFF != 0 && (w>>8&0xFF != InPlaceBit>>8 || row.Flags&InPlace == 0) {
		return bad(5, "pc %d: %s with flags %#x", pc, op, uint64(w>>8&0xFF))
	}
	last := len(c.Ins) - 1
	wide := row.B == Jump32 || row.B == Const || row.B == Global
	check := func(name byte, k Kind, v uint16) error {
		room := 0
		switch k {
		case None:
			if v != 0 && !(wide && name == 'C') {
				return bad(5, "pc %d: %s has an operand %c", pc, op, name)
			}
			return nil
		case Dst, Src, Mod, Base:
			room = 1
		case Opt:
			if v == NoReg {
				return nil
			}
			room = 1
		case Iter:
			room = 3
		case Catch:
			room = 2
		case Jump:
			if t := pc + 1 + int(int16(v)); t < 0 || t >= last {
				return bad(6, "pc %d: %s leads to %d", pc, op, t)
			}
		case Jump32:
			if t := pc + 1 + w.Jump(); t < 0 || t >= last {
				return bad(6, "pc %d: %s leads to %d", pc, op, t)
			}
		case Const:
			if i := w.BC(); i%RegSize != 0 || int(i/RegSize) >= len(c.Consts) {
				return bad(5, "pc %d: %s: constant %d", pc, op, i)
			}
			if op == CHECK && c.Consts[w.BC()/RegSize].Kind != StrConst {
				return bad(5, "pc %d: CHECK without a name", pc)
			}
		case Global:
			if i := w.BC(); i%RegSize != 0 || int(i/RegSize) >= len(p.Globals) {
				return bad(5, "pc %d: %s: global %d", pc, op, i)
			}
		case Site:
			if int(v) >= len(c.Sites) {
				return bad(5, "pc %d: %s: site %d", pc, op, v)
			}
		case FreeVar:
			if int(v) >= len(c.Free) {
				return bad(5, "pc %d: %s: free variable %d", pc, op, v)
			}
		case Child:
			if int(v) >= len(c.Children) {
				return bad(5, "pc %d: %s: child %d", pc, op, v)
			}
		case Import:
			if int(v) >= len(c.Imports) {
				return bad(5, "pc %d: %s: import %d", pc, op, v)
			}
		}
		if room > 0 && (v%RegSize != 0 || int(v/RegSize)+room > c.NumRegs) {
			return bad(5, "pc %d: %s: operand %c is register %d of %d", pc, op, name, v/RegSize, c.NumRegs)
		}
		return nil
	}
	if err := check('A', row.A, w.A()); err != nil {
		return err
	}
	if err := check('B', row.B, w.B()); err != nil {
		return err
	}
	if !wide {
		if err := check('C', row.C, w.C()); err != nil {
			return err
		}
	}
	if base, n := window(c, w); n > 0 && base+n > c.NumRegs {
		return bad(5, "pc %d: %s: window of %d from register %d of %d", pc, op, n, base, c.NumRegs)
	}
	switch op {
	case CALLK, CALLMK, CALLBK:
		if len(c.Sites[w.C()].Kw) > int(w.B()) {
			return bad(5, "pc %d: %s: more keywords than arguments", pc, op)
		}
	case GETNAME, SETNAME, DELNAME, GETNAMEFREE:
		if c.Kind != ClassCode {
			return bad(7, "pc %d: %s outside a class body", pc, op)
		}
	case YIELD, SEND, GETYIELD:
		if !c.IsGenerator {
			return bad(7, "pc %d: %s outside a generator", pc, op)
		}
	case LOAD:
		if len(c.Imports[w.C()].From)+int(w.A()/RegSize) > c.NumRegs {
			return bad(5, "pc %d: LOAD of too many names", pc)
		}
	}
	return nil
}

// window returns the first register and the number of those that w touches as a run.
func window(c *Code, w Ins) (base, n int) {
	row := w.Op().Row()
	switch {
	case row.A == Base:
		base = int(w.A() / RegSize)
	case row.B == Base:
		base = int(w.B() / RegSize)
	default:
		return 0, 0
	}
	if w.Op() == UNPACKEX {
		return base, int(w.C()&255) + 1 + int(w.C()>>8)
	}
	n = row.Window.Plus
	switch row.Window.Count {
	case 'B':
		n += row.Window.Mul * int(w.B())
	case 'C':
		n += row.Window.Mul * int(w.C())
	}
	return base, n
}
