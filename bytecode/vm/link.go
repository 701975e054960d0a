package vm

import (
	"sync/atomic"

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
// while the class has the version ver.
type icEntry struct {
	shape *value.Shape
	ver   uint32
	kind  icKind
	off   uintptr      // of the slot, for a slot
	next  *value.Shape // the shape after the store, for a new attribute
	fn    *Function    // the method
	val   value.Value  // of the class attribute
}

type icKind uint8

const (
	icNone   icKind = iota
	icSlot          // the attribute is in the instance
	icAdd           // the store adds the attribute
	icFunc          // the attribute is a method in the language
	icOther         // val, from the class: a builtin method or plain value
	icAppend        // not learnt: see appendIC
)

// An IC is the cache of one site: the two entries learnt last, and a method of
// a built-in type, which cannot change. It is immutable.
type IC struct {
	e     [2]icEntry
	itab  uint64      // second word of the built-in type
	val   value.Value // its method
	tries int         // how often the cache was replaced
}

// noShape is the shape of no instance, so that empty entries match nothing.
var noShape = new(value.Shape)

var coldIC = &IC{e: [2]icEntry{{shape: noShape}, {shape: noShape}}}

// appendIC is what a call of .append(x) starts with: the fast loop appends to
// lists itself while the site has seen no instance.
var appendIC = &IC{e: [2]icEntry{{shape: noShape, kind: icAppend}, {shape: noShape}}}

// maxTries bounds how often a site learns: one that sees many shapes is left
// with what it has.
const maxTries = 64

type icCell struct{ p atomic.Pointer[IC] }

func (p *proto) learn(site int, e icEntry) {
	old := p.ics[site].p.Load()
	if old.tries >= maxTries {
		return
	}
	// A new version of a shape takes its own entry's place.
	second := old.e[0]
	if second.shape == e.shape {
		second = old.e[1]
	}
	p.ics[site].p.Store(&IC{e: [2]icEntry{e, second}, itab: old.itab, val: old.val, tries: old.tries + 1})
}

func (p *proto) learnBuiltin(site int, itab uint64, v value.Value) {
	old := p.ics[site].p.Load()
	if old.tries >= maxTries {
		return
	}
	p.ics[site].p.Store(&IC{e: old.e, itab: itab, val: v, tries: old.tries + 1})
}

// find returns the entry of the site that holds for the instance, or nil.
func (p *proto) find(site int, in *value.Instance) *icEntry {
	ic := p.ics[site].p.Load()
	for i := range ic.e {
		if e := &ic.e[i]; e.shape == in.Shape && e.ver == in.Shape.Class.Version {
			return e
		}
	}
	return nil
}
