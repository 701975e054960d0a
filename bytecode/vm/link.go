package vm

import (
	"sync/atomic"
	"unsafe"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
	"go.starlark.net/starlark"
)

// constant makes the value of a literal.
func constant(k bytecode.Constant) value.Value {
	switch k.Kind {
	case bytecode.BoolConst:
		return value.Bool(k.Int != 0)
	case bytecode.EllipsisConst:
		return value.Ellipsis
	case bytecode.IntConst:
		return value.Int(k.Int)
	case bytecode.BigConst:
		return value.BigInt(k.Big)
	case bytecode.FloatConst:
		return value.Float(k.Float)
	case bytecode.ImagConst:
		return value.Complex(complex(0, k.Float))
	case bytecode.StrConst:
		return value.Str(k.Str)
	case bytecode.BytesConst:
		return value.FromStarlark(starlark.Bytes(k.Str))
	case bytecode.TupleConst:
		elts := make([]value.Value, len(k.Elts))
		for i, e := range k.Elts {
			elts[i] = constant(e)
		}
		return value.Tuple(elts...)
	}
	return value.None
}

// An icEntry is what one site has learnt of instances of one shape: it holds
// while the class has the version ver. Of a module it has learnt the slot.
type icEntry struct {
	shape *value.Shape // or the module's address
	ver   uint32
	kind  icKind
	off   uintptr      // of the slot, for a slot
	next  *value.Shape // the shape after the store, for a new attribute
	val   value.Value  // the method or class attribute
	_     [2]uint64    // entries are as far apart as the table's index says
}

type icKind uint8

const (
	icNone   icKind = iota
	icSlot          // the attribute is in the instance
	icAdd           // the store adds the attribute
	icFunc          // the attribute is a method in the language
	icOther         // val, from the class: a builtin method or plain value
	icGetter        // val, which calculates it, is the getter of a property
	icGlobal        // the attribute is in the module
	icAppend        // not learnt: see appendIC
)

// An IC is the cache of one site: the entry learnt last, a table of all entries,
// and a method of a built-in type, which cannot change. It is immutable.
//
// The table is indexed by the low bits of the shape's address. Its predecessor, two
// entries, thrashed where methods of a base class work on instances of four classes:
// richards took 1.9 times as long.
type IC struct {
	first icEntry
	more  unsafe.Pointer // to the table
	mask  uintptr        // of an address, to have an entry's distance in it
	table []icEntry
	itab  uint64      // second word of the built-in type
	val   value.Value // its method
	tries int         // how often the cache was replaced
}

// noShape is the shape of no instance, so that empty entries match nothing.
var noShape = new(value.Shape)

var coldIC = newIC(icEntry{shape: noShape})

// appendIC is what a call of .append(x) starts with: the fast loop appends to
// lists itself while the site has seen no instance.
var appendIC = newIC(icEntry{shape: noShape, kind: icAppend})

const (
	// maxTries bounds how often a site learns: one that sees many shapes is left
	// with what it has.
	maxTries = 64
	// maxTable bounds the entries of a site's table.
	maxTable = 32
	icSize   = unsafe.Sizeof(icEntry{})
)

type icCell struct{ p atomic.Pointer[IC] }

func newIC(first icEntry, others ...icEntry) *IC {
	all := append(others, first)
	ic := &IC{first: first}
	for n := 1; ; n *= 2 {
		ic.table, ic.mask = make([]icEntry, n), uintptr(n-1)*icSize
		for i := range ic.table {
			ic.table[i].shape = noShape
		}
		lost := false
		for _, e := range all {
			at := ic.at(e.shape)
			lost = lost || at.shape != noShape
			*at = e
		}
		if !lost || n == maxTable {
			ic.more = unsafe.Pointer(unsafe.SliceData(ic.table))
			return ic
		}
	}
}

// at is the place of a shape in the table.
func (ic *IC) at(s *value.Shape) *icEntry {
	return &ic.table[uintptr(unsafe.Pointer(s))&ic.mask/icSize]
}

func (p *proto) learn(site int, e icEntry) {
	old := p.ics[site].p.Load()
	if old.tries >= maxTries {
		return
	}
	var others []icEntry
	for _, o := range old.table {
		// A new version of a shape takes its own entry's place.
		if o.shape != noShape && o.shape != e.shape {
			others = append(others, o)
		}
	}
	ic := newIC(e, others...)
	ic.itab, ic.val, ic.tries = old.itab, old.val, old.tries+1
	p.ics[site].p.Store(ic)
}

func (p *proto) learnBuiltin(site int, itab uint64, v value.Value) {
	old := p.ics[site].p.Load()
	if old.tries >= maxTries {
		return
	}
	ic := *old
	ic.itab, ic.val, ic.tries = itab, v, old.tries+1
	p.ics[site].p.Store(&ic)
}

// find returns the entry of the site that holds for the instance, or nil.
func (p *proto) find(site int, in *value.Instance) *icEntry {
	if e := p.ics[site].p.Load().at(in.Shape); e.shape == in.Shape && e.ver == in.Shape.Class.Version {
		return e
	}
	return nil
}

// findGlobal is the value that the site has learnt to find in the module; unset if none.
func (p *proto) findGlobal(site int, m *value.Module) value.Value {
	s := (*value.Shape)(unsafe.Pointer(m))
	if e := p.ics[site].p.Load().at(s); e.shape == s && e.kind == icGlobal {
		return m.Slots[e.off/bytecode.RegSize]
	}
	name := p.info.Sites[site].Name
	i, ok := m.Lookup(name)
	if !ok || m.Slots[i].IsUnset() {
		return value.Value{}
	}
	p.learn(site, icEntry{shape: s, kind: icGlobal, off: uintptr(i) * bytecode.RegSize})
	return m.Slots[i]
}
