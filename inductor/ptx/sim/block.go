package sim

import "fmt"

// thread is one thread of a block.
type thread struct {
	regs []uint64
	set  []bool
	pc   int
	done bool
	id   int
	bad  bool // has read a register that was never written
	b    *blockState
}

// blockState is what the threads of a block share.
type blockState struct {
	m            *Machine
	c            *code
	args         []uint64
	shared       []byte
	x, y, nx, ny int
	threads      []*thread
}

// stepLimit ends a thread that never does.
const stepLimit = 1_000_000

func (m *Machine) block(c *code, bx, by, nx, ny, threads int, args []uint64) error {
	b := &blockState{m: m, c: c, args: args, shared: make([]byte, c.shared), x: bx, y: by, nx: nx, ny: ny}
	for i := range b.shared {
		b.shared[i] = 0xa5
	}
	regs := make([]uint64, threads*len(c.regs))
	set := make([]bool, threads*len(c.regs))
	n := len(c.regs)
	for i := range threads {
		b.threads = append(b.threads, &thread{regs: regs[i*n : i*n+n], set: set[i*n : i*n+n], id: i, b: b})
	}
	for {
		alive, moved := 0, false
		for _, t := range b.threads {
			if t.done {
				continue
			}
			pc := t.pc
			if err := t.run(); err != nil {
				return b.err(t, err)
			}
			moved = moved || t.pc != pc || t.done
			if !t.done {
				alive++
			}
		}
		if alive == 0 {
			return nil
		}
		met, err := b.meet()
		if err != nil {
			return err
		}
		if !met && !moved {
			return fmt.Errorf("threads wait for others that do not come: %s", b.where())
		}
	}
}

func (b *blockState) err(t *thread, err error) error {
	in := &b.c.insts[min(t.pc, len(b.c.insts)-1)]
	return fmt.Errorf("block (%d, %d) thread %d, line %d: %s: %w", b.x, b.y, t.id, in.line, in.text, err)
}

func (b *blockState) where() string {
	s := ""
	for _, t := range b.threads {
		if !t.done {
			s = fmt.Sprintf("thread %d at line %d (%s)", t.id, b.c.insts[t.pc].line, b.c.insts[t.pc].text)
		}
	}
	return s
}

// holds is whether the instruction's guard lets it run.
func (t *thread) holds(in *inst) bool {
	return in.guard < 0 || (t.regs[in.guard] != 0) != in.negate
}

// run goes on until the thread must meet others, or ends.
func (t *thread) run() error {
	insts := t.b.c.insts
	for range stepLimit {
		if t.pc >= len(insts) {
			t.done = true
			return nil
		}
		in := &insts[t.pc]
		if in.guard >= 0 && !t.set[in.guard] {
			return fmt.Errorf("the guard was never written")
		}
		if !t.holds(in) {
			t.pc++
			continue
		}
		switch {
		case in.branch:
			t.pc = in.jump
			continue
		case in.ret:
			t.done = true
			return nil
		case in.block || in.warp != nil:
			return nil
		}
		if err := in.run(t); err != nil {
			return err
		}
		if t.bad {
			return fmt.Errorf("a register was never written")
		}
		t.pc++
	}
	return fmt.Errorf("the thread does not end")
}

// meet lets through whom all others have joined.
func (b *blockState) meet() (bool, error) {
	met := false
	for at := 0; at < len(b.threads); at += 32 {
		var w []*thread
		same := true
		for _, t := range b.threads[at:min(at+32, len(b.threads))] {
			if t.done {
				continue
			}
			if len(w) > 0 && t.pc != w[0].pc {
				same = false
			}
			w = append(w, t)
		}
		if len(w) == 0 || !same {
			continue
		}
		in := &b.c.insts[w[0].pc]
		if in.warp == nil {
			continue
		}
		if err := in.warp(w); err != nil {
			return false, b.err(w[0], err)
		}
		for _, t := range w {
			t.pc++
		}
		met = true
	}
	pc := -1
	for _, t := range b.threads {
		if t.done {
			continue
		}
		if pc >= 0 && t.pc != pc || !b.c.insts[t.pc].block {
			return met, nil
		}
		pc = t.pc
	}
	if pc < 0 {
		return met, nil
	}
	for _, t := range b.threads {
		if !t.done {
			t.pc++
		}
	}
	return true, nil
}
