package sim

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// inst is one instruction, or a place to jump to.
type inst struct {
	line   int
	text   string
	guard  int // register of the predicate; -1: none
	negate bool
	run    func(t *thread) error   // a thread alone
	warp   func(w []*thread) error // the lanes of a warp together
	block  bool                    // waits for all threads of the block
	jump   int                     // of a branch
	branch bool
	ret    bool
}

// code is a parsed entry.
type code struct {
	insts  []inst
	regs   map[string]int
	shared int
	params int
	syms   map[string]uint64 // offsets of shared variables
}

// operand is what stands in an instruction.
type operand struct {
	kind opKind
	reg  int
	imm  uint64 // as an integer
	flt  float64
	isF  bool
	sym  string
	off  int64
	list []operand
}

type opKind uint8

const (
	opReg opKind = iota
	opImm
	opSpecial
	opMem // [reg+off] or [sym+off]
	opList
	opSym
)

func parse(text string) (*code, error) {
	c := &code{regs: map[string]int{}, syms: map[string]uint64{}}
	labels := map[string]int{}
	type jump struct {
		at    int
		label string
	}
	var jumps []jump
	dynamic := 0 // bytes of shared memory that the launch gives
	for n, line := range strings.Split(text, "\n") {
		if rest, ok := strings.CutPrefix(line, "// shared "); ok {
			dynamic, _ = strconv.Atoi(rest)
		}
		if i := strings.Index(line, "//"); i >= 0 {
			line = line[:i]
		}
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line == "{" || line == "}" || line == ")":
			continue
		case strings.HasSuffix(line, ":"):
			labels[line[:len(line)-1]] = len(c.insts)
			continue
		case strings.HasPrefix(line, "."):
			if err := c.directive(line); err != nil {
				return nil, fmt.Errorf("line %d: %s: %w", n+1, line, err)
			}
			continue
		}
		in := inst{line: n + 1, text: line, guard: -1}
		s := strings.TrimSuffix(line, ";")
		if s[0] == '@' {
			p, rest, _ := strings.Cut(s[1:], " ")
			if p[0] == '!' {
				in.negate, p = true, p[1:]
			}
			r, ok := c.regs[p]
			if !ok {
				return nil, fmt.Errorf("line %d: unknown register %s", n+1, p)
			}
			in.guard, s = r, strings.TrimSpace(rest)
		}
		name, rest, _ := strings.Cut(s, " ")
		var ops []operand
		if name == "bra" || name == "bra.uni" {
			in.branch = true
			jumps = append(jumps, jump{len(c.insts), strings.TrimSpace(rest)})
		} else {
			for _, o := range split(rest) {
				x, err := c.operand(o)
				if err != nil {
					return nil, fmt.Errorf("line %d: %s: %w", n+1, line, err)
				}
				ops = append(ops, x)
			}
			if err := c.build(&in, name, ops); err != nil {
				return nil, fmt.Errorf("line %d: %s: %w", n+1, line, err)
			}
		}
		c.insts = append(c.insts, in)
	}
	for _, j := range jumps {
		at, ok := labels[j.label]
		if !ok {
			return nil, fmt.Errorf("line %d: no label %s", c.insts[j.at].line, j.label)
		}
		c.insts[j.at].jump = at
	}
	c.shared += dynamic
	return c, nil
}

func (c *code) directive(line string) error {
	f := strings.Fields(strings.TrimSuffix(line, ";"))
	switch f[0] {
	case ".version", ".target", ".address_size", ".visible", ".maxntid", ".minnctapersm":
		if i := strings.Index(line, "args["); i >= 0 {
			n, _, _ := strings.Cut(line[i+5:], "]")
			c.params, _ = strconv.Atoi(n)
		}
		return nil
	case ".reg":
		name, count, ok := strings.Cut(f[2], "<")
		if !ok {
			c.regs[f[2]] = len(c.regs)
			return nil
		}
		n, err := strconv.Atoi(strings.TrimSuffix(count, ">"))
		for i := range n {
			c.regs[name+strconv.Itoa(i)] = len(c.regs)
		}
		return err
	case ".shared", ".extern":
		last := f[len(f)-1]
		name, count, _ := strings.Cut(last, "[")
		n, _ := strconv.Atoi(strings.TrimSuffix(count, "]"))
		c.shared = (c.shared + 127) &^ 127
		c.syms[name] = uint64(c.shared)
		c.shared += n
		return nil
	}
	return fmt.Errorf("unknown directive")
}

// split cuts operands at commas outside of brackets.
func split(s string) []string {
	var out []string
	depth, from := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	if t := strings.TrimSpace(s[from:]); t != "" {
		out = append(out, t)
	}
	return out
}

func (c *code) operand(s string) (operand, error) {
	switch {
	case s[0] == '{':
		o := operand{kind: opList}
		for _, e := range split(s[1 : len(s)-1]) {
			x, err := c.operand(e)
			if err != nil {
				return o, err
			}
			o.list = append(o.list, x)
		}
		return o, nil
	case s[0] == '[':
		o := operand{kind: opMem, reg: -1}
		base, off, has := strings.Cut(s[1:len(s)-1], "+")
		if has {
			n, err := strconv.ParseInt(strings.TrimSpace(off), 0, 64)
			if err != nil {
				return o, err
			}
			o.off = n
		}
		base = strings.TrimSpace(base)
		if base[0] == '%' {
			r, ok := c.regs[base]
			if !ok {
				return o, fmt.Errorf("unknown register %s", base)
			}
			o.reg = r
		} else {
			o.sym = base
		}
		return o, nil
	case s[0] == '%':
		if r, ok := c.regs[s]; ok {
			return operand{kind: opReg, reg: r}, nil
		}
		switch s {
		case "%tid.x", "%ctaid.x", "%ctaid.y", "%ctaid.z", "%ntid.x", "%nctaid.x", "%nctaid.y", "%laneid":
			return operand{kind: opSpecial, sym: s}, nil
		}
		return operand{}, fmt.Errorf("unknown register %s", s)
	case strings.HasPrefix(s, "0f"):
		n, err := strconv.ParseUint(s[2:], 16, 32)
		return operand{kind: opImm, imm: n, isF: true, flt: float64(math.Float32frombits(uint32(n)))}, err
	case strings.HasPrefix(s, "0d"):
		n, err := strconv.ParseUint(s[2:], 16, 64)
		return operand{kind: opImm, imm: n, isF: true, flt: math.Float64frombits(n)}, err
	case s[0] >= '0' && s[0] <= '9' || s[0] == '-':
		if n, err := strconv.ParseInt(s, 0, 64); err == nil {
			return operand{kind: opImm, imm: uint64(n)}, nil
		}
		n, err := strconv.ParseUint(s, 0, 64)
		return operand{kind: opImm, imm: n}, err
	}
	return operand{kind: opSym, sym: s}, nil
}
