package sim

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/larkspur-ml/larkspur/tensor"
)

// matrix are the instructions by which a warp moves and multiplies fragments.
func (c *code) matrix(in *inst, name string, ops []operand) error {
	switch {
	case strings.HasPrefix(name, "ldmatrix.sync.aligned.m8n8.x4"):
		return c.ldmatrix(in, strings.Contains(name, ".trans"), ops)
	case name == "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32":
		return c.mma(in, tensor.BF16ToF32, ops)
	case name == "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32":
		return c.mma(in, tensor.F16ToF32, ops)
	}
	return fmt.Errorf("unknown instruction")
}

// ldmatrix: lane 8i+r has the address of row r of matrix i; lane l gets elements
// 2(l mod 4) and the next of row l/4 of each matrix, or of its transpose.
func (c *code) ldmatrix(in *inst, trans bool, ops []operand) error {
	in.warp = func(w []*thread) error {
		if len(w) != 32 {
			return fmt.Errorf("%d lanes load matrices", len(w))
		}
		var m [4][8][8]uint16
		for l, t := range w {
			b, err := t.mem(&ops[1], "shared", 16)
			if err != nil {
				return err
			}
			for e := range 8 {
				m[l/8][l%8][e] = binary.LittleEndian.Uint16(b[2*e:])
			}
		}
		for l, t := range w {
			for i := range 4 {
				r, e := l/4, l%4*2
				lo, hi := m[i][r][e], m[i][r][e+1]
				if trans {
					lo, hi = m[i][e][r], m[i][e+1][r]
				}
				t.put(&ops[0].list[i], uint64(hi)<<16|uint64(lo))
			}
		}
		return nil
	}
	return nil
}

// mma is d = a b + c, a of 16 x 16, b of 16 x 8, with the fragments of the manual:
//
//	a  register i of lane l: row l/4 + 8(i mod 2), columns 2(l mod 4) + 8(i/2) and the next
//	b  register i: rows 2(l mod 4) + 8i and the next, column l/4
//	c  element i: row l/4 + 8(i/2), column 2(l mod 4) + i mod 2
func (c *code) mma(in *inst, half func(uint16) float32, ops []operand) error {
	in.warp = func(w []*thread) error {
		if len(w) != 32 {
			return fmt.Errorf("%d lanes multiply matrices", len(w))
		}
		var a [16][16]float64
		var b [16][8]float64
		for l, t := range w {
			for i := range 4 {
				v := t.get(&ops[1].list[i], "b32")
				r, e := l/4+8*(i%2), 2*(l%4)+8*(i/2)
				a[r][e], a[r][e+1] = float64(half(uint16(v))), float64(half(uint16(v>>16)))
			}
			for i := range 2 {
				v := t.get(&ops[2].list[i], "b32")
				r := 2*(l%4) + 8*i
				b[r][l/4], b[r+1][l/4] = float64(half(uint16(v))), float64(half(uint16(v>>16)))
			}
		}
		for l, t := range w {
			for i := range 4 {
				r, e := l/4+8*(i/2), 2*(l%4)+i%2
				s := float64(f32of(t.get(&ops[3].list[i], "b32")))
				for k := range 16 {
					s += a[r][k] * b[k][e]
				}
				t.put(&ops[0].list[i], bits32(float32(s)))
			}
		}
		return nil
	}
	return nil
}
