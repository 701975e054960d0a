package bytecode

import (
	"slices"

	"github.com/larkspur-ml/larkspur/lang/syntax"
)

type blockKind uint8

const (
	loopBlock    blockKind = iota
	iterBlock              // Starlark: reg is an open iteration
	finallyBlock           // body runs on the way out
	withBlock              // reg has __exit__
	catchBlock             // reg, reg+1: a handler runs
	nameBlock              // except … as name: the name goes on the way out
)

// A block is a statement around the current one that matters to code that
// leaves it early.
type block struct {
	kind    blockKind
	brk     label
	cont    label
	contTop bool // continue jumps backwards, to cont
	reg     int
	body    []syntax.Stmt
	name    *syntax.Name
	region  *region
}

// leave emits what must run when control leaves the blocks from depth on, and
// then jump, all of it outside the handlers of those blocks.
func (f *fn) leave(depth int, jump func()) {
	if f.dead {
		return
	}
	blocks := slices.Clone(f.blocks)
	for i := len(blocks) - 1; i >= depth; i-- {
		b := blocks[i]
		f.suspend(b.region)
		f.blocks = slices.Clone(blocks[:i])
		save := f.top
		switch b.kind {
		case iterBlock:
			f.emit(ITERDONE, b.reg, 0, 0)
		case finallyBlock:
			f.stmts(b.body)
		case withBlock:
			f.emit(WITHEXIT, f.tmp(), b.reg, NoReg)
		case catchBlock:
			f.emit(ENDCATCH, b.reg, 0, 0)
		case nameBlock:
			f.forget(b.name)
		}
		f.top = save
	}
	jump()
	f.blocks = blocks
	for _, b := range blocks[depth:] {
		f.resume(b.region)
	}
}

// forget unbinds the name of an except clause, which may be unbound already.
func (f *fn) forget(n *syntax.Name) {
	r := f.tmp()
	f.none(r)
	f.store(n, r)
	f.unset(n, false)
	f.top = r
}

func (f *fn) leaveLoop(s syntax.Stmt, isBreak bool) {
	for i := len(f.blocks) - 1; i >= 0; i-- {
		b := f.blocks[i]
		if b.kind != loopBlock {
			continue
		}
		switch {
		case isBreak:
			f.leave(i+1, func() { f.jump(JMP, 0, 0, b.brk) })
		default:
			// The iteration of the loop itself goes on.
			depth := i + 1
			if depth < len(f.blocks) && f.blocks[depth].kind == iterBlock {
				depth++
			}
			op := JMP
			if b.contTop {
				op = LOOP
			}
			f.leave(depth, func() { f.jump(op, 0, 0, b.cont) })
		}
		return
	}
	if isBreak {
		f.c.fail(s, "'break' outside loop")
	} else {
		f.c.fail(s, "'continue' not properly in loop")
	}
}

func (f *fn) returnStmt(s *syntax.Return) {
	r := -1
	if s.Value == nil {
		r = f.tmp()
		f.none(r)
	} else {
		r = f.operand(s.Value)
		if len(f.blocks) > 0 && r < f.firstTmp { // a finally might change the local
			t := f.tmp()
			f.emit(MOVE, t, r, 0)
			r = t
		}
	}
	f.leave(0, func() { f.emit(RET, r, 0, 0) })
}

func (f *fn) ifStmt(s *syntax.If) {
	end := f.label()
	for {
		no := f.label()
		f.branch(s.Test, no, false)
		f.stmts(s.Body)
		if len(s.Orelse) == 0 {
			f.mark(no)
			break
		}
		f.jump(JMP, 0, 0, end)
		f.mark(no)
		// A chain of elifs is walked, however long it is.
		next, ok := s.Orelse[0].(*syntax.If)
		if !ok || len(s.Orelse) > 1 {
			f.stmts(s.Orelse)
			break
		}
		f.at(next)
		s = next
	}
	f.mark(end)
}

func (f *fn) while(s *syntax.While) {
	brk, orelse := f.label(), f.label()
	top := f.here()
	f.branch(s.Test, orelse, false)
	f.blocks = append(f.blocks, block{kind: loopBlock, brk: brk, cont: top, contTop: true})
	f.stmts(s.Body)
	f.jump(LOOP, 0, 0, top)
	f.blocks = f.blocks[:len(f.blocks)-1]
	f.mark(orelse)
	f.stmts(s.Orelse)
	f.mark(brk)
}

func (f *fn) forStmt(s *syntax.For) {
	// The iteration belongs to the statement in tracebacks, as in CPython.
	it := f.tmps(3)
	f.emit(GETITER, it, f.operand(s.Iter), 0)
	f.top = it + 3
	brk, next := f.label(), f.label()
	f.blocks = append(f.blocks, block{kind: loopBlock, brk: brk, cont: next})
	f.loop(s, it, s.Target, next, func(label) { f.stmts(s.Body) })
	f.blocks = f.blocks[:len(f.blocks)-1]
	f.stmts(s.Orelse)
	f.mark(brk)
}
