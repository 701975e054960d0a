package vm

import (
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// The tags, as the loop writes them: addresses that the linker knows.
func isInt(v *value.Value) bool   { return v.P == unsafe.Pointer(&value.TagMem[value.TagInt]) }
func isFloat(v *value.Value) bool { return v.P == unsafe.Pointer(&value.TagMem[value.TagFloat]) }

// loadIC reads a site's cache; one plain load on amd64.
func loadIC(p *proto, off uint64) *IC {
	return (*IC)(atomic.LoadPointer((*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.ics)), off*8))))
}

// run is the fast loop. It starts in the top frame and ends when the entry
// frame below has its result.
//
// What keeps it fast, measured in its predecessor: no variable lives across a
// call, so a dispatch spills nothing (every unusual case leaves the switch for
// slow and reloads); register operands are byte offsets; the tag of a result is
// stored only where it differs, for the write barrier's sake; no append, make,
// interface or map in sight; the switch lists all 256 values, so that its table
// needs no range check. A test reads the machine code and fails if the Go frame
// grows or the dispatch does.
//
// Types are told by the second word alone: where an int or float has the same
// word by chance, its tag's zeroed memory makes each case fail into slow, which
// looks properly.
func (th *Thread) run() {
	// These stores have the length that puts the dispatch (from the load of ins to
	// the jump) within 32 bytes, the alignment of functions. Astride a cache line it
	// cost 8 to 16 % on fib, integer loop, spectral norm and nbody.
	th.pad = [len(th.pad)]int64{}
	fr := th.fr
	ip := fr.ip
	R := fr.R
	var ins uint64
	for {
		ins = *(*uint64)(ip)
		ip = unsafe.Add(ip, 8)
		switch bytecode.Op(uint8(ins)) {
		case bytecode.MOVE:
			y, x := b(R, ins), a(R, ins)
			x.N = y.N
			if x.P != y.P {
				x.P = y.P
			}
			continue
		case bytecode.LOADK:
			y, x := reg(unsafe.Pointer(unsafe.SliceData(fr.p.consts)), ins>>32), a(R, ins)
			x.N = y.N
			if x.P != y.P {
				x.P = y.P
			}
			continue
		case bytecode.CLEAR:
			x := a(R, ins)
			x.N = 0
			x.P = nil
			continue
		case bytecode.CHECK:
			if a(R, ins).P != nil {
				continue
			}
		case bytecode.GETG:
			y := reg(unsafe.Pointer(unsafe.SliceData(fr.p.mod.Slots)), ins>>32)
			if y.P == nil {
				y = reg(unsafe.Pointer(unsafe.SliceData(fr.p.env.shadow)), ins>>32)
				if y.P == nil {
					break
				}
			}
			x := a(R, ins)
			x.N = y.N
			if x.P != y.P {
				x.P = y.P
			}
			continue
		case bytecode.SETG:
			m := fr.p.mod
			if m.Flags == 0 && (m.Watch == nil || unmarked(m.Watch, ins>>36)) {
				y, x := a(R, ins), reg(unsafe.Pointer(unsafe.SliceData(m.Slots)), ins>>32)
				x.N = y.N
				if x.P != y.P {
					x.P = y.P
				}
				continue
			}
		case bytecode.GETCELL:
			y := b(R, ins)
			if y.N == value.ItabCell && !isInt(y) && !isFloat(y) {
				y = &(*value.Cell)(y.P).V
				if y.P != nil {
					*a(R, ins) = *y
					continue
				}
			}
		case bytecode.GETFREE:
			y := &(*(**value.Cell)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(fr.fn.free)), (ins>>48)*8))).V
			if y.P != nil {
				*a(R, ins) = *y
				continue
			}

		case bytecode.ADD:
			y, z, x := b(R, ins), c(R, ins), a(R, ins)
			if isInt(y) && isInt(z) {
				i, j := int64(y.N), int64(z.N)
				s := i + j
				if (s^i)&(s^j) >= 0 {
					x.N = uint64(s)
					if !isInt(x) {
						x.P = unsafe.Pointer(&value.TagMem[value.TagInt])
					}
					continue
				}
			} else if isFloat(y) && isFloat(z) {
				x.N = math.Float64bits(math.Float64frombits(y.N) + math.Float64frombits(z.N))
				if !isFloat(x) {
					x.P = unsafe.Pointer(&value.TagMem[value.TagFloat])
				}
				continue
			}
		case bytecode.SUB:
			y, z, x := b(R, ins), c(R, ins), a(R, ins)
			if isInt(y) && isInt(z) {
				i, j := int64(y.N), int64(z.N)
				s := i - j
				if (i^j)&(s^i) >= 0 {
					x.N = uint64(s)
					if !isInt(x) {
						x.P = unsafe.Pointer(&value.TagMem[value.TagInt])
					}
					continue
				}
			} else if isFloat(y) && isFloat(z) {
				x.N = math.Float64bits(math.Float64frombits(y.N) - math.Float64frombits(z.N))
				if !isFloat(x) {
					x.P = unsafe.Pointer(&value.TagMem[value.TagFloat])
				}
				continue
			}
		case bytecode.MUL:
			y, z, x := b(R, ins), c(R, ins), a(R, ins)
			if isFloat(y) && isFloat(z) {
				x.N = math.Float64bits(math.Float64frombits(y.N) * math.Float64frombits(z.N))
				if !isFloat(x) {
					x.P = unsafe.Pointer(&value.TagMem[value.TagFloat])
				}
				continue
			} else if isInt(y) && isInt(z) {
				i, j := int64(y.N), int64(z.N)
				if int64(int32(i)) == i && int64(int32(j)) == j {
					x.N = uint64(i * j)
					if !isInt(x) {
						x.P = unsafe.Pointer(&value.TagMem[value.TagInt])
					}
					continue
				}
			}
		case bytecode.DIV:
			y, z, x := b(R, ins), c(R, ins), a(R, ins)
			if isFloat(y) && z.N<<1 != 0 {
				if isFloat(z) {
					x.N = math.Float64bits(math.Float64frombits(y.N) / math.Float64frombits(z.N))
				} else if isInt(z) {
					x.N = math.Float64bits(math.Float64frombits(y.N) / float64(int64(z.N)))
				} else {
					break
				}
				if !isFloat(x) {
					x.P = unsafe.Pointer(&value.TagMem[value.TagFloat])
				}
				continue
			}
		case bytecode.MOD:
			y, z, x := b(R, ins), c(R, ins), a(R, ins)
			if isInt(y) && isInt(z) && y.N < 1<<32 && z.N < 1<<32 && z.N != 0 {
				x.N = uint64(uint32(y.N) % uint32(z.N))
				if !isInt(x) {
					x.P = unsafe.Pointer(&value.TagMem[value.TagInt])
				}
				continue
			}
		case bytecode.FLOORDIV:
			y, z, x := b(R, ins), c(R, ins), a(R, ins)
			if isInt(y) && isInt(z) && y.N < 1<<32 && z.N < 1<<32 && z.N != 0 {
				x.N = uint64(uint32(y.N) / uint32(z.N))
				if !isInt(x) {
					x.P = unsafe.Pointer(&value.TagMem[value.TagInt])
				}
				continue
			}
		case bytecode.AND:
			y, z, x := b(R, ins), c(R, ins), a(R, ins)
			if isInt(y) && isInt(z) {
				x.N = y.N & z.N
				if !isInt(x) {
					x.P = unsafe.Pointer(&value.TagMem[value.TagInt])
				}
				continue
			}
		case bytecode.OR:
			y, z, x := b(R, ins), c(R, ins), a(R, ins)
			if isInt(y) && isInt(z) {
				x.N = y.N | z.N
				if !isInt(x) {
					x.P = unsafe.Pointer(&value.TagMem[value.TagInt])
				}
				continue
			}
		case bytecode.XOR:
			y, z, x := b(R, ins), c(R, ins), a(R, ins)
			if isInt(y) && isInt(z) {
				x.N = y.N ^ z.N
				if !isInt(x) {
					x.P = unsafe.Pointer(&value.TagMem[value.TagInt])
				}
				continue
			}
		case bytecode.ADDI:
			y, x := b(R, ins), a(R, ins)
			if isInt(y) {
				i, j := int64(y.N), int64(ins)>>48
				s := i + j
				if (s^i)&(s^j) >= 0 {
					x.N = uint64(s)
					if !isInt(x) {
						x.P = unsafe.Pointer(&value.TagMem[value.TagInt])
					}
					continue
				}
			} else if isFloat(y) {
				x.N = math.Float64bits(math.Float64frombits(y.N) + float64(int64(ins)>>48))
				if !isFloat(x) {
					x.P = unsafe.Pointer(&value.TagMem[value.TagFloat])
				}
				continue
			}
		case bytecode.SUBI:
			y, x := b(R, ins), a(R, ins)
			if isInt(y) {
				i, j := int64(y.N), int64(ins)>>48
				s := i - j
				if (i^j)&(s^i) >= 0 {
					x.N = uint64(s)
					if !isInt(x) {
						x.P = unsafe.Pointer(&value.TagMem[value.TagInt])
					}
					continue
				}
			} else if isFloat(y) {
				x.N = math.Float64bits(math.Float64frombits(y.N) - float64(int64(ins)>>48))
				if !isFloat(x) {
					x.P = unsafe.Pointer(&value.TagMem[value.TagFloat])
				}
				continue
			}
		case bytecode.MULI:
			y, x := b(R, ins), a(R, ins)
			if isInt(y) {
				if int64(int32(y.N)) == int64(y.N) {
					x.N = uint64(int64(y.N) * (int64(ins) >> 48))
					if !isInt(x) {
						x.P = unsafe.Pointer(&value.TagMem[value.TagInt])
					}
					continue
				}
			} else if isFloat(y) {
				x.N = math.Float64bits(math.Float64frombits(y.N) * float64(int64(ins)>>48))
				if !isFloat(x) {
					x.P = unsafe.Pointer(&value.TagMem[value.TagFloat])
				}
				continue
			}
		case bytecode.MODI:
			y, x := b(R, ins), a(R, ins)
			j := int64(ins) >> 48
			if isInt(y) && j > 0 {
				i := int64(y.N)
				var r int64
				if uint64(i) < 1<<32 {
					r = int64(uint32(i) % uint32(j))
				} else if r = i % j; r < 0 {
					r += j
				}
				x.N = uint64(r)
				if !isInt(x) {
					x.P = unsafe.Pointer(&value.TagMem[value.TagInt])
				}
				continue
			}
		case bytecode.FLOORDIVI:
			y, x := b(R, ins), a(R, ins)
			j := int64(ins) >> 48
			if isInt(y) && j > 0 && y.N < 1<<32 {
				x.N = uint64(uint32(y.N) / uint32(j))
				if !isInt(x) {
					x.P = unsafe.Pointer(&value.TagMem[value.TagInt])
				}
				continue
			}
		case bytecode.ANDI:
			y, x := b(R, ins), a(R, ins)
			if isInt(y) {
				x.N = uint64(int64(y.N) & (int64(ins) >> 48))
				if !isInt(x) {
					x.P = unsafe.Pointer(&value.TagMem[value.TagInt])
				}
				continue
			}
		case bytecode.RSHIFTI:
			y, x := b(R, ins), a(R, ins)
			if j := int64(ins) >> 48; isInt(y) && j >= 0 {
				x.N = uint64(int64(y.N) >> min(uint64(j), 63))
				if !isInt(x) {
					x.P = unsafe.Pointer(&value.TagMem[value.TagInt])
				}
				continue
			}
		case bytecode.NEG:
			y, x := b(R, ins), a(R, ins)
			if isFloat(y) {
				x.N = y.N ^ 1<<63
				if !isFloat(x) {
					x.P = unsafe.Pointer(&value.TagMem[value.TagFloat])
				}
				continue
			}
			if isInt(y) && y.N != 1<<63 {
				x.N = -y.N
				if !isInt(x) {
					x.P = unsafe.Pointer(&value.TagMem[value.TagInt])
				}
				continue
			}
		case bytecode.NOT:
			y, x := b(R, ins), a(R, ins)
			if y.P == unsafe.Pointer(&value.TagMem[value.TagBool]) {
				x.N = y.N ^ 1
				x.P = unsafe.Pointer(&value.TagMem[value.TagBool])
				continue
			}

		case bytecode.LT, bytecode.LE, bytecode.GT, bytecode.GE, bytecode.EQ, bytecode.NE:
			y, z, x := b(R, ins), c(R, ins), a(R, ins)
			var lt, eq uint64
			if isInt(y) && isInt(z) {
				lt, eq = truth(int64(y.N) < int64(z.N)), truth(y.N == z.N)
			} else if isFloat(y) && isFloat(z) {
				f, g := math.Float64frombits(y.N), math.Float64frombits(z.N)
				lt, eq = truth(f < g), truth(f == g)
				if f != f || g != g {
					break
				}
			} else {
				break
			}
			switch bytecode.Op(uint8(ins)) {
			case bytecode.LE:
				lt |= eq
			case bytecode.GT:
				lt = (lt | eq) ^ 1
			case bytecode.GE:
				lt ^= 1
			case bytecode.EQ:
				lt = eq
			case bytecode.NE:
				lt = eq ^ 1
			}
			x.N = lt
			x.P = unsafe.Pointer(&value.TagMem[value.TagBool])
			continue
		case bytecode.IS, bytecode.ISNOT:
			y, z, x := b(R, ins), c(R, ins), a(R, ins)
			if y.N != z.N || y.N != value.ItabString {
				x.N = truth(*y == *z) ^ truth(bytecode.Op(uint8(ins)) == bytecode.ISNOT)
				x.P = unsafe.Pointer(&value.TagMem[value.TagBool])
				continue
			}

		case bytecode.JMP:
			ip = unsafe.Add(ip, (int64(ins)>>32)*8)
			continue
		case bytecode.LOOP:
			if fr.p.loops.Load() != 0 {
				break
			}
			if th.fuel--; th.fuel > 0 {
				ip = unsafe.Add(ip, (int64(ins)>>32)*8)
				continue
			}
		case bytecode.JF:
			x := a(R, ins)
			if x.P == unsafe.Pointer(&value.TagMem[value.TagBool]) || isInt(x) {
				if x.N == 0 {
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				}
				continue
			}
			if x.P == unsafe.Pointer(&value.TagMem[value.TagNone]) {
				ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				continue
			}
		case bytecode.JT:
			x := a(R, ins)
			if x.P == unsafe.Pointer(&value.TagMem[value.TagBool]) || isInt(x) {
				if x.N != 0 {
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				}
				continue
			}
			if x.P == unsafe.Pointer(&value.TagMem[value.TagNone]) {
				continue
			}
		case bytecode.JNONE:
			if a(R, ins).P == unsafe.Pointer(&value.TagMem[value.TagNone]) {
				ip = unsafe.Add(ip, (int64(ins)>>48)*8)
			}
			continue
		case bytecode.JNNONE:
			if a(R, ins).P != unsafe.Pointer(&value.TagMem[value.TagNone]) {
				ip = unsafe.Add(ip, (int64(ins)>>48)*8)
			}
			continue
		case bytecode.JNLT:
			x, y := a(R, ins), b(R, ins)
			if isInt(x) && isInt(y) {
				if int64(x.N) >= int64(y.N) {
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				}
				continue
			} else if isFloat(x) && isFloat(y) {
				if !(math.Float64frombits(x.N) < math.Float64frombits(y.N)) {
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				}
				continue
			}
		case bytecode.JNLE:
			x, y := a(R, ins), b(R, ins)
			if isInt(x) && isInt(y) {
				if int64(x.N) > int64(y.N) {
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				}
				continue
			} else if isFloat(x) && isFloat(y) {
				if !(math.Float64frombits(x.N) <= math.Float64frombits(y.N)) {
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				}
				continue
			}
		case bytecode.JNGT:
			x, y := a(R, ins), b(R, ins)
			if isInt(x) && isInt(y) {
				if int64(x.N) <= int64(y.N) {
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				}
				continue
			} else if isFloat(x) && isFloat(y) {
				if !(math.Float64frombits(x.N) > math.Float64frombits(y.N)) {
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				}
				continue
			}
		case bytecode.JNGE:
			x, y := a(R, ins), b(R, ins)
			if isInt(x) && isInt(y) {
				if int64(x.N) < int64(y.N) {
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				}
				continue
			} else if isFloat(x) && isFloat(y) {
				if !(math.Float64frombits(x.N) >= math.Float64frombits(y.N)) {
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				}
				continue
			}
		case bytecode.JNEQ:
			x, y := a(R, ins), b(R, ins)
			if isInt(x) && isInt(y) {
				if x.N != y.N {
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				}
				continue
			}
		case bytecode.JNNE:
			x, y := a(R, ins), b(R, ins)
			if isInt(x) && isInt(y) {
				if x.N == y.N {
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				}
				continue
			}
		case bytecode.JNLTI:
			if x := a(R, ins); isInt(x) {
				if int64(x.N) >= int64(int16(ins>>32)) {
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				}
				continue
			}
		case bytecode.JNLEI:
			if x := a(R, ins); isInt(x) {
				if int64(x.N) > int64(int16(ins>>32)) {
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				}
				continue
			}
		case bytecode.JNGTI:
			if x := a(R, ins); isInt(x) {
				if int64(x.N) <= int64(int16(ins>>32)) {
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				}
				continue
			}
		case bytecode.JNGEI:
			if x := a(R, ins); isInt(x) {
				if int64(x.N) < int64(int16(ins>>32)) {
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				}
				continue
			}
		case bytecode.JNEQI:
			if x := a(R, ins); isInt(x) {
				if int64(x.N) != int64(int16(ins>>32)) {
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				}
				continue
			}
		case bytecode.JNNEI:
			if x := a(R, ins); isInt(x) {
				if int64(x.N) == int64(int16(ins>>32)) {
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				}
				continue
			}

		case bytecode.FORITER:
			if fr.p.loops.Load() != 0 {
				break
			}
			it := b(R, ins)
			x := a(R, ins)
			if isInt(it) { // a range: step, next, how many are left
				pos := (*value.Value)(unsafe.Add(unsafe.Pointer(it), 16))
				left := (*value.Value)(unsafe.Add(unsafe.Pointer(it), 32))
				if left.N != 0 {
					if th.fuel--; th.fuel <= 0 {
						break
					}
					left.N--
					n := pos.N
					pos.N = n + it.N
					x.N = n
					if !isInt(x) {
						x.P = unsafe.Pointer(&value.TagMem[value.TagInt])
					}
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				}
				continue
			}
			if it.N == value.ItabList {
				l := (*value.List)(it.P)
				pos := (*value.Value)(unsafe.Add(unsafe.Pointer(it), 16))
				if i := pos.N; i < uint64(len(l.Elems)) {
					if th.fuel--; th.fuel <= 0 {
						break
					}
					pos.N = i + 1
					y := (*value.Value)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(l.Elems)), i*16))
					x.N = y.N
					if x.P != y.P {
						x.P = y.P
					}
					ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				} else {
					pos.N = 1 << 62 // the end is remembered, whatever is appended now
				}
				continue
			}
			if it.N == ItabGenerator {
				g := (*Generator)(it.P)
				if !g.easy || uintptr(unsafe.Pointer(fr)) >= uintptr(th.frEnd) {
					break
				}
				if th.fuel--; th.fuel <= 0 {
					break
				}
				g.easy = false
				fr.ip = ip
				top := fr.top
				fr = (*frame)(unsafe.Add(unsafe.Pointer(fr), frameSize))
				fr.fn, fr.p = g.fn, g.p
				fr.gen = g
				fr.kind = forFrame
				fr.top = top
				R = unsafe.Pointer(unsafe.SliceData(g.regs))
				fr.R = R
				ip = g.ip
				continue
			}
		case bytecode.YIELD:
			if fr.kind == forFrame && !fr.p.catches {
				y := *b(R, ins)
				x := a(R, ins)
				x.N = 0
				x.P = unsafe.Pointer(&value.TagMem[value.TagNone])
				g := fr.gen
				g.ip = ip
				g.easy = true
				g.st = genSuspended
				fr.gen = nil
				fr = fr.down()
				R = fr.R
				ip = fr.ip
				ins = *(*uint64)(unsafe.Add(ip, -8))
				x = a(R, ins)
				x.N = y.N
				if x.P != y.P {
					x.P = y.P
				}
				ip = unsafe.Add(ip, (int64(ins)>>48)*8)
				continue
			}

		case bytecode.GETIDX:
			y, z := b(R, ins), c(R, ins)
			if y.N == value.ItabList && isInt(z) {
				l, i := (*value.List)(y.P), z.N
				if int64(i) < 0 {
					i += uint64(len(l.Elems))
				}
				if i < uint64(len(l.Elems)) {
					x := a(R, ins)
					y := (*value.Value)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(l.Elems)), i*16))
					x.N = y.N
					if x.P != y.P {
						x.P = y.P
					}
					continue
				}
			} else if y.N == value.ItabDict {
				goto dict
			}
		case bytecode.SETIDX:
			x, y := a(R, ins), b(R, ins)
			if x.N == value.ItabList && isInt(y) {
				if l := (*value.List)(x.P); y.N < uint64(len(l.Elems)) && l.Flags == 0 && l.Watch == nil {
					x := (*value.Value)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(l.Elems)), y.N*16))
					y := c(R, ins)
					x.N = y.N
					if x.P != y.P {
						x.P = y.P
					}
					continue
				}
			} else if x.N == value.ItabDict {
				goto dict
			}
		case bytecode.IN, bytecode.NOTIN:
			if c(R, ins).N == value.ItabDict {
				goto dict
			}
		case bytecode.LISTAPP:
			if l := (*value.List)(a(R, ins).P); a(R, ins).N == value.ItabList && l.Flags == 0 && l.Watch == nil {
				if n := len(l.Elems); n < cap(l.Elems) {
					l.Elems = l.Elems[:n+1]
					*(*value.Value)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(l.Elems)), n*16)) = *b(R, ins)
					continue
				}
			}
		case bytecode.GETATTR:
			y := b(R, ins)
			if y.N == value.ItabInstance {
				in := (*value.Instance)(y.P)
				ic := loadIC(fr.p, ins>>48)
				e := &ic.first
				if in.Shape != e.shape {
					e = (*icEntry)(unsafe.Add(ic.more, uintptr(unsafe.Pointer(in.Shape))&ic.mask))
					if in.Shape != e.shape {
						break
					}
				}
				if in.Shape.Class.Version != e.ver {
					break
				}
				if e.kind == icSlot {
					y = (*value.Value)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(in.Slots)), e.off))
				} else if e.kind == icOther {
					y = &e.val
				} else {
					break
				}
				x := a(R, ins)
				x.N = y.N
				if x.P != y.P {
					x.P = y.P
				}
				continue
			} else if y.N == value.ItabModule {
				m := (*value.Module)(y.P)
				e := &loadIC(fr.p, ins>>48).first
				if unsafe.Pointer(e.shape) != unsafe.Pointer(m) {
					break
				}
				y = (*value.Value)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(m.Slots)), e.off))
				if y.P == nil {
					break
				}
				x := a(R, ins)
				x.N = y.N
				if x.P != y.P {
					x.P = y.P
				}
				continue
			}
		case bytecode.SETATTR:
			x := a(R, ins)
			if x.N == value.ItabInstance {
				in := (*value.Instance)(x.P)
				ic := loadIC(fr.p, ins>>48)
				e := &ic.first
				if in.Shape != e.shape {
					e = (*icEntry)(unsafe.Add(ic.more, uintptr(unsafe.Pointer(in.Shape))&ic.mask))
					if in.Shape != e.shape {
						break
					}
				}
				if in.Shape.Class.Version != e.ver || in.Flags != 0 {
					break
				}
				if in.Watch != nil && (e.kind != icSlot || !unmarked(in.Watch, uint64(e.off)/16)) {
					break
				}
				if e.kind == icSlot {
					x = (*value.Value)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(in.Slots)), e.off))
					y := b(R, ins)
					x.N = y.N
					if x.P != y.P {
						x.P = y.P
					}
					continue
				}
				if n := len(in.Slots); e.kind == icAdd && n < cap(in.Slots) {
					in.Slots = in.Slots[:n+1]
					*(*value.Value)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(in.Slots)), e.off)) = *b(R, ins)
					in.Shape = e.next
					continue
				}
			}

		case bytecode.CALL:
			f := a(R, ins)
			if f.N == ItabFunction {
				n := uint32(uint16(ins >> 32))
				fn := (*Function)(f.P)
				p := fn.p
				if p == nil || p.arity.Load() != n+1 || uintptr(unsafe.Pointer(fr)) >= uintptr(th.frEnd) {
					break
				}
				nr := unsafe.Add(unsafe.Pointer(f), 16)
				if fr.gen != nil {
					nr = fr.top
				}
				top := unsafe.Add(nr, p.frame)
				if uintptr(top) > uintptr(th.lim) {
					break
				}
				if th.fuel--; th.fuel <= 0 {
					break
				}
				fr.ip = ip
				if fr.gen != nil {
					for i := uint32(0); i < n; i++ {
						*reg(nr, uint64(i)*16) = *reg(unsafe.Pointer(f), uint64(i)*16+16)
					}
				}
				for i := int(n); i < p.clear; i++ {
					x := reg(nr, uint64(i)*16)
					x.N, x.P = 0, nil
				}
				fr = (*frame)(unsafe.Add(unsafe.Pointer(fr), frameSize))
				if fr.fn != fn {
					fr.fn = fn
					fr.p = p
				}
				if fr.gen != nil {
					fr.gen = nil
				}
				fr.kind = 0
				fr.R = nr
				fr.top = top
				R = nr
				ip = unsafe.Pointer(unsafe.SliceData(p.code))
				continue
			}
			if f.N == value.ItabBuiltin {
				goto native
			}
			if next := *(*uint64)(ip); f.P == rangeClass && bytecode.Op(uint8(next)) == bytecode.GETITER && uint16(next>>32) == uint16(ins>>16) {
				// for x in range(…): the object is not needed.
				x := (*value.Value)(unsafe.Add(unsafe.Pointer(f), 16))
				start, stop := int64(0), int64(x.N)
				if uint16(ins>>32) == 2 {
					y := (*value.Value)(unsafe.Add(unsafe.Pointer(f), 32))
					if !isInt(y) {
						break
					}
					start, stop = stop, int64(y.N)
				} else if uint16(ins>>32) != 1 {
					break
				}
				if !isInt(x) {
					break
				}
				it := a(R, next)
				pos := (*value.Value)(unsafe.Add(unsafe.Pointer(it), 16))
				left := (*value.Value)(unsafe.Add(unsafe.Pointer(it), 32))
				it.N, pos.N, left.N = 1, uint64(start), 0
				if start < stop {
					left.N = uint64(stop) - uint64(start)
				}
				it.P = unsafe.Pointer(&value.TagMem[value.TagInt])
				pos.P = unsafe.Pointer(&value.TagMem[value.TagInt])
				left.P = unsafe.Pointer(&value.TagMem[value.TagInt])
				ip = unsafe.Add(ip, 8)
				continue
			}
		case bytecode.CALLM:
			f := a(R, ins)
			self := (*value.Value)(unsafe.Add(unsafe.Pointer(f), 16))
			if self.N == value.ItabInstance {
				in := (*value.Instance)(self.P)
				ic := loadIC(fr.p, ins>>48)
				e := &ic.first
				if in.Shape != e.shape {
					e = (*icEntry)(unsafe.Add(ic.more, uintptr(unsafe.Pointer(in.Shape))&ic.mask))
					if in.Shape != e.shape {
						break
					}
				}
				if e.kind != icFunc || in.Shape.Class.Version != e.ver || uintptr(unsafe.Pointer(fr)) >= uintptr(th.frEnd) {
					break
				}
				fn := (*Function)(e.val.P)
				n := uint32(uint16(ins>>32)) + 1
				p := fn.p
				if p.arity.Load() != n+1 {
					break
				}
				nr := unsafe.Pointer(self)
				if fr.gen != nil {
					nr = fr.top
				}
				top := unsafe.Add(nr, p.frame)
				if uintptr(top) > uintptr(th.lim) {
					break
				}
				if th.fuel--; th.fuel <= 0 {
					break
				}
				fr.ip = ip
				if fr.gen != nil {
					for i := uint32(0); i < n; i++ {
						*reg(nr, uint64(i)*16) = *reg(unsafe.Pointer(f), uint64(i)*16+16)
					}
				}
				for i := int(n); i < p.clear; i++ {
					x := reg(nr, uint64(i)*16)
					x.N, x.P = 0, nil
				}
				fr = (*frame)(unsafe.Add(unsafe.Pointer(fr), frameSize))
				if fr.fn != fn {
					fr.fn = fn
					fr.p = p
				}
				if fr.gen != nil {
					fr.gen = nil
				}
				fr.kind = 0
				fr.R = nr
				fr.top = top
				R = nr
				ip = unsafe.Pointer(unsafe.SliceData(p.code))
				continue
			}
			if self.N == value.ItabList && uint16(ins>>32) == 1 && loadIC(fr.p, ins>>48).first.kind == icAppend {
				l := (*value.List)(self.P)
				if n := len(l.Elems); n < cap(l.Elems) && l.Flags == 0 && l.Watch == nil {
					l.Elems = l.Elems[:n+1]
					*(*value.Value)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(l.Elems)), n*16)) = *(*value.Value)(unsafe.Add(unsafe.Pointer(self), 16))
					f.N = 0
					f.P = unsafe.Pointer(&value.TagMem[value.TagNone])
					continue
				}
				break
			}
			goto native
		case bytecode.METHOD:
			y := b(R, ins)
			if y.N == value.ItabInstance {
				in := (*value.Instance)(y.P)
				ic := loadIC(fr.p, ins>>48)
				e := &ic.first
				if in.Shape != e.shape {
					e = (*icEntry)(unsafe.Add(ic.more, uintptr(unsafe.Pointer(in.Shape))&ic.mask))
					if in.Shape != e.shape {
						break
					}
				}
				if e.kind != icFunc || in.Shape.Class.Version != e.ver {
					break
				}
				x := a(R, ins)
				*(*value.Value)(unsafe.Add(unsafe.Pointer(x), 16)) = *y
				x.N = ItabFunction
				x.P = e.val.P
				continue
			}
		case bytecode.CALLB:
			f := a(R, ins)
			self := (*value.Value)(unsafe.Add(unsafe.Pointer(f), 16))
			if f.N == ItabFunction && self.P != nil {
				fn := (*Function)(f.P)
				n := uint32(uint16(ins>>32)) + 1
				p := fn.p
				if p == nil || p.arity.Load() != n+1 || uintptr(unsafe.Pointer(fr)) >= uintptr(th.frEnd) {
					break
				}
				nr := unsafe.Pointer(self)
				if fr.gen != nil {
					nr = fr.top
				}
				top := unsafe.Add(nr, p.frame)
				if uintptr(top) > uintptr(th.lim) {
					break
				}
				if th.fuel--; th.fuel <= 0 {
					break
				}
				fr.ip = ip
				if fr.gen != nil {
					for i := uint32(0); i < n; i++ {
						*reg(nr, uint64(i)*16) = *reg(unsafe.Pointer(f), uint64(i)*16+16)
					}
				}
				for i := int(n); i < p.clear; i++ {
					x := reg(nr, uint64(i)*16)
					x.N, x.P = 0, nil
				}
				fr = (*frame)(unsafe.Add(unsafe.Pointer(fr), frameSize))
				if fr.fn != fn {
					fr.fn = fn
					fr.p = p
				}
				if fr.gen != nil {
					fr.gen = nil
				}
				fr.kind = 0
				fr.R = nr
				fr.top = top
				R = nr
				ip = unsafe.Pointer(unsafe.SliceData(p.code))
				continue
			}
			if f.P == listAppend && self.N == value.ItabList && uint16(ins>>32) == 1 {
				l := (*value.List)(self.P)
				if n := len(l.Elems); n < cap(l.Elems) && l.Flags == 0 && l.Watch == nil {
					l.Elems = l.Elems[:n+1]
					*(*value.Value)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(l.Elems)), n*16)) = *(*value.Value)(unsafe.Add(unsafe.Pointer(self), 16))
					f.N = 0
					f.P = unsafe.Pointer(&value.TagMem[value.TagNone])
					continue
				}
				break
			}
			if f.N == value.ItabBuiltin {
				goto native
			}
		case bytecode.EXCMATCH:
			// An exception of just that class; slow knows the others.
			y, z := b(R, ins), c(R, ins)
			if y.N == value.ItabInstance && z.N == value.ItabClass {
				if s := (*value.Instance)(y.P).Shape; s != nil && unsafe.Pointer(s.Class) == z.P {
					x := a(R, ins)
					x.N = 1
					x.P = unsafe.Pointer(&value.TagMem[value.TagBool])
					continue
				}
			}
		case bytecode.ENDCATCH:
			x := a(R, ins)
			y := (*value.Value)(unsafe.Add(unsafe.Pointer(x), 16))
			if y.P == unsafe.Pointer(&value.TagMem[value.TagNone]) {
				th.Handling = nil
				x.N, y.N = 0, 0
				x.P, y.P = nil, nil
				continue
			}
		case bytecode.RET:
			y := a(R, ins)
			if fr.kind != 0 {
				if fr.kind != initFrame || y.P != unsafe.Pointer(&value.TagMem[value.TagNone]) {
					break
				}
				fr = fr.down()
				R = fr.R
				ip = fr.ip
				continue
			}
			fr = fr.down()
			R = fr.R
			ip = fr.ip
			x := reg(R, uint64(*(*uint16)(unsafe.Add(ip, -6))))
			x.N = y.N
			if x.P != y.P {
				x.P = y.P
			}
			continue
		// What slow does always, and numbers that are no opcodes.
		case bytecode.END, bytecode.NOP, bytecode.DELG, bytecode.MKCELL, bytecode.SETCELL, bytecode.DELCELL, bytecode.SETFREE, bytecode.DELFREE,
			bytecode.GETNAME, bytecode.SETNAME, bytecode.DELNAME, bytecode.GETNAMEFREE, bytecode.POW, bytecode.MATMUL, bytecode.LSHIFT, bytecode.RSHIFT,
			bytecode.LSHIFTI, bytecode.POS, bytecode.INVERT, bytecode.ITER, bytecode.GETITER, bytecode.ITERDONE, bytecode.UNPACK, bytecode.UNPACKEX,
			bytecode.LIST, bytecode.TUPLE, bytecode.SET, bytecode.DICT, bytecode.SLICE, bytecode.SETADD, bytecode.DICTPUT, bytecode.LISTEXT,
			bytecode.SETEXT, bytecode.DICTUPD, bytecode.DICTMERGE, bytecode.LISTTUP, bytecode.DELIDX, bytecode.DELATTR, bytecode.CALLK, bytecode.CALLMK,
			bytecode.CALLBK, bytecode.CALLX, bytecode.GETYIELD, bytecode.SEND, bytecode.MKFUNC, bytecode.CLASS, bytecode.RAISE, bytecode.RAISECUR,
			bytecode.RERAISE, bytecode.ASSERTFAIL, bytecode.WITHENTER, bytecode.WITHEXIT, bytecode.FORMAT, bytecode.BUILDSTR,
			bytecode.IMPORT, bytecode.IMPORTFROM, bytecode.IMPORTSTAR, bytecode.LOAD, bytecode.ISSEQ, bytecode.ISMAP, bytecode.LEN, bytecode.MATCHKEYS,
			bytecode.MATCHREST, bytecode.MATCHCLASS, bytecode.DISPLAY,
			133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156,
			157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180,
			181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204,
			205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228,
			229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252,
			253, 254, 255:
		}
	generic:
		fr.ip = ip
		th.fr = fr
		if !th.slow(ins) {
			return
		}
		fr = th.fr
		ip = fr.ip
		R = fr.R
		continue
	native:
		fr.ip = ip
		th.fr = fr
		if !th.native(ins) {
			return
		}
		fr = th.fr
		ip = fr.ip
		R = fr.R
		continue
	dict:
		fr.ip = ip
		th.fr = fr
		if th.dictOp(ins) {
			fr = th.fr
			ip = fr.ip
			R = fr.R
			continue
		}
		fr = th.fr
		ip = fr.ip
		ins = *(*uint64)(unsafe.Add(ip, -8)) // read again: it may not live across the call
		goto generic
	}
}

// rangeClass is the type that for loops are mostly over.
var rangeClass = unsafe.Pointer(value.RangeClass)

// listAppend is list.append, which the loop does itself.
var listAppend = func() unsafe.Pointer {
	f, _ := value.ListClass.Find("append")
	return f.Value.P
}()

// unmarked reports a slot whose change nobody wants to know of.
func unmarked(w *value.Watch, slot uint64) bool { return w.Bits>>min(slot, value.WatchShape)&1 == 0 }

func truth(x bool) uint64 {
	if x {
		return 1
	}
	return 0
}

// native calls a builtin, as slow would: it does CALL and CALLB of one, and CALLM of
// a method that the site has learnt of a built-in type or a module, and leaves all
// else to slow.
//
//go:noinline
func (th *Thread) native(ins uint64) bool {
	fr := th.fr
	at, n := uint64(uint16(ins>>16)), int(uint16(ins>>32))
	fn, self := *reg(fr.R, at), reg(fr.R, at+bytecode.RegSize)
	switch bytecode.Op(uint8(ins)) {
	case bytecode.CALLM:
		ic := fr.p.ics[ins>>48].p.Load()
		switch {
		case self.N == ic.itab && !self.IsTagged():
			fn = ic.val
			n++
		case unsafe.Pointer(ic.first.shape) == self.P && ic.first.kind == icGlobal:
			fn = (*value.Module)(self.P).Slots[ic.first.off/bytecode.RegSize]
			at += bytecode.RegSize
		default:
			return th.slow(ins)
		}
	case bytecode.CALLB:
		if self.IsUnset() {
			at += bytecode.RegSize
		} else {
			n++
		}
	}
	if !fn.Is(value.ItabBuiltin) {
		return th.slow(ins)
	}
	b, args := (*value.Builtin)(fn.P), fr.window(at+bytecode.RegSize, n)
	if b.Quick != nil {
		if v, ok := b.Quick(args); ok {
			*fr.a(ins) = v
			return true
		}
	}
	v, err := b.Call(&th.Thread, args, nil)
	if err == nil && th.fr == fr && th.thrown == nil {
		*fr.a(ins) = v
		return th.fast()
	}
	if err = th.outcome(th.fr, ins, v, err); err == nil && th.thrown == nil {
		return th.fast()
	}
	return th.settle(err, ins)
}

// readable are the flags of dicts that only writes need to look at.
const readable = value.FlagFrozen | value.FlagWatched | value.FlagIterating

// dictOp does subscripts and membership of dicts with keys that are ints or
// strings; false leaves the instruction to slow.
//
//go:noinline
func (th *Thread) dictOp(ins uint64) bool {
	R := th.fr.R
	var d, k *value.Value
	switch bytecode.Op(uint8(ins)) {
	case bytecode.GETIDX:
		d, k = b(R, ins), c(R, ins)
	case bytecode.SETIDX:
		d, k = a(R, ins), b(R, ins)
	default:
		d, k = c(R, ins), b(R, ins)
	}
	if d.IsTagged() {
		return false
	}
	dict := (*value.Dict)(d.P)
	plain := dict.Flags == 0 && dict.Watch == nil
	if !plain && (dict.Flags&^readable != 0 || bytecode.Op(uint8(ins)) == bytecode.SETIDX) {
		return false
	}
	var v *value.Value
	switch {
	case isInt(k):
		v = dict.FastInt(k.N)
	case k.N == value.ItabString && !isFloat(k):
		v = dict.FastStr(*(*string)(k.P))
	default:
		return false
	}
	switch bytecode.Op(uint8(ins)) {
	case bytecode.GETIDX:
		if v == nil {
			return false
		}
		*a(R, ins) = *v
	case bytecode.SETIDX:
		if v == nil {
			return false
		}
		*v = *c(R, ins)
	case bytecode.IN:
		*a(R, ins) = value.Bool(v != nil)
	case bytecode.NOTIN:
		*a(R, ins) = value.Bool(v == nil)
	}
	return true
}
