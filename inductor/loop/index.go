package loop

import "github.com/larkspur-ml/larkspur/tensor/sym"

// Ix is an index along one dimension of an operand: Off + Σ axis*coef, plus a
// value computed from data. An Index or Scatter body receives one per output
// dimension and makes others from them; it never compares.
type Ix struct {
	Axes []Axis
	Coef []sym.Int
	Off  sym.Int
	Dyn  V // i64 or i32; 0: none
	// Check is raised when Dyn is outside the operand's size there. nil: IndexError
	// "index %i is out of bounds for dimension %d with size %n".
	Check *Check
}

// At is the index that is one axis.
func At(a Axis) Ix { return Ix{Axes: []Axis{a}, Coef: []sym.Int{sym.C(1)}} }

// IxInt is a fixed index.
func IxInt(v sym.Int) Ix { return Ix{Off: v} }

// IxData is an index from data.
func IxData(v V, c *Check) Ix { return Ix{Dyn: v, Check: c} }

// Scale is x*coef + off; x must have no data part unless coef is 1 and off 0.
func (x Ix) Scale(coef, off sym.Int) Ix {
	o := Ix{Off: x.Off.Mul(coef).Add(off), Dyn: x.Dyn, Check: x.Check, Axes: x.Axes}
	if x.Dyn != 0 && !(coef.Is(1) && off.Is(0)) {
		panic("BUG: scaling an index from data; compute with values instead")
	}
	for _, c := range x.Coef {
		o.Coef = append(o.Coef, c.Mul(coef))
	}
	return o
}

// Shift is x + off.
func (x Ix) Shift(off sym.Int) Ix { return x.Scale(sym.C(1), off) }

// Plus adds two affine indices (a convolution's window: out*stride + k).
func (x Ix) Plus(y Ix) Ix {
	if x.Dyn != 0 || y.Dyn != 0 {
		panic("BUG: adding indices from data; compute with values instead")
	}
	o := Ix{Off: x.Off.Add(y.Off), Axes: append([]Axis(nil), x.Axes...), Coef: append([]sym.Int(nil), x.Coef...)}
next:
	for i, a := range y.Axes {
		for j, b := range o.Axes {
			if a == b {
				o.Coef[j] = o.Coef[j].Add(y.Coef[i])
				continue next
			}
		}
		o.Axes = append(o.Axes, a)
		o.Coef = append(o.Coef, y.Coef[i])
	}
	return o
}
