package bytecode

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Disassemble writes the text form of all code of p. Equal programs give equal
// text.
func Disassemble(w io.Writer, p *Program) {
	fmt.Fprintf(w, "program %s dialect %s\n", p.File, p.Options.Dialect)
	if len(p.Globals) > 0 {
		fmt.Fprintf(w, "globals %s\n", strings.Join(p.Globals, " "))
	}
	for _, c := range p.Codes {
		fmt.Fprintln(w)
		c.Disassemble(w)
	}
}

var codeKinds = [...]string{"module", "function", "lambda", "comprehension", "class"}

// Disassemble writes the text form of c alone.
func (c *Code) Disassemble(w io.Writer) {
	fmt.Fprintf(w, "%s %s", codeKinds[c.Kind], c.QualName)
	if c.IsGenerator {
		fmt.Fprint(w, " generator")
	}
	fmt.Fprintf(w, " regs=%d", c.NumRegs)
	if n := c.NumParams(); n > 0 {
		fmt.Fprintf(w, " params=%d/%d/%d", c.NumPosOnly, c.NumArgs, c.NumKwOnly)
		if c.HasVarArg {
			fmt.Fprint(w, " *")
		}
		if c.HasKwArg {
			fmt.Fprint(w, " **")
		}
	}
	fmt.Fprintln(w)
	names := map[int]string{}
	for i, n := range c.Locals {
		names[i] = n
	}
	for _, cell := range c.Cells {
		names[cell.Reg] = cell.Name + "°"
	}
	for i := 0; i < c.NumRegs; i++ {
		if n := names[i]; n != "" {
			fmt.Fprintf(w, "  r%d = %s\n", i, n)
		}
	}
	for i, f := range c.Free {
		from := "free"
		if f.FromCell {
			from = "r"
		}
		fmt.Fprintf(w, "  free %d = %s from %s%d\n", i, f.Name, from, f.Index)
	}
	target := map[int]bool{}
	for pc, i := range c.Ins {
		row := i.Op().Row()
		if row.B == Jump32 || row.C == Jump {
			target[pc+1+i.Jump()] = true
		}
	}
	for _, h := range c.Handlers {
		if h.Kind == CatchHandler {
			target[h.Target] = true
		}
	}
	line := int32(0)
	for pc, i := range c.Ins {
		mark := " "
		if target[pc] {
			mark = ">"
		}
		num := ""
		if l := c.Spans[pc].Start.Line; l != line {
			num = strconv.Itoa(int(l))
			line = l
		}
		fmt.Fprintf(w, "%5s %s %3d  %s\n", num, mark, pc, c.text(pc, i))
	}
	for _, h := range c.Handlers {
		switch h.Kind {
		case CatchHandler:
			fmt.Fprintf(w, "  catch %d..%d -> %d r%d\n", h.Start, h.End, h.Target, h.Reg)
		case UnhandleHandler:
			fmt.Fprintf(w, "  unhandle %d..%d r%d\n", h.Start, h.End, h.Reg)
		case IterHandler:
			fmt.Fprintf(w, "  iterdone %d..%d r%d\n", h.Start, h.End, h.Reg)
		}
	}
}

// text is one instruction in text form.
func (c *Code) text(pc int, i Ins) string {
	op := i.Op()
	row := op.Row()
	var b strings.Builder
	name := op.String()
	if i.InPlace() {
		name += "="
	}
	fmt.Fprintf(&b, "%-10s", name)
	sep := " "
	note := ""
	operand := func(k Kind, v uint16) {
		if k == None || k == Opt && v == NoReg {
			return
		}
		b.WriteString(sep)
		sep = ", "
		switch k {
		case Imm:
			fmt.Fprintf(&b, "%d", int16(v))
		case Uint:
			fmt.Fprintf(&b, "%d", v)
		case Jump, Jump32:
			fmt.Fprintf(&b, "->%d", pc+1+i.Jump())
		case Const:
			k := int(i.BC() / RegSize)
			fmt.Fprintf(&b, "k%d", k)
			if k < len(c.Consts) {
				note = c.Consts[k].text()
			}
		case Global:
			g := int(i.BC() / RegSize)
			fmt.Fprintf(&b, "g%d", g)
			if c.Program != nil && g < len(c.Program.Globals) {
				note = c.Program.Globals[g]
			}
		case Site:
			fmt.Fprintf(&b, "s%d", v)
			if int(v) < len(c.Sites) {
				s := c.Sites[v]
				note = s.Name
				if s.Kw != nil {
					note += "(" + strings.Join(s.Kw, "=, ") + "=)"
				}
			}
		case FreeVar:
			fmt.Fprintf(&b, "f%d", v)
			if int(v) < len(c.Free) {
				note = c.Free[v].Name
			}
		case Child:
			fmt.Fprintf(&b, "c%d", v)
			if int(v) < len(c.Children) {
				note = c.Children[v].QualName
			}
		case Import:
			fmt.Fprintf(&b, "i%d", v)
			if int(v) < len(c.Imports) {
				m := c.Imports[v]
				note = strings.Repeat(".", m.Level) + m.Module
				if len(m.From) > 0 {
					note += " (" + strings.Join(m.From, ", ") + ")"
				}
			}
		default:
			fmt.Fprintf(&b, "r%d", v/RegSize)
		}
	}
	operand(row.A, i.A())
	operand(row.B, i.B())
	if row.B != Jump32 && row.B != Const && row.B != Global {
		operand(row.C, i.C())
	}
	if note != "" {
		b.WriteString("  ; " + note)
	}
	return strings.TrimRight(b.String(), " ")
}

func (k Constant) text() string {
	switch k.Kind {
	case NoneConst:
		return "None"
	case BoolConst:
		if k.Int != 0 {
			return "True"
		}
		return "False"
	case EllipsisConst:
		return "..."
	case IntConst:
		return strconv.FormatInt(k.Int, 10)
	case BigConst:
		return k.Big.String()
	case FloatConst:
		s := strconv.FormatFloat(k.Float, 'g', -1, 64)
		if !strings.ContainsAny(s, ".eIN") {
			s += ".0"
		}
		return s
	case ImagConst:
		return strconv.FormatFloat(k.Float, 'g', -1, 64) + "j"
	case StrConst:
		return strconv.Quote(k.Str)
	case BytesConst:
		return "b" + strconv.Quote(k.Str)
	}
	elts := make([]string, len(k.Elts))
	for i, e := range k.Elts {
		elts[i] = e.text()
	}
	return "(" + strings.Join(elts, ", ") + ")"
}
