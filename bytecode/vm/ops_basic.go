package vm

import (
	"unsafe"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
)

func init() {
	op := func(o bytecode.Op, f operation) { operations[o] = f }
	op(bytecode.MOVE, func(th *Thread, fr *frame, ins uint64) error {
		*fr.a(ins) = *fr.b(ins)
		return nil
	})
	op(bytecode.LOADK, func(th *Thread, fr *frame, ins uint64) error {
		*fr.a(ins) = fr.p.consts[ins>>32/bytecode.RegSize]
		return nil
	})
	op(bytecode.CLEAR, func(th *Thread, fr *frame, ins uint64) error {
		*fr.a(ins) = value.Value{}
		return nil
	})
	op(bytecode.CHECK, func(th *Thread, fr *frame, ins uint64) error {
		if !fr.a(ins).IsUnset() {
			return nil
		}
		if th.Observer != nil {
			th.Observer.Absent(fr.fn.Value(), value.StepLocal, value.Int(int64(uint16(ins>>16)/bytecode.RegSize)))
		}
		name, _ := fr.p.consts[ins>>32/bytecode.RegSize].AsString()
		if fr.p.dialect == value.Strict {
			return value.NameErrorf(name, "local variable %s referenced before assignment", name)
		}
		r := value.Errorf(value.ExcUnboundLocalError, "cannot access local variable '%s' where it is not associated with a value", name)
		r.Name = name
		return r
	})
	op(bytecode.GETG, func(th *Thread, fr *frame, ins uint64) error {
		v, err := th.global(fr, int(ins>>32/bytecode.RegSize))
		if err != nil {
			return err
		}
		*fr.a(ins) = v
		return nil
	})
	op(bytecode.SETG, func(th *Thread, fr *frame, ins uint64) error {
		return th.setGlobal(fr, int(ins>>32/bytecode.RegSize), *fr.a(ins))
	})
	op(bytecode.DELG, func(th *Thread, fr *frame, ins uint64) error {
		slot := int(ins >> 32 / bytecode.RegSize)
		m := fr.p.mod
		if m.Slots[slot].IsUnset() {
			name := m.SlotName(slot)
			return fr.noName(name)
		}
		return th.setGlobal(fr, slot, value.Value{})
	})
	op(bytecode.MKCELL, func(th *Thread, fr *frame, ins uint64) error {
		cell := &value.Cell{}
		if uint16(ins>>32) != bytecode.NoReg {
			cell.V = *fr.b(ins)
		}
		*fr.a(ins) = cell.Value()
		if th.Observer != nil {
			th.Observer.Born(cell.Value())
		}
		return nil
	})
	op(bytecode.GETCELL, func(th *Thread, fr *frame, ins uint64) error {
		cell, err := cellOf(*fr.b(ins))
		if err != nil {
			return err
		}
		v, ok := th.readCell(cell)
		if !ok {
			return th.unbound(fr, fr.cellName(int(uint16(ins>>32))/bytecode.RegSize), false)
		}
		*fr.a(ins) = v
		return nil
	})
	op(bytecode.SETCELL, func(th *Thread, fr *frame, ins uint64) error {
		cell, err := cellOf(*fr.a(ins))
		if err != nil {
			return err
		}
		return th.writeCell(cell, *fr.b(ins))
	})
	op(bytecode.DELCELL, func(th *Thread, fr *frame, ins uint64) error {
		cell, err := cellOf(*fr.a(ins))
		if err != nil {
			return err
		}
		if cell.V.IsUnset() {
			return th.unbound(fr, fr.cellName(int(uint16(ins>>16))/bytecode.RegSize), false)
		}
		return th.writeCell(cell, value.Value{})
	})
	op(bytecode.GETFREE, func(th *Thread, fr *frame, ins uint64) error {
		v, ok := th.readCell(fr.fn.free[ins>>48])
		if !ok {
			return th.unbound(fr, fr.p.info.Free[ins>>48].Name, true)
		}
		*fr.a(ins) = v
		return nil
	})
	op(bytecode.SETFREE, func(th *Thread, fr *frame, ins uint64) error {
		return th.writeCell(fr.fn.free[ins>>48], *fr.a(ins))
	})
	op(bytecode.DELFREE, func(th *Thread, fr *frame, ins uint64) error {
		cell := fr.fn.free[ins>>48]
		if cell.V.IsUnset() {
			return th.unbound(fr, fr.p.info.Free[ins>>48].Name, true)
		}
		return th.writeCell(cell, value.Value{})
	})
	op(bytecode.GETNAME, func(th *Thread, fr *frame, ins uint64) error {
		slot := int(ins >> 32 / bytecode.RegSize)
		if v, ok, err := th.fromNamespace(fr, fr.p.mod.SlotName(slot)); ok || err != nil {
			return th.outcome(fr, ins, v, err)
		}
		v, err := th.global(fr, slot)
		return th.outcome(fr, ins, v, err)
	})
	op(bytecode.GETNAMEFREE, func(th *Thread, fr *frame, ins uint64) error {
		name := fr.p.info.Free[ins>>48].Name
		if v, ok, err := th.fromNamespace(fr, name); ok || err != nil {
			return th.outcome(fr, ins, v, err)
		}
		v, ok := th.readCell(fr.fn.free[ins>>48])
		if !ok {
			return th.unbound(fr, name, true)
		}
		*fr.a(ins) = v
		return nil
	})
	op(bytecode.SETNAME, func(th *Thread, fr *frame, ins uint64) error {
		name := value.Str(fr.p.mod.SlotName(int(ins >> 32 / bytecode.RegSize)))
		ns := *reg(fr.R, 0)
		if d := ns.AsDict(); d != nil {
			return d.Set(&th.Thread, name, *fr.a(ins))
		}
		return th.failed2(value.SetItem(&th.Thread, ns, name, *fr.a(ins)))
	})
	op(bytecode.DELNAME, func(th *Thread, fr *frame, ins uint64) error {
		name := fr.p.mod.SlotName(int(ins >> 32 / bytecode.RegSize))
		ns := *reg(fr.R, 0)
		if d := ns.AsDict(); d != nil {
			_, ok, err := d.Delete(&th.Thread, value.Str(name))
			if err == nil && !ok {
				err = value.NameErrorf(name, "name '%s' is not defined", name)
			}
			return err
		}
		return th.failed2(value.DelItem(&th.Thread, ns, value.Str(name)))
	})
	op(bytecode.JMP, func(th *Thread, fr *frame, ins uint64) error {
		fr.ip = unsafe.Add(fr.ip, (int64(ins)>>32)*8)
		return nil
	})
	op(bytecode.LOOP, func(th *Thread, fr *frame, ins uint64) error {
		trapped := fr.p.loops.Load() != 0
		if trapped || th.stepped {
			th.fuel--
		}
		polled := th.fuel <= 0
		if polled {
			if err := th.poll(); err != nil {
				return err
			}
		}
		fr.ip = unsafe.Add(fr.ip, (int64(ins)>>32)*8)
		if (polled || trapped) && th.asks() && th.counts() {
			th.count(Header{Code: fr.p.info, PC: fr.pc() + 1}, trapped)
		}
		return nil
	})
	branch := func(sense bool) operation {
		return func(th *Thread, fr *frame, ins uint64) error {
			x := *fr.a(ins)
			truth, err := value.Truth(&th.Thread, x)
			if err != nil {
				return th.failed(err)
			}
			if truth == sense {
				fr.jump(ins)
			}
			return nil
		}
	}
	op(bytecode.JF, branch(false))
	op(bytecode.JT, branch(true))
	op(bytecode.JNONE, func(th *Thread, fr *frame, ins uint64) error {
		if fr.a(ins).IsNone() {
			fr.jump(ins)
		}
		return nil
	})
	op(bytecode.JNNONE, func(th *Thread, fr *frame, ins uint64) error {
		if !fr.a(ins).IsNone() {
			fr.jump(ins)
		}
		return nil
	})
	op(bytecode.DISPLAY, func(th *Thread, fr *frame, ins uint64) error {
		v := *fr.a(ins)
		if th.Display != nil {
			return th.Display(th, v)
		}
		if v.IsNone() {
			return nil
		}
		v, err := th.Do(value.ReprOf(&th.Thread, v))
		if err != nil {
			return err
		}
		s, _ := v.AsString()
		th.WriteOut(s + "\n")
		return nil
	})
}

// failed2 is failed for operations that give nothing.
func (th *Thread) failed2(err error) error {
	if err == nil {
		return nil
	}
	return th.failed(err)
}

func cellOf(v value.Value) (*value.Cell, error) {
	if !v.Is(value.ItabCell) {
		return nil, value.Errorf(value.ExcSystemError, "a register does not hold the cell that the code expects")
	}
	return (*value.Cell)(v.P), nil
}

func (th *Thread) readCell(c *value.Cell) (value.Value, bool) {
	if th.Observer != nil {
		if c.V.IsUnset() {
			th.Observer.Absent(c.Value(), value.StepCell, value.Value{})
			return c.V, false
		}
		return th.Observer.Read(c.Value(), value.StepCell, value.Value{}, c.V), true
	}
	return c.V, !c.V.IsUnset()
}

func (th *Thread) writeCell(c *value.Cell, v value.Value) error {
	if c.Flags&value.FlagFrozen != 0 {
		return value.RuntimeErrorf("cannot change a variable of a frozen function")
	}
	if th.Observer != nil {
		th.Observer.Write(c.Value(), value.StepCell, value.Value{}, c.V, v)
	}
	c.Put(v)
	return nil
}

func (fr *frame) cellName(r int) string {
	for _, c := range fr.p.info.Cells {
		if c.Reg == r {
			return c.Name
		}
	}
	return "?"
}

func (th *Thread) unbound(fr *frame, name string, free bool) error {
	if fr.p.dialect == value.Strict {
		return value.NameErrorf(name, "local variable %s referenced before assignment", name)
	}
	if free {
		return value.NameErrorf(name, "cannot access free variable '%s' where it is not associated with a value in enclosing scope", name)
	}
	r := value.Errorf(value.ExcUnboundLocalError, "cannot access local variable '%s' where it is not associated with a value", name)
	r.Name = name
	return r
}

// global reads a global, or the builtin of its name.
func (th *Thread) global(fr *frame, slot int) (value.Value, error) {
	m := fr.p.mod
	v := m.Slots[slot]
	if th.Observer != nil {
		key := value.Str(m.SlotName(slot))
		if v.IsUnset() {
			th.Observer.Absent(m.Value(), value.StepGlobal, key)
		} else {
			v = th.Observer.Read(m.Value(), value.StepGlobal, key, v)
		}
	}
	if !v.IsUnset() {
		return v, nil
	}
	if slot < len(fr.p.env.shadow) {
		v = fr.p.env.shadow[slot]
	}
	if !v.IsUnset() {
		return v, nil
	}
	name := m.SlotName(slot)
	if fr.p.dialect == value.Strict {
		return v, value.NameErrorf(name, "global variable %s referenced before assignment", name)
	}
	return v, fr.noName(name)
}

// noName is the NameError for a name that nothing in scope has.
func (fr *frame) noName(name string) error {
	r := value.NameErrorf(name, "name '%s' is not defined", name)
	r.Obj, r.Locals = fr.p.mod.Value(), fr.p.info.Locals
	return r
}

func (th *Thread) setGlobal(fr *frame, slot int, v value.Value) error {
	m := fr.p.mod
	if m.Flags&value.FlagFrozen != 0 {
		return value.RuntimeErrorf("cannot assign to global '%s' of frozen module '%s'", m.SlotName(slot), m.Name)
	}
	if th.Observer != nil {
		th.Observer.Write(m.Value(), value.StepGlobal, value.Str(m.SlotName(slot)), m.Slots[slot], v)
	}
	m.Put(slot, v)
	return nil
}

// fromNamespace reads a name of the class body's namespace.
func (th *Thread) fromNamespace(fr *frame, name string) (v value.Value, ok bool, err error) {
	ns := *reg(fr.R, 0)
	if d := ns.AsDict(); d != nil {
		return d.Lookup(&th.Thread, value.Str(name))
	}
	has, err := value.Contains(&th.Thread, ns, value.Str(name))
	if err != nil || !has {
		return value.Value{}, false, err
	}
	v, err = value.GetItem(&th.Thread, ns, value.Str(name))
	return v, true, err
}
