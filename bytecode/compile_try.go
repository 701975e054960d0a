package bytecode

import "github.com/larkspur-ml/larkspur/lang/syntax"

func (f *fn) push(b block) { f.blocks = append(f.blocks, b) }
func (f *fn) pop()         { f.blocks = f.blocks[:len(f.blocks)-1] }

func (f *fn) try(s *syntax.Try) {
	if s.Star {
		f.c.fail(s, "except* is not supported")
		return
	}
	if len(s.Finally) == 0 {
		f.except(s)
		return
	}
	f.protect(block{kind: finallyBlock, body: s.Finally},
		func() { f.except(s) },
		func() { f.stmts(s.Finally) },
		func(int) { f.stmts(s.Finally) })
}

// protect compiles body under a handler that ends by raising on. b is what
// leaving body early has to do, after is code for its normal end, handle for
// the exception in the given register.
func (f *fn) protect(b block, body, after func(), handle func(exc int)) {
	at := f.bound
	b.region = f.open(CatchHandler, f.label(), 0)
	f.push(b)
	body()
	f.pop()
	f.close(b.region)
	after()
	end := f.label()
	f.jump(JMP, 0, 0, end)
	save := f.top
	exc := f.tmps(2)
	b.region.reg = exc
	f.enter(b.region, at)
	un := f.open(UnhandleHandler, 0, exc)
	f.push(block{kind: catchBlock, reg: exc, region: un})
	handle(exc)
	f.emit(RERAISE, exc, 0, 0)
	f.pop()
	f.close(un)
	f.top = save
	f.mark(end)
}

func (f *fn) except(s *syntax.Try) {
	if len(s.Handlers) == 0 {
		f.stmts(s.Body)
		f.stmts(s.Orelse)
		return
	}
	at := f.bound
	r := f.open(CatchHandler, f.label(), 0)
	// The region must be left on the way out, though nothing has to run.
	f.push(block{kind: finallyBlock, region: r})
	f.stmts(s.Body)
	f.pop()
	f.close(r)
	f.stmts(s.Orelse)
	end := f.label()
	f.jump(JMP, 0, 0, end)

	save := f.top
	exc := f.tmps(2)
	r.reg = exc
	f.enter(r, at)
	un := f.open(UnhandleHandler, 0, exc)
	f.push(block{kind: catchBlock, reg: exc, region: un})
	for _, h := range s.Handlers {
		old := f.at(h)
		next := f.label()
		if h.Type != nil {
			top := f.top
			t := f.tmp()
			f.emit(EXCMATCH, t, exc, f.operand(h.Type))
			f.jump(JF, t, 0, next)
			f.at(h)
			f.top = top
		}
		if h.Name == nil {
			f.stmts(h.Body)
		} else {
			f.store(h.Name, exc)
			f.protect(block{kind: nameBlock, name: h.Name},
				func() { f.stmts(h.Body) },
				func() { f.forget(h.Name) },
				func(int) { f.forget(h.Name) })
		}
		f.leave(len(f.blocks)-1, func() { f.jump(JMP, 0, 0, end) })
		f.mark(next)
		f.span = old
	}
	f.emit(RERAISE, exc, 0, 0)
	f.pop()
	f.close(un)
	f.top = save
	f.mark(end)
}

// with compiles the items one within the other.
//
//	WITHENTER w, manager;  target = w[1];  body;  WITHEXIT w[0]
//	handler: t = WITHEXIT w[0], exception;  raise on unless t
func (f *fn) with(items []*syntax.WithItem, body []syntax.Stmt) {
	if len(items) == 0 {
		f.stmts(body)
		return
	}
	save := f.top
	item := items[0]
	w := f.tmps(2)
	f.emit(WITHENTER, w, f.operand(item.Context), 0)
	f.top = w + 2
	at := f.bound
	r := f.open(CatchHandler, f.label(), 0)
	f.push(block{kind: withBlock, reg: w, region: r})
	if item.Target != nil {
		f.assign(item.Target, w+1)
	}
	f.top = w + 1
	f.with(items[1:], body)
	f.pop()
	f.close(r)
	f.emit(WITHEXIT, f.tmp(), w, NoReg)
	f.top = w + 1
	end := f.label()
	f.jump(JMP, 0, 0, end)

	exc := f.tmps(2)
	r.reg = exc
	f.enter(r, at)
	un := f.open(UnhandleHandler, 0, exc)
	f.push(block{kind: catchBlock, reg: exc, region: un})
	t := f.tmp()
	f.emit(WITHEXIT, t, w, exc)
	swallow := f.label()
	f.jump(JT, t, 0, swallow)
	f.emit(RERAISE, exc, 0, 0)
	f.mark(swallow)
	f.leave(len(f.blocks)-1, func() { f.jump(JMP, 0, 0, end) })
	f.pop()
	f.close(un)
	f.mark(end)
	f.top = save
}
