package sym

// Algebra computes with something in place of integers.
type Algebra[T any] struct {
	Const  func(int64) T
	Symbol func(i int) T
	Add    func(a, b T) T
	Mul    func(a, b T) T
	Div    func(a, b T) T // floor
	Max    func(a, b T) T
}

// Fold evaluates an expression in another algebra.
func Fold[T any](a Int, g *Algebra[T]) T {
	if a.e == nil {
		return g.Const(a.c)
	}
	var sum T
	for i, t := range a.e.t {
		var x T
		has := false
		if t.m == nil || t.k != 1 {
			x, has = g.Const(t.k), true
		}
		if t.m != nil {
			for _, at := range t.m.atoms {
				y := foldAtom(at, g)
				if has {
					y = g.Mul(x, y)
				}
				x, has = y, true
			}
		}
		if i > 0 {
			x = g.Add(sum, x)
		}
		sum = x
	}
	return sum
}

func foldAtom[T any](a *atom, g *Algebra[T]) T {
	switch a.kind {
	case kSym:
		return g.Symbol(int(a.sym))
	case kDiv:
		return g.Div(Fold(a.a, g), Fold(a.b, g))
	}
	return g.Max(Fold(a.a, g), Fold(a.b, g))
}
