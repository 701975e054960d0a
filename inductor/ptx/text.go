package ptx

import (
	"fmt"
	"strings"

	"github.com/larkspur-ml/larkspur/inductor/loop"
)

// class is a class of virtual registers.
type class uint8

const (
	pred class = iota
	b16
	b32
	b64
	f32
	f64
	numClasses
)

var classNames = [numClasses]string{"%p", "%h", "%r", "%d", "%f", "%e"}
var classTypes = [numClasses]string{".pred", ".b16", ".b32", ".b64", ".f32", ".f64"}

// classOf is where values of a type live.
var classOf = [...]class{loop.B1: pred, loop.I32: b32, loop.I64: b64, loop.F32: f32, loop.F64: f64}

// asm is the text of one entry under construction. Registers are virtual and
// written once but for accumulators and counters; ptxas does the rest.
type asm struct {
	head strings.Builder // what is read from the arguments, before the body
	body strings.Builder
	used [numClasses]int
	lab  int
	smem int // bytes of shared memory
}

func (a *asm) reg(c class) string {
	a.used[c]++
	return fmt.Sprintf("%s%d", classNames[c], a.used[c])
}

func (a *asm) label() string {
	a.lab++
	return fmt.Sprintf("$L%d", a.lab)
}

// op appends one instruction; operands are joined by commas.
func (a *asm) op(name string, operands ...string) {
	a.body.WriteByte('\t')
	a.body.WriteString(name)
	for i, o := range operands {
		if i == 0 {
			a.body.WriteByte(' ')
		} else {
			a.body.WriteString(", ")
		}
		a.body.WriteString(o)
	}
	a.body.WriteString(";\n")
}

// let is op with a new register as its destination.
func (a *asm) let(c class, name string, operands ...string) string {
	d := a.reg(c)
	a.op(name, append([]string{d}, operands...)...)
	return d
}

func (a *asm) mark(label string) { fmt.Fprintf(&a.body, "%s:\n", label) }

// when appends an instruction under a predicate ("" is always).
func (a *asm) when(p, name string, operands ...string) {
	if p != "" {
		name = "@" + p + " " + name
	}
	a.op(name, operands...)
}

// header is what every module starts with. sm_80 has all that is used here, and the
// driver compiles it for any later GPU.
const header = ".version 7.4\n.target sm_80\n.address_size 64\n"

// entry closes the text of a kernel that takes words 64-bit arguments.
func (a *asm) entry(name string, words int, bounds string) string {
	var sb strings.Builder
	sb.WriteString(header)
	if a.smem > staticShared {
		fmt.Fprintf(&sb, "// shared %d\n.extern .shared .align 128 .b8 shared[];\n", a.smem)
	}
	fmt.Fprintf(&sb, ".visible .entry %s(.param .align 8 .b8 args[%d])%s\n{\n", name, 8*words, bounds)
	for c, n := range a.used {
		if n > 0 {
			fmt.Fprintf(&sb, "\t.reg %s %s<%d>;\n", classTypes[c], classNames[c], n+1)
		}
	}
	if a.smem > 0 && a.smem <= staticShared {
		fmt.Fprintf(&sb, "\t.shared .align 128 .b8 shared[%d];\n", a.smem)
	}
	sb.WriteString(a.head.String())
	sb.WriteString(a.body.String())
	sb.WriteString("\tret;\n}\n")
	return sb.String()
}

// staticShared is how much shared memory a text may declare; more is asked for at the
// launch, in a comment that Machine.Load reads.
const staticShared = 48 << 10

// arg is a register that holds argument word i, loaded at the start.
func (a *asm) arg(c class, i int) string {
	d := a.reg(c)
	t := map[class]string{b64: "u64", b32: "u32", f32: "f32", f64: "f64"}[c]
	fmt.Fprintf(&a.head, "\tld.param.%s %s, [args+%d];\n", t, d, 8*i)
	return d
}

func imm(v int64) string        { return fmt.Sprint(v) }
func immF32(bits uint32) string { return fmt.Sprintf("0f%08X", bits) }
func immF64(bits uint64) string { return fmt.Sprintf("0d%016X", bits) }
