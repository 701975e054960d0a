package tensor

// A number may come from outside a recording. Rules look at it by methods, and each
// look is told to the recording, which is then good for numbers that look the same:
//
//	Float64, Int64, String   for this value
//	Is, Less, Below          for values that compare so
//	Plus, Minus, Times …     for all: the result is traced as well
//
// Kernels read it when they run, without telling.

// Tracer hears how rules look at the numbers of a recording.
type Tracer interface {
	// Looked: the value itself was used.
	Looked(n Number)
	// Compared: n rel v was asked and came out so.
	Compared(n Number, rel NumRel, v float64, result bool)
	// Derived: result is op of a and b, one of which is traced. It returns what the
	// result is to carry, nil for a constant.
	Derived(op NumOp, a, b, result Number) *Trace
}

// Trace is what a traced number carries. Tracer is nil once the recording is over.
type Trace struct {
	Tracer Tracer
	Of     any // the tracer's own
}

// NumRel is a comparison of a number with a constant.
type NumRel uint8

const (
	RelEq NumRel = iota
	RelLt
	RelLe
)

// NumOp is arithmetic on numbers, as Python does it.
type NumOp uint8

const (
	NumAdd NumOp = iota
	NumSub
	NumMul
	NumDiv
)

func (n Number) traced() bool { return n.By != nil && n.By.Tracer != nil }

func (n Number) look() {
	if n.traced() {
		n.By.Tracer.Looked(n)
	}
}

// raw is the value as a float, untold.
func (n Number) raw() float64 {
	if n.Kind == NumFloat {
		return n.F
	}
	return float64(n.I)
}

func (n Number) compare(rel NumRel, v float64, result bool) bool {
	if n.traced() {
		n.By.Tracer.Compared(n, rel, v, result)
	}
	return result
}

// Is, Less and AtMost compare values regardless of kind.
func (n Number) Is(v float64) bool     { return n.compare(RelEq, v, n.raw() == v) }
func (n Number) Less(v float64) bool   { return n.compare(RelLt, v, n.raw() < v) }
func (n Number) AtMost(v float64) bool { return n.compare(RelLe, v, n.raw() <= v) }

// Within reports lo ≤ n ≤ hi; NaN is nowhere.
func (n Number) Within(lo, hi float64) bool { return n.AtMost(hi) && !n.Less(lo) }

// Bare is n without its trace.
func (n Number) Bare() Number {
	n.By = nil
	return n
}

// Plus, Minus, Times and Over are Python's arithmetic: ints give ints (64 bits),
// but for Over.
func (n Number) Plus(m Number) Number {
	return n.derive(NumAdd, m, func(a, b int64) int64 { return a + b }, func(a, b float64) float64 { return a + b })
}

func (n Number) Minus(m Number) Number {
	return n.derive(NumSub, m, func(a, b int64) int64 { return a - b }, func(a, b float64) float64 { return a - b })
}

func (n Number) Times(m Number) Number {
	return n.derive(NumMul, m, func(a, b int64) int64 { return a * b }, func(a, b float64) float64 { return a * b })
}

// Over is true division; the divisor is not zero.
func (n Number) Over(m Number) Number {
	return n.derive(NumDiv, m, nil, func(a, b float64) float64 { return a / b })
}

func (n Number) derive(op NumOp, m Number, ints func(a, b int64) int64, floats func(a, b float64) float64) Number {
	var r Number
	if ints != nil && n.Kind != NumFloat && m.Kind != NumFloat {
		r = Int(ints(n.I, m.I))
	} else {
		r = Float(floats(n.raw(), m.raw()))
	}
	for _, x := range []Number{n, m} {
		if x.traced() {
			r.By = x.By.Tracer.Derived(op, n, m, r)
			break
		}
	}
	return r
}
