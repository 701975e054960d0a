package asm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// Asm is code under construction.
type Asm struct {
	b      []byte
	labels []int32 // position, -1: not bound
	fixes  []fix
	consts map[constKey]Label
	pool   []constant
	repeat int // bytes to which a constant is repeated; 0: as it is, for broadcast
	err    error
	text   *strings.Builder
}

type fix struct {
	at, end int32
	label   Label
}

type constKey struct {
	size int
	bits uint64
	data string
}

type constant struct {
	label Label
	data  []byte
	align int
}

// New makes an Asm. Constants are repeated to the given number of bytes, or with
// 0 kept once and read by broadcast.
func New(repeat int) *Asm { return &Asm{repeat: repeat, consts: map[constKey]Label{}} }

// List asks for a text, one line an instruction.
func (a *Asm) List() { a.text = &strings.Builder{} }

// Listing is the text so far.
func (a *Asm) Listing() string {
	if a.text == nil {
		return ""
	}
	return a.text.String()
}

// Pos is the number of bytes so far.
func (a *Asm) Pos() int { return len(a.b) }

// Err is the first error.
func (a *Asm) Err() error { return a.err }

func (a *Asm) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("asm: "+format, args...)
	}
}

func (a *Asm) line(format string, args ...any) {
	if a.text != nil {
		fmt.Fprintf(a.text, format+"\n", args...)
	}
}

// NewLabel makes a label that is bound later.
func (a *Asm) NewLabel() Label {
	a.labels = append(a.labels, -1)
	return Label(len(a.labels) - 1)
}

// Bind puts a label here.
func (a *Asm) Bind(l Label) {
	if int(l) >= len(a.labels) || a.labels[l] >= 0 {
		a.fail("label %d is bound twice or unknown", l)
		return
	}
	a.labels[l] = int32(len(a.b))
	a.line("L%d:", l)
}

// Here is a new label bound here.
func (a *Asm) Here() Label {
	l := a.NewLabel()
	a.Bind(l)
	return l
}

var nops = [...]string{"", "\x90", "\x66\x90", "\x0f\x1f\x00", "\x0f\x1f\x40\x00", "\x0f\x1f\x44\x00\x00", "\x66\x0f\x1f\x44\x00\x00", "\x0f\x1f\x80\x00\x00\x00\x00", "\x0f\x1f\x84\x00\x00\x00\x00\x00"}

// Align pads with instructions that do nothing.
func (a *Asm) Align(n int) {
	p := (n - len(a.b)%n) % n
	for p > 0 {
		k := min(p, 8)
		a.b = append(a.b, nops[k]...)
		p -= k
	}
}

// Const32 is a constant of 4-byte elements as an operand for all lanes.
func (a *Asm) Const32(bits uint32) RM { return a.constant(4, uint64(bits)) }

// Const64 is one of 8-byte elements.
func (a *Asm) Const64(bits uint64) RM { return a.constant(8, bits) }

func (a *Asm) constant(size int, bits uint64) RM {
	key := constKey{size: size, bits: bits}
	l, ok := a.consts[key]
	if !ok {
		data := make([]byte, 0, max(size, a.repeat))
		for len(data) < max(size, a.repeat) {
			if size == 4 {
				data = binary.LittleEndian.AppendUint32(data, uint32(bits))
			} else {
				data = binary.LittleEndian.AppendUint64(data, bits)
			}
		}
		l = a.addConst(key, data)
	}
	return M(Mem{Rip: true, Label: l, Bcast: a.repeat == 0})
}

// Data is constant bytes as memory.
func (a *Asm) Data(data []byte) Mem {
	key := constKey{size: len(data), data: string(data)}
	l, ok := a.consts[key]
	if !ok {
		l = a.addConst(key, data)
	}
	return Mem{Rip: true, Label: l}
}

func (a *Asm) addConst(key constKey, data []byte) Label {
	l := a.NewLabel()
	a.consts[key] = l
	align := 4
	for align < len(data) && align < 64 {
		align *= 2
	}
	a.pool = append(a.pool, constant{l, data, align})
	return l
}

// Finish appends the constants, resolves labels and returns the code.
func (a *Asm) Finish() ([]byte, error) {
	for align := 64; align >= 4; align /= 2 {
		for _, c := range a.pool {
			if c.align == align {
				for len(a.b)%align != 0 {
					a.b = append(a.b, 0xcc)
				}
				a.labels[c.label] = int32(len(a.b))
				a.b = append(a.b, c.data...)
			}
		}
	}
	for _, f := range a.fixes {
		p := a.labels[f.label]
		if p < 0 {
			return nil, errors.New("asm: a label is used and never bound")
		}
		binary.LittleEndian.PutUint32(a.b[f.at:], uint32(p-f.end))
	}
	return a.b, a.err
}

func (a *Asm) imm32(v int32) { a.b = binary.LittleEndian.AppendUint32(a.b, uint32(v)) }

// fixHere marks the 4 bytes just appended as the distance to a label; trail
// bytes of the instruction follow.
func (a *Asm) fixHere(l Label, trail int32) {
	p := int32(len(a.b))
	if int(l) >= len(a.labels) || l < 0 {
		a.fail("label %d is unknown", l)
		return
	}
	a.fixes = append(a.fixes, fix{p - 4, p + trail, l})
}

func (a *Asm) checkMem(m *Mem) {
	if m.Rip {
		return
	}
	if m.Base > 15 || m.Index > 15 || m.VReg > 31 {
		a.fail("address register out of range")
	}
	switch m.Scale {
	case 0, 1, 2, 4, 8:
	default:
		a.fail("scale %d", m.Scale)
	}
	if m.Scale != 0 && !m.VSIB && m.Index == RSP {
		a.fail("rsp cannot be an index")
	}
	if m.VSIB && m.Scale == 0 {
		a.fail("a vector index has a scale")
	}
}

// modrm appends the operand bytes for memory; n is what a displacement of 8 bits
// counts in. It reports whether a displacement was written.
func (a *Asm) modrm(reg uint8, m *Mem, n, trail int32) bool {
	a.checkMem(m)
	reg = reg & 7 << 3
	if m.Rip {
		a.b = append(a.b, reg|5, 0, 0, 0, 0)
		a.fixHere(m.Label, trail)
		return true
	}
	mod, d8 := uint8(2), int32(0)
	switch {
	case m.Disp == 0 && m.Base&7 != 5:
		mod = 0
	case m.Disp%n == 0 && m.Disp/n >= -128 && m.Disp/n <= 127:
		mod, d8 = 1, m.Disp/n
	}
	base := uint8(m.Base) & 7
	if m.Scale != 0 || base == 4 {
		idx, ss := uint8(4), uint8(0)
		if m.Scale != 0 {
			idx = uint8(m.Index) & 7
			if m.VSIB {
				idx = m.VReg & 7
			}
			ss = map[uint8]uint8{1: 0, 2: 1, 4: 2, 8: 3}[m.Scale]
		}
		a.b = append(a.b, mod<<6|reg|4, ss<<6|idx<<3|base)
	} else {
		a.b = append(a.b, mod<<6|reg|base)
	}
	switch mod {
	case 1:
		a.b = append(a.b, byte(d8))
	case 2:
		a.imm32(m.Disp)
	}
	return mod != 0
}
