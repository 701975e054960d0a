package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// width is the size of a PTX type in bytes.
func width(t string) int {
	switch t {
	case "pred":
		return 1
	case "u8", "s8", "b8":
		return 1
	case "u16", "s16", "b16", "f16", "bf16":
		return 2
	case "u32", "s32", "b32", "f32", "f16x2", "bf16x2":
		return 4
	case "u64", "s64", "b64", "f64":
		return 8
	}
	return 0
}

// get reads an operand as bits of a type.
func (t *thread) get(o *operand, typ string) uint64 {
	switch o.kind {
	case opReg:
		if !t.set[o.reg] {
			t.bad = true
		}
		return t.regs[o.reg]
	case opImm:
		if o.isF {
			if typ == "f64" || typ == "b64" {
				return math.Float64bits(o.flt)
			}
			return uint64(math.Float32bits(float32(o.flt)))
		}
		if width(typ) <= 4 {
			return uint64(uint32(o.imm))
		}
		return o.imm
	case opSpecial:
		switch o.sym {
		case "%tid.x":
			return uint64(t.id)
		case "%laneid":
			return uint64(t.id & 31)
		case "%ctaid.x":
			return uint64(t.b.x)
		case "%ctaid.y":
			return uint64(t.b.y)
		case "%ctaid.z":
			return 0
		case "%ntid.x":
			return uint64(len(t.b.threads))
		case "%nctaid.x":
			return uint64(t.b.nx)
		case "%nctaid.y":
			return uint64(t.b.ny)
		}
	case opSym:
		return t.b.c.syms[o.sym]
	}
	panic("BUG: sim: operand")
}

func (t *thread) put(o *operand, v uint64) {
	t.regs[o.reg], t.set[o.reg] = v, true
}

// mem is n bytes at a memory operand.
func (t *thread) mem(o *operand, space string, n int) ([]byte, error) {
	base := uint64(0)
	if o.reg >= 0 {
		base = t.get(&operand{kind: opReg, reg: o.reg}, "u64")
	} else if space == "shared" {
		base = t.b.c.syms[o.sym]
	}
	addr := base + uint64(o.off)
	if space == "shared" {
		addr = uint64(uint32(addr))
		if addr%uint64(n) != 0 {
			return nil, fmt.Errorf("misaligned shared address %#x", addr)
		}
		if addr+uint64(n) > uint64(len(t.b.shared)) {
			return nil, fmt.Errorf("shared address %#x of %#x", addr, len(t.b.shared))
		}
		return t.b.shared[addr:][:n], nil
	}
	if addr%uint64(n) != 0 {
		return nil, fmt.Errorf("misaligned address %#x for %d bytes", addr, n)
	}
	return t.b.m.within(addr, n)
}

func readBits(b []byte, typ string) uint64 {
	switch typ {
	case "u8", "b8":
		return uint64(b[0])
	case "s8":
		return uint64(uint32(int32(int8(b[0]))))
	case "u16", "b16":
		return uint64(binary.LittleEndian.Uint16(b))
	case "s16":
		return uint64(uint32(int32(int16(binary.LittleEndian.Uint16(b)))))
	case "u32", "s32", "b32", "f32":
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func writeBits(b []byte, v uint64) {
	switch len(b) {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// build makes an instruction's effect.
func (c *code) build(in *inst, name string, ops []operand) error {
	p := strings.Split(name, ".")
	typ := p[len(p)-1]
	has := func(s string) bool {
		for _, x := range p[1:] {
			if x == s {
				return true
			}
		}
		return false
	}
	switch p[0] {
	case "ret":
		in.ret = true
		return nil
	case "bar":
		if p[1] == "warp" {
			in.warp = func([]*thread) error { return nil }
		} else {
			in.block = true
		}
		return nil
	case "membar", "fence", "cp":
		if p[0] == "cp" && len(ops) >= 3 {
			return c.copyAsync(in, ops)
		}
		in.run = func(*thread) error { return nil }
		return nil
	case "ld", "st":
		return c.memory(in, p, typ, ops)
	case "atom", "red":
		return c.atomic(in, p, typ, ops)
	case "shfl":
		return c.shuffle(in, p, ops)
	case "mma", "ldmatrix":
		return c.matrix(in, name, ops)
	case "mov":
		return c.move(in, typ, ops)
	}
	f, src, err := alu(p, typ, has)
	if err != nil {
		return err
	}
	if len(ops) < 1 || ops[0].kind != opReg {
		return fmt.Errorf("no destination")
	}
	args := ops[1:]
	in.run = func(t *thread) error {
		var v [4]uint64
		for i := range args {
			ty := src
			if i == len(args)-1 && p[0] == "selp" {
				ty = "pred"
			}
			v[i] = t.get(&args[i], ty)
		}
		t.put(&ops[0], f(v[0], v[1], v[2], v[3]))
		return nil
	}
	return nil
}

func (c *code) move(in *inst, typ string, ops []operand) error {
	d, s := ops[0], ops[1]
	switch {
	case d.kind == opList:
		n := uint(width(typ) * 8 / len(d.list))
		in.run = func(t *thread) error {
			v := t.get(&s, typ)
			for i := range d.list {
				t.put(&d.list[i], v>>(uint(i)*n)&(1<<n-1))
			}
			return nil
		}
	case s.kind == opList:
		n := uint(width(typ) * 8 / len(s.list))
		in.run = func(t *thread) error {
			v := uint64(0)
			for i := range s.list {
				v |= (t.get(&s.list[i], "b32") & (1<<n - 1)) << (uint(i) * n)
			}
			t.put(&d, v)
			return nil
		}
	default:
		in.run = func(t *thread) error {
			t.put(&d, t.get(&s, typ))
			return nil
		}
	}
	return nil
}

func (c *code) memory(in *inst, p []string, typ string, ops []operand) error {
	space := p[1]
	if space == "volatile" {
		space = p[2]
	}
	reg, mem := &ops[0], &ops[1]
	if p[0] == "st" {
		reg, mem = &ops[1], &ops[0]
	}
	list := []operand{*reg}
	if reg.kind == opList {
		list = reg.list
	}
	w := width(typ)
	if w == 0 || mem.kind != opMem {
		return fmt.Errorf("bad memory access")
	}
	if space == "param" {
		in.run = func(t *thread) error {
			v := t.b.args[mem.off/8]
			if w == 4 {
				v = uint64(uint32(v))
			}
			t.put(&list[0], v)
			return nil
		}
		return nil
	}
	in.run = func(t *thread) error {
		b, err := t.mem(mem, space, w*len(list))
		if err != nil {
			return err
		}
		for i := range list {
			if p[0] == "ld" {
				t.put(&list[i], readBits(b[i*w:], typ))
			} else {
				writeBits(b[i*w:][:w], t.get(&list[i], typ))
			}
		}
		return nil
	}
	return nil
}

func (c *code) copyAsync(in *inst, ops []operand) error {
	n := int(ops[2].imm)
	in.run = func(t *thread) error {
		d, err := t.mem(&ops[0], "shared", n)
		if err != nil {
			return err
		}
		take := n
		if len(ops) > 3 {
			take = int(t.get(&ops[3], "u32"))
		}
		clear(d)
		if take == 0 {
			return nil
		}
		addr := t.get(&operand{kind: opReg, reg: ops[1].reg}, "u64") + uint64(ops[1].off)
		if addr%uint64(n) != 0 || take > n {
			return fmt.Errorf("%d bytes of %d from address %#x", take, n, addr)
		}
		s, err := t.b.m.within(addr, take)
		if err == nil {
			copy(d[:take], s)
		}
		return err
	}
	return nil
}

func (c *code) atomic(in *inst, p []string, typ string, ops []operand) error {
	what := p[2]
	if p[0] == "red" {
		ops = append([]operand{{kind: opReg, reg: -1}}, ops...)
	}
	var f func(a, b, c, d uint64) uint64
	if what != "cas" {
		var err error
		if f, _, err = alu([]string{what, typ}, typ, func(string) bool { return false }); err != nil {
			return err
		}
	}
	w := width(typ)
	in.run = func(t *thread) error {
		b, err := t.mem(&ops[1], "global", w)
		if err != nil {
			return err
		}
		old := readBits(b, typ)
		x := t.get(&ops[2], typ)
		if what == "cas" {
			if old == x {
				writeBits(b, t.get(&ops[3], typ))
			}
		} else {
			writeBits(b, f(old, x, 0, 0))
		}
		if ops[0].reg >= 0 {
			t.put(&ops[0], old)
		}
		return nil
	}
	return nil
}

func (c *code) shuffle(in *inst, p []string, ops []operand) error {
	if p[2] != "bfly" && p[2] != "idx" {
		return fmt.Errorf("unknown shuffle")
	}
	in.warp = func(w []*thread) error {
		vals := map[int]uint64{}
		for _, t := range w {
			vals[t.id] = t.get(&ops[1], "b32")
		}
		for _, t := range w {
			from := int(t.get(&ops[2], "u32"))
			if p[2] == "bfly" {
				from ^= t.id & 31
			}
			v, ok := vals[t.id&^31+from]
			if !ok {
				return fmt.Errorf("a shuffle from a lane that is not there")
			}
			t.put(&ops[0], v)
		}
		return nil
	}
	return nil
}
