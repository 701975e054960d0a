package loop

import (
	"fmt"
	"math"
	"strings"
)

// String is the text form of a kernel (package doc).
func (k *Kernel) String() string {
	p := &printer{k: k}
	p.line("kernel %s", k.Name)
	p.depth++
	for i, b := range k.Bufs {
		p.line("buf %d %s %s %s", i, [...]string{"in", "out", "inout"}[b.Role], b.DType, b.Name)
	}
	for i, e := range k.Params {
		p.line("param p%d = %s", i, e)
	}
	for i, t := range k.Scalars {
		p.line("scalar c%d %s", i, t)
	}
	for i, c := range k.Checks {
		p.line("check %d %s %q", i, c.Kind, c.Msg)
	}
	p.block(k.Body)
	return p.sb.String()
}

type printer struct {
	k     *Kernel
	sb    strings.Builder
	depth int
}

func (p *printer) line(format string, a ...any) {
	for range p.depth {
		p.sb.WriteString("  ")
	}
	fmt.Fprintf(&p.sb, format, a...)
	p.sb.WriteByte('\n')
}

func (x P) String() string {
	if x.Par == 0 {
		return fmt.Sprint(x.Imm)
	}
	return fmt.Sprintf("p%d", x.Par-1)
}

func (v V) String() string { return fmt.Sprintf("v%d", int32(v)) }

func (m *Access) String() string {
	var t []string
	if m.Off != (P{}) {
		t = append(t, m.Off.String())
	}
	one := Imm(1)
	for _, x := range m.Terms {
		if x.Stride == one {
			t = append(t, fmt.Sprintf("a%d", x.Axis))
		} else {
			t = append(t, fmt.Sprintf("a%d*%s", x.Axis, x.Stride))
		}
	}
	for _, d := range m.Dyn {
		t = append(t, fmt.Sprintf("(%s<%s)*%s", d.Index, d.Lim, d.Stride))
	}
	if len(t) == 0 {
		t = []string{"0"}
	}
	s := fmt.Sprintf("%d[%s]", m.Buf, strings.Join(t, " + "))
	if m.Mask != 0 {
		s += " if " + m.Mask.String()
	}
	return s
}

func (p *printer) block(body []Stmt) {
	for _, s := range body {
		switch s := s.(type) {
		case *Let:
			p.line("%s %s = %s", s.V, s.Type, s.expr())
		case *Store:
			p.line("store %s %s", s.Mem, s.Val)
		case *Atomic:
			p.line("atomic %s %s %s", [...]string{"add", "mul", "min", "max", "set"}[s.Op], s.Mem, s.Val)
		case *Assert:
			t := ""
			if s.Mask != 0 {
				t = " if " + s.Mask.String()
			}
			p.line("assert %s check %d%s", s.Cond, s.Check, t)
		case *Loop:
			p.loop(s)
		}
	}
}

func (p *printer) loop(l *Loop) {
	head := fmt.Sprintf("%s a%d < %s {", l.Kind, l.Axis, l.Extent)
	for _, c := range l.Carry {
		head += fmt.Sprintf(" %s %s = %s", c.Phi, c.Type, c.Init)
	}
	p.line("%s", head)
	p.depth++
	p.block(l.Body)
	p.depth--
	tail := "}"
	for _, c := range l.Carry {
		tail += fmt.Sprintf(" %s = last %s", c.Out, c.Next)
	}
	for _, f := range l.Folds {
		if f.Op.HasIndex() {
			tail += fmt.Sprintf(" %s, %s = %s %s, %s", f.Out, f.OutIx, f.Op, f.In, f.InIdx)
		} else {
			tail += fmt.Sprintf(" %s = %s %s", f.Out, f.Op, f.In)
		}
	}
	p.line("%s", tail)
}

func (l *Let) expr() string {
	switch l.Op {
	case OpConst:
		switch l.Type {
		case F32:
			return fmt.Sprint(math.Float32frombits(uint32(l.Bits)))
		case F64:
			return fmt.Sprint(math.Float64frombits(l.Bits))
		case B1:
			return fmt.Sprint(l.Bits != 0)
		}
		return fmt.Sprint(int64(l.Bits))
	case OpScalar:
		return fmt.Sprintf("c%d", l.Slot)
	case OpParam:
		return l.P.String()
	case OpAxis:
		return fmt.Sprintf("a%d", l.Slot)
	case OpLoad:
		return "load " + l.Mem.String()
	}
	s := l.Op.String()
	if l.Op == OpRound {
		s += " " + l.DType.String()
	}
	for _, a := range []V{l.A, l.B, l.C}[:l.Op.Arity()] {
		s += " " + a.String()
	}
	return s
}
