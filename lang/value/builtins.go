package value

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"unicode/utf8"
)

var universe [2]map[string]Value

// Universe is the table of builtins of a dialect: name to value. Callers may
// copy it but not change it. open, input and __import__ are not in it: whoever
// wires the runtime adds them.
func Universe(d Dialect) map[string]Value { return universe[d] }

// BuiltinNames are the names of Universe(Model), sorted.
func BuiltinNames() []string { return slices.Sorted(maps.Keys(universe[Model])) }

func initUniverse() {
	u := map[string]Value{
		"None": None, "True": True, "False": False, "NotImplemented": NotImplemented, "Ellipsis": Ellipsis,
		"__debug__": True,
	}
	for _, c := range []*Class{ObjectClass, TypeClass, IntClass, BoolClass, FloatClass, ComplexClass, StrClass, BytesClass, ListClass,
		TupleClass, DictClass, SetClass, FrozenSetClass, RangeClass, SliceClass, PropertyClass, ClassMethodClass,
		StaticMethodClass, SuperClass, ZipClass, MapClass, FilterClass, EnumerateClass, ReversedClass} {
		u[c.Name] = c.Value()
	}
	for _, c := range exceptionClasses {
		u[c.Name] = c.Value()
	}
	u["IOError"], u["EnvironmentError"] = ExcOSError.Value(), ExcOSError.Value()
	for _, b := range builtinFunctions() {
		if b.Doc == "" {
			b.Doc = builtinDocs[b.Name]
		}
		u[b.Name] = b.Value()
	}
	universe[Model] = u
	universe[Strict] = strictUniverse()
}

func builtinFunctions() []*Builtin {
	fn := func(name string, min, max int, pure bool, f BuiltinFn) *Builtin {
		return &Builtin{Name: name, Min: min, Max: max, Counted: true, Pure: pure, Fn: f}
	}
	kw := func(name string, pure bool, f BuiltinFn) *Builtin {
		return &Builtin{Name: name, Max: -1, WantsKw: true, Pure: pure, Fn: f}
	}
	base := func(name string, base int, prefix string) *Builtin {
		return fn(name, 1, 1, true, func(t *Thread, a []Value, _ []Kwarg) (Value, error) {
			i, err := toIndexBig(t, a[0])
			if err != nil {
				return Value{}, err
			}
			sign := ""
			if i.Sign() < 0 {
				sign = "-"
			}
			return Str(sign + prefix + new(big.Int).Abs(i).Text(base)), nil
		})
	}
	return []*Builtin{
		quick(fn("abs", 1, 1, true, func(t *Thread, a []Value, _ []Kwarg) (Value, error) { return absOf(t, a[0]) }), quickAbs),
		quick(fn("len", 1, 1, true, func(t *Thread, a []Value, _ []Kwarg) (Value, error) {
			n, err := Len(t, a[0])
			return Int(int64(n)), err
		}), quickLen),
		fn("divmod", 2, 2, true, divmod),
		kw("pow", true, powFn), kw("round", true, roundFn),
		fn("ord", 1, 1, true, ordFn), fn("chr", 1, 1, true, chrFn),
		base("hex", 16, "0x"), base("bin", 2, "0b"), base("oct", 8, "0o"),
		fn("repr", 1, 1, true, func(t *Thread, a []Value, _ []Kwarg) (Value, error) { return ReprOf(t, a[0]) }),
		fn("ascii", 1, 1, true, func(t *Thread, a []Value, _ []Kwarg) (Value, error) {
			s, err := reprString(t, a[0])
			return Str(asciiOnly(s)), err
		}),
		fn("format", 1, 2, true, func(t *Thread, a []Value, _ []Kwarg) (Value, error) {
			spec, ok := Payload(argOr(a, 1, Str(""))).AsString()
			if !ok {
				return Value{}, TypeErrorf("format() argument 2 must be str, not %s", argTypeName(a[1]))
			}
			return Format(t, a[0], spec)
		}),
		quick(fn("isinstance", 2, 2, true, func(t *Thread, a []Value, _ []Kwarg) (Value, error) {
			b, err := IsInstance(t, a[0], a[1])
			return Bool(b), err
		}), quickIsInstance),
		fn("issubclass", 2, 2, true, func(t *Thread, a []Value, _ []Kwarg) (Value, error) {
			b, err := IsSubclass(t, a[0], a[1])
			return Bool(b), err
		}),
		fn("callable", 1, 1, true, func(t *Thread, a []Value, _ []Kwarg) (Value, error) { return Bool(Callable(a[0])), nil }),
		fn("id", 1, 1, false, func(t *Thread, a []Value, _ []Kwarg) (Value, error) { return Int(int64(addressOf(a[0]))), nil }),
		fn("hash", 1, 1, true, func(t *Thread, a []Value, _ []Kwarg) (Value, error) {
			if f, ok := customOf(a[0], dHash); ok && !f.IsNone() {
				return Value{}, t.needMethod(hashStep{}, f, a[0])
			}
			h, err := PyHash(t, a[0])
			return Int(h), err
		}),
		fn("getattr", 2, 3, true, getattrFn),
		fn("hasattr", 2, 2, true, hasattrFn),
		fn("setattr", 3, 3, true, func(t *Thread, a []Value, _ []Kwarg) (Value, error) {
			name, err := attrNameArg(a[1])
			if err != nil {
				return Value{}, err
			}
			if err := SetAttr(t, a[0], name, a[2]); err != nil {
				return Value{}, t.thenNone(err)
			}
			return None, nil
		}),
		fn("delattr", 2, 2, true, func(t *Thread, a []Value, _ []Kwarg) (Value, error) {
			name, err := attrNameArg(a[1])
			if err != nil {
				return Value{}, err
			}
			if err := DelAttr(t, a[0], name); err != nil {
				return Value{}, t.thenNone(err)
			}
			return None, nil
		}),
		fn("vars", 1, 1, true, func(t *Thread, a []Value, _ []Kwarg) (Value, error) {
			switch {
			case a[0].Is(ItabInstance), a[0].Is(ItabClass), a[0].Is(ItabModule):
				return GetAttr(t, a[0], "__dict__")
			}
			return Value{}, TypeErrorf("vars() argument must have __dict__ attribute")
		}),
		fn("dir", 0, 1, false, func(t *Thread, a []Value, _ []Kwarg) (Value, error) {
			if len(a) == 0 {
				return Value{}, TypeErrorf("dir() takes a frame here")
			}
			if f, ok := customOf(a[0], dDir); ok {
				return Value{}, t.needMethod(&dirStep{}, f, a[0])
			}
			return strList(Dir(t, a[0])), nil
		}),
		fn("iter", 1, 2, true, func(t *Thread, a []Value, _ []Kwarg) (Value, error) {
			if len(a) == 2 {
				if !Callable(a[0]) {
					return Value{}, TypeErrorf("iter(v, w): v must be callable")
				}
				return t.born(FromStarlark(&CallIter{Fn: a[0], Sentinel: a[1]})), nil
			}
			return Iter(t, a[0])
		}),
		fn("next", 1, 2, true, nextFn),
		fn("any", 1, 1, true, fold(foldAny)), fn("all", 1, 1, true, fold(foldAll)),
		kw("sum", true, sumFn),
		quick(kw("max", true, extreme("max", foldMax)), quickBest(1)), quick(kw("min", true, extreme("min", foldMin)), quickBest(-1)),
		kw("sorted", true, sortedFn),
		kw("print", true, printFn),
	}
}

func toIndexBig(t *Thread, x Value) (*big.Int, error) {
	if b, ok := AsBig(Payload(concrete(x))); ok {
		return b, nil
	}
	i, err := wantIndex(t, x)
	return big.NewInt(i), err
}

func absOf(t *Thread, x Value) (Value, error) {
	if c := classBearer(x); c != nil {
		if f, ok := c.custom(dAbs); ok {
			return Value{}, t.needMethod(nil, f, x)
		}
		if f := c.special(dAbs); f.Is(ItabBuiltin) && (*Builtin)(f.P).Owner.Module != "builtins" {
			return (*Builtin)(f.P).Call(t, []Value{x}, nil)
		}
	}
	if z, ok := asComplex(x); ok {
		return absComplex(z)
	}
	p := Payload(concrete(x))
	switch kindOf(p) {
	case smallNum:
		if i := p.Int64(); i >= 0 {
			return Int(i), nil
		}
		return Unary(t, OpNeg, Int(p.Int64()))
	case floatNum:
		return Float(math.Abs(p.Float64())), nil
	case bigNum:
		b, _ := AsBig(p)
		return BigInt(new(big.Int).Abs(b)), nil
	}
	return Value{}, TypeErrorf("bad operand type for abs(): '%s'", typeName(x))
}

func divmod(t *Thread, a []Value, _ []Kwarg) (Value, error) {
	for i, d := range []dunder{dDivmod, dRdivmod} {
		if f, ok := customOf(a[i], d); ok {
			return Value{}, t.needMethod(nil, f, a[i], a[1-i])
		}
	}
	x, y := Payload(concrete(a[0])), Payload(concrete(a[1]))
	if kindOf(x) == notNum || kindOf(y) == notNum {
		if classBearer(a[0]) == nil && classBearer(a[1]) == nil {
			return Value{}, TypeErrorf("unsupported operand type(s) for divmod(): '%s' and '%s'", typeName(a[0]), typeName(a[1]))
		}
		x, y = a[0], a[1]
	}
	if kindOf(x) == floatNum || kindOf(y) == floatNum {
		if f, err := numFloat(y); err == nil && f == 0 {
			return Value{}, Errorf(ExcZeroDivisionError, "float divmod()")
		}
	}
	q, err := t.finish(Binary(t, OpFloorDiv, x, y))
	if err != nil {
		return Value{}, err
	}
	r, err := t.finish(Binary(t, OpMod, x, y))
	if err != nil {
		return Value{}, err
	}
	return pair(q, r), nil
}

func powFn(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	a, err := placeArgs("pow", args, kw, []string{"base", "exp", "mod"})
	if err != nil {
		return Value{}, err
	}
	if len(a) < 2 || len(a) > 3 {
		return Value{}, TypeErrorf("pow() missing required argument 'exp' (pos 2)")
	}
	if len(a) == 2 || a[2].IsNone() {
		return Binary(t, OpPow, a[0], a[1])
	}
	if c := classBearer(a[0]); c != nil {
		if f, ok := c.Find("__pow__"); ok && !f.Value.Is(ItabBuiltin) {
			return Value{}, t.needMethod(nil, f.Value, a[0], a[1], a[2])
		}
	}
	x, ok1 := AsBig(Payload(a[0]))
	y, ok2 := AsBig(Payload(a[1]))
	m, ok3 := AsBig(Payload(a[2]))
	if !ok1 || !ok2 || !ok3 {
		return Value{}, TypeErrorf("pow() 3rd argument not allowed unless all arguments are integers")
	}
	if m.Sign() == 0 {
		return Value{}, ValueErrorf("pow() 3rd argument cannot be 0")
	}
	am := new(big.Int).Abs(m)
	z := new(big.Int)
	if y.Sign() < 0 {
		inv := new(big.Int).ModInverse(new(big.Int).Mod(x, am), am)
		if inv == nil {
			return Value{}, ValueErrorf("base is not invertible for the given modulus")
		}
		err = powMod(t, z, inv, new(big.Int).Neg(y), am)
	} else {
		err = powMod(t, z, new(big.Int).Mod(x, am), y, am)
	}
	if err != nil {
		return Value{}, err
	}
	if am.Cmp(big.NewInt(1)) == 0 {
		z.SetInt64(0)
	}
	if m.Sign() < 0 && z.Sign() > 0 {
		z.Add(z, m)
	}
	return BigInt(z), nil
}

// powMod is z = x^y mod m for y >= 0. Go's own cannot be interrupted, so large
// powers are taken step by step.
func powMod(t *Thread, z, x, y, m *big.Int) error {
	if m.BitLen() <= 1<<13 && y.BitLen() <= 1<<13 {
		z.Exp(x, y, m)
		return nil
	}
	z.SetInt64(1)
	q := new(big.Int)
	for i := y.BitLen() - 1; i >= 0; i-- {
		z.Mul(z, z)
		if y.Bit(i) == 1 {
			z.Mul(z, x)
		}
		q.QuoRem(z, m, z)
		if t.Poll != nil && i%16 == 0 {
			if err := t.Poll(); err != nil {
				return err
			}
		}
	}
	return nil
}

func roundFn(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	a, err := placeArgs("round", args, kw, []string{"number", "ndigits"})
	if err != nil {
		return Value{}, err
	}
	if len(a) == 0 {
		return Value{}, TypeErrorf("round() missing required argument 'number' (pos 1)")
	}
	if c := classBearer(a[0]); c != nil {
		if f, ok := c.custom(dRound); ok {
			return Value{}, t.needMethod(nil, f, a[0], a[1:]...)
		}
		if f := c.special(dRound); f.Is(ItabBuiltin) {
			return (*Builtin)(f.P).Call(t, a, nil)
		}
	}
	p := Payload(concrete(a[0]))
	nd := argOr(a, 1, None)
	switch kindOf(p) {
	case smallNum, bigNum:
		if nd.IsNone() {
			return ToInt(t, p)
		}
		n, err := wantIndex(t, nd)
		if err != nil {
			return Value{}, err
		}
		if n >= 0 {
			return ToInt(t, p)
		}
		if n < -maxDigits {
			return Int(0), nil
		}
		b, _ := AsBig(p)
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(-n), nil)
		q, r := bigFloorDiv(b, unit)
		switch c := new(big.Int).Lsh(r, 1).Cmp(unit); {
		case c > 0, c == 0 && q.Bit(0) == 1:
			q.Add(q, big.NewInt(1))
		}
		return BigInt(q.Mul(q, unit)), nil
	case floatNum:
		f := p.Float64()
		if nd.IsNone() {
			return floatToInt(math.RoundToEven(f))
		}
		n, err := wantIndex(t, nd)
		if err != nil {
			return Value{}, err
		}
		if math.IsNaN(f) || math.IsInf(f, 0) || f == 0 || n > 323 {
			return Float(f), nil
		}
		if n < -308 {
			return Float(math.Copysign(0, f)), nil
		}
		if n >= 0 {
			// Correct rounding of the exact decimal value: half to even digits.
			r, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', int(n), 64), 64)
			return Float(r), nil
		}
		exact, _ := new(big.Float).SetFloat64(f).Int(nil)
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(-n), nil)
		q, r := bigFloorDiv(exact, unit)
		frac := f != math.Trunc(f)
		switch c := new(big.Int).Lsh(r, 1).Cmp(unit); {
		case c > 0, c == 0 && (q.Bit(0) == 1 || frac && f > 0):
			q.Add(q, big.NewInt(1))
		}
		z, _ := new(big.Float).SetInt(q.Mul(q, unit)).Float64()
		return Float(math.Copysign(z, f)), nil
	}
	return Value{}, TypeErrorf("type %s doesn't define __round__ method", typeName(a[0]))
}

func ordFn(t *Thread, a []Value, _ []Kwarg) (Value, error) {
	p := Payload(a[0])
	if s, ok := p.AsString(); ok {
		r, n := utf8.DecodeRuneInString(s)
		if n == len(s) && n > 0 {
			return Int(int64(r)), nil
		}
		return Value{}, TypeErrorf("ord() expected a character, but string of length %d found", utf8.RuneCountInString(s))
	}
	if b, ok := asBytes(p); ok {
		if len(b) == 1 {
			return Int(int64(b[0])), nil
		}
		return Value{}, TypeErrorf("ord() expected a character, but string of length %d found", len(b))
	}
	return Value{}, TypeErrorf("ord() expected string of length 1, but %s found", typeName(a[0]))
}

func chrFn(t *Thread, a []Value, _ []Kwarg) (Value, error) {
	i, err := wantIndex(t, a[0])
	if err != nil {
		return Value{}, err
	}
	if i != int64(int32(i)) {
		return Value{}, OverflowErrorf("Python int too large to convert to C int")
	}
	if i < 0 || i > utf8.MaxRune {
		return Value{}, ValueErrorf("chr() arg not in range(0x110000)")
	}
	return charStr(string(rune(i))), nil
}

func attrNameArg(v Value) (string, error) {
	s, ok := Payload(v).AsString()
	if !ok {
		return "", TypeErrorf("attribute name must be string, not '%s'", typeName(v))
	}
	return s, nil
}

// thenNone makes the result of a call None, whatever it returned.
func (t *Thread) thenNone(err error) error {
	if nc, ok := err.(*NeedCall); ok {
		return t.after(nc, &yieldStep{None})
	}
	return err
}

func getattrFn(t *Thread, a []Value, _ []Kwarg) (Value, error) {
	name, err := attrNameArg(a[1])
	if err != nil {
		return Value{}, err
	}
	v, err := GetAttr(t, a[0], name)
	if err == nil || len(a) == 2 {
		return v, err
	}
	if nc, ok := err.(*NeedCall); ok {
		return Value{}, t.after(nc, &attrDefault{def: a[2]})
	}
	if r, ok := err.(*Raised); ok && r.Class.IsSubclass(ExcAttributeError) {
		return a[2], nil
	}
	return Value{}, err
}

// attrDefault catches AttributeError: getattr with a default, and hasattr.
type attrDefault struct {
	def Value
	has bool
}

func (s *attrDefault) Roots(visit func(*Value)) { visit(&s.def) }
func (s *attrDefault) Step(t *Thread, in Value, err error) Action {
	if r, ok := err.(*Raised); ok && r.Class.IsSubclass(ExcAttributeError) {
		return Return(s.def)
	}
	if err != nil {
		return Raise(err)
	}
	if s.has {
		return Return(True)
	}
	return Return(in)
}

func hasattrFn(t *Thread, a []Value, _ []Kwarg) (Value, error) {
	name, err := attrNameArg(a[1])
	if err != nil {
		return Value{}, err
	}
	_, err = GetAttr(t, a[0], name)
	if nc, ok := err.(*NeedCall); ok {
		return Value{}, t.after(nc, &attrDefault{def: False, has: true})
	}
	if r, ok := err.(*Raised); ok && r.Class.IsSubclass(ExcAttributeError) {
		return False, nil
	}
	return True, err
}

// dirStep sorts what __dir__ returned.
type dirStep struct{}

func (*dirStep) Step(t *Thread, in Value, err error) Action {
	if err != nil {
		return Raise(err)
	}
	v, err := sortedFn(t, []Value{in}, nil)
	if err != nil {
		return Raise(err)
	}
	return Return(v)
}

func nextFn(t *Thread, a []Value, _ []Kwarg) (Value, error) {
	if _, ok := As[Generator](a[0]); ok {
		// Its own __next__ raises StopIteration with what the generator returned.
		if f, ok := TypeOf(a[0]).Find("__next__"); ok {
			v, err := CallAny(t, f.Value, a[:1], nil)
			if nc, isCall := err.(*NeedCall); isCall && len(a) > 1 {
				return Value{}, t.after(nc, stopDefault{a[1]})
			}
			if isStop(err) && len(a) > 1 {
				return a[1], nil
			}
			return v, err
		}
	}
	v, ok, err := Next(t, a[0])
	if nc, isCall := err.(*NeedCall); isCall {
		return Value{}, t.after(nc, endStep{argOr(a, 1, Value{})})
	}
	if err != nil {
		return Value{}, err
	}
	if !ok {
		if len(a) > 1 {
			return a[1], nil
		}
		return Value{}, stopIteration()
	}
	return v, nil
}

// stopDefault catches StopIteration: next with a default.
type stopDefault struct{ def Value }

func (s stopDefault) Step(t *Thread, in Value, err error) Action {
	if isStop(err) {
		return Return(s.def)
	}
	if err != nil {
		return Raise(err)
	}
	return Return(in)
}

func fold(kind foldKind) BuiltinFn {
	return func(t *Thread, a []Value, _ []Kwarg) (Value, error) {
		return runFold(t, &foldStep{kind: kind, from: a[0]})
	}
}

func sumFn(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	a, err := placeArgs("sum", args, kw, []string{"iterable", "start"})
	if err != nil {
		return Value{}, err
	}
	if len(a) == 0 || len(a) > 2 {
		return Value{}, TypeErrorf("sum() takes at least 1 positional argument (%d given)", len(a))
	}
	start := argOr(a, 1, Int(0))
	if start.Is(ItabString) {
		return Value{}, TypeErrorf("sum() can't sum strings [use ''.join(seq) instead]")
	}
	return runFold(t, &foldStep{kind: foldSum, from: a[0], acc: start})
}

func extreme(name string, kind foldKind) BuiltinFn {
	return func(t *Thread, args []Value, kw []Kwarg) (Value, error) {
		s := &foldStep{kind: kind}
		for _, k := range kw {
			switch k.Name {
			case "key":
				if !k.Value.IsNone() {
					s.key = k.Value
				}
			case "default":
				s.def = k.Value
			default:
				return Value{}, TypeErrorf("%s() got an unexpected keyword argument '%s'", name, k.Name)
			}
		}
		switch len(args) {
		case 0:
			return Value{}, TypeErrorf("%s expected at least 1 argument, got 0", name)
		case 1:
			s.from = args[0]
		default:
			if !s.def.IsUnset() {
				return Value{}, TypeErrorf("Cannot specify a default for %s() with multiple positional arguments", name)
			}
			s.from = Tuple(args...)
		}
		return runFold(t, s)
	}
}

func sortedFn(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	if len(args) != 1 {
		return Value{}, TypeErrorf("sorted expected 1 argument, got %d", len(args))
	}
	s := &sortStep{from: args[0]}
	if err := s.options("sort", kw); err != nil {
		return Value{}, err
	}
	return runFold(t, s)
}

func printFn(t *Thread, args []Value, kw []Kwarg) (Value, error) {
	s := &printStep{args: args, sep: " ", end: "\n"}
	for _, k := range kw {
		switch k.Name {
		case "sep", "end":
			if k.Value.IsNone() {
				continue
			}
			x, ok := Payload(concrete(k.Value)).AsString()
			if !ok {
				return Value{}, TypeErrorf("%s must be None or a string, not %s", k.Name, typeName(k.Value))
			}
			if k.Name == "sep" {
				s.sep = x
			} else {
				s.end = x
			}
		case "file":
			if !k.Value.IsNone() {
				s.file = k.Value
			}
		case "flush":
		default:
			return Value{}, TypeErrorf("'%s' is an invalid keyword argument for print()", k.Name)
		}
	}
	act := s.Step(t, Value{}, nil)
	switch act.Kind {
	case ActReturn:
		return act.Value, nil
	case ActRaise:
		return Value{}, act.Err
	}
	s.args = append([]Value(nil), args...)
	c := *act.Call
	return Value{}, t.after(&c, s)
}
