package loop

// Operands calls f for each value that a statement reads itself.
func Operands(s Stmt, f func(v V)) {
	use := func(v V) {
		if v != 0 {
			f(v)
		}
	}
	mem := func(m *Access) {
		if m == nil {
			return
		}
		for _, d := range m.Dyn {
			use(d.Index)
		}
		use(m.Mask)
	}
	switch s := s.(type) {
	case *Let:
		use(s.A)
		use(s.B)
		use(s.C)
		mem(s.Mem)
	case *Store:
		use(s.Val)
		mem(s.Mem)
	case *Atomic:
		use(s.Val)
		mem(s.Mem)
	case *Assert:
		use(s.Cond)
		use(s.Val)
		use(s.Mask)
	case *Loop:
		for _, c := range s.Carry {
			use(c.Init)
		}
	}
}

// Results calls f for what the end of a loop's body reads.
func Results(l *Loop, f func(v V)) {
	for _, x := range l.Folds {
		f(x.In)
		if x.Op.HasIndex() {
			f(x.InIdx)
		}
	}
	for _, c := range l.Carry {
		f(c.Next)
	}
}
