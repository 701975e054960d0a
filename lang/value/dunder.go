package value

// dunder numbers the special methods that operators look for.
type dunder uint8

const (
	dNone dunder = iota
	dNew
	dInit
	dCall
	dGetattribute
	dGetattr
	dSetattr
	dDelattr
	dGet
	dSet
	dDelete
	dRepr
	dStr
	dFormat
	dHash
	dBool
	dLen
	dGetitem
	dSetitem
	dDelitem
	dContains
	dIter
	dNext
	dReversed
	dIndex
	dInt
	dFloat
	dRound
	dAbs
	dDivmod
	dRdivmod
	dDir
	dInstancecheck
	dSubclasscheck
	dMissing
	dNeg
	dPos
	dInvert
	dLt
	dLe
	dEq
	dNe
	dGt
	dGe
	dAdd        // 13 operators from here, in the order of Op; then reflected; then in place
	dRadd       = dAdd + 13
	dIadd       = dRadd + 13
	dunderCount = dIadd + 13
)

var dunderNames = func() (n [dunderCount]string) {
	for d, s := range map[dunder]string{dNew: "new", dInit: "init", dCall: "call", dGetattribute: "getattribute",
		dGetattr: "getattr", dSetattr: "setattr", dDelattr: "delattr", dGet: "get", dSet: "set", dDelete: "delete",
		dRepr: "repr", dStr: "str", dFormat: "format", dHash: "hash", dBool: "bool", dLen: "len",
		dGetitem: "getitem", dSetitem: "setitem", dDelitem: "delitem", dContains: "contains", dIter: "iter",
		dNext: "next", dReversed: "reversed", dIndex: "index", dInt: "int", dFloat: "float", dRound: "round",
		dAbs: "abs", dDivmod: "divmod", dRdivmod: "rdivmod", dDir: "dir", dInstancecheck: "instancecheck",
		dSubclasscheck: "subclasscheck", dMissing: "missing", dNeg: "neg", dPos: "pos", dInvert: "invert",
		dLt: "lt", dLe: "le", dEq: "eq", dNe: "ne", dGt: "gt", dGe: "ge"} {
		n[d] = "__" + s + "__"
	}
	for i, s := range []string{"add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift"} {
		n[dAdd+dunder(i)] = "__" + s + "__"
		n[dRadd+dunder(i)] = "__r" + s + "__"
		n[dIadd+dunder(i)] = "__i" + s + "__"
	}
	return n
}()

// dunderTable holds what a class has for each special method, inherited ones
// included; unset where there is none.
type dunderTable [dunderCount]Value

// special returns the class's special method, or the unset Value.
func (c *Class) special(d dunder) Value {
	tab := c.specs.Load()
	if tab == nil {
		tab = new(dunderTable)
		for i := 1; i < int(dunderCount); i++ {
			if f, ok := c.findAfter(nil, dunderNames[i]); ok {
				tab[i] = f.Value
			}
		}
		c.specs.Store(tab)
	}
	return tab[d]
}

// custom returns the special method of c if it is written in the language: a
// function, or anything else but the Go code that built-in and native classes
// come with. None (as in __hash__ = None) counts as custom.
func (c *Class) custom(d dunder) (Value, bool) {
	v := c.special(d)
	if v.N == 0 && v.P == nil {
		return Value{}, false
	}
	if v.Is(ItabBuiltin) {
		// A class may put another built-in method in the place: __setattr__ = dict.__setitem__.
		b := (*Builtin)(v.P)
		return v, b.Owner != nil && b.Method && b.Name != dunderNames[d]
	}
	if s, ok := As[*StaticMethod](v); ok && s.Fn.Is(ItabBuiltin) {
		return Value{}, false
	}
	return v, true
}

// customOf is custom of x's class where x is not of a built-in type.
func customOf(x Value, d dunder) (Value, bool) {
	c := classBearer(x)
	if c == nil {
		return Value{}, false
	}
	return c.custom(d)
}

// needMethod asks for a call of the special method f of self.
func (t *Thread) needMethod(then Stepper, f, self Value, args ...Value) error {
	fn, bound, err := bindFor(t, f, self)
	if err != nil {
		return err
	}
	a := make([]Value, 0, len(args)+1)
	if bound {
		a = append(a, self)
	}
	t.need = NeedCall{Fn: fn, Args: append(a, args...), Then: then}
	return &t.need
}

// bindFor prepares a special method found on self's class for a call: bound
// says that self goes first.
func bindFor(t *Thread, f, self Value) (fn Value, bound bool, err error) {
	if _, ok := As[Function](f); ok || f.Is(ItabBuiltin) {
		return f, true, nil
	}
	v, err := bind(t, f, self, TypeOf(self))
	return v, false, err
}

// callSpecial runs a special method of a nested value: invariant 3.
func callSpecial(t *Thread, f, self Value, args ...Value) (Value, error) {
	if t.Machine == nil {
		return Value{}, RuntimeErrorf("%s object needs the interpreter", typeName(self))
	}
	if err := t.enter("in comparison"); err != nil {
		return Value{}, err
	}
	defer t.leave()
	fn, bound, err := bindFor(t, f, self)
	if err != nil {
		return Value{}, err
	}
	a := make([]Value, 0, len(args)+1)
	if bound {
		a = append(a, self)
	}
	return t.Machine.Call(fn, append(a, args...), nil)
}

// finish carries out a *NeedCall at once on the machine, for nested values.
func (t *Thread) finish(v Value, err error) (Value, error) {
	nc, ok := err.(*NeedCall)
	if !ok {
		return v, err
	}
	if t.Machine == nil {
		return Value{}, RuntimeErrorf("the interpreter is needed here")
	}
	c := *nc
	return t.finishCall(&c)
}

func (t *Thread) finishCall(c *NeedCall) (Value, error) {
	if err := t.enter("while calling a Python object"); err != nil {
		return Value{}, err
	}
	defer t.leave()
	var v Value
	var err error
	switch {
	case c.Next:
		v, _, err = t.Machine.Next(c.Fn)
	case !c.Fn.IsUnset():
		v, err = t.Machine.Call(c.Fn, c.Args, c.Kw)
	}
	if c.Then == nil {
		return v, err
	}
	for {
		act := c.Then.Step(t, v, err)
		switch act.Kind {
		case ActReturn:
			return act.Value, nil
		case ActRaise:
			return Value{}, act.Err
		}
		sub := *act.Call
		v, err = t.finishCall(&sub)
	}
}
