package value

import "strings"

// PlaceArgs puts keyword arguments at the positions of their names; places not given are unset.
func PlaceArgs(fn string, args []Value, kw []Kwarg, names []string) ([]Value, error) {
	return placeArgs(fn, args, kw, names)
}

// placeArgs puts keyword arguments at the positions of their names, counted
// without the receiver; places not given are unset.
func placeArgs(fn string, args []Value, kw []Kwarg, names []string) ([]Value, error) {
	if len(kw) == 0 {
		return args, nil
	}
	out := make([]Value, max(len(args), len(names)))
	copy(out, args)
next:
	for _, k := range kw {
		for i, n := range names {
			if n == k.Name {
				if !out[i].IsUnset() {
					return nil, TypeErrorf("argument for %s() given by name ('%s') and position (%d)", fn, n, i+1)
				}
				out[i] = k.Value
				continue next
			}
		}
		return nil, TypeErrorf("'%s' is an invalid keyword argument for %s()", k.Name, fn)
	}
	for len(out) > 0 && out[len(out)-1].IsUnset() {
		out = out[:len(out)-1]
	}
	return out, nil
}

// argOr is args[i], or def where it is not given.
func argOr(args []Value, i int, def Value) Value {
	if i < len(args) && !args[i].IsUnset() {
		return args[i]
	}
	return def
}

// receiver methods: a row of a method table. kw names the parameters that may
// be given by keyword, in order, separated by spaces ("" : none).
func methodOf[T any](get func(Value) (T, bool), class **Class) func(name string, min, max int, kw string, fn func(t *Thread, self T, a []Value) (Value, error)) *Builtin {
	return func(name string, min, max int, kw string, fn func(t *Thread, self T, a []Value) (Value, error)) *Builtin {
		var names []string
		if kw != "" {
			names = strings.Fields(kw)
		}
		return &Builtin{Name: name, Min: min, Max: max, Counted: kw == "", WantsKw: kw != "", Pure: true,
			Fn: func(t *Thread, args []Value, kws []Kwarg) (Value, error) {
				if len(args) == 0 {
					return Value{}, TypeErrorf("unbound method %s.%s() needs an argument", (*class).Name, name)
				}
				self, ok := get(Payload(args[0]))
				if !ok {
					return Value{}, TypeErrorf("descriptor '%s' for '%s' objects doesn't apply to a '%s' object", name, (*class).Name, typeName(args[0]))
				}
				a := args[1:]
				if names != nil {
					if max >= 0 && len(a) > max {
						return Value{}, TypeErrorf("%s() takes at most %d argument%s (%d given)", name, max, plural(max), len(a))
					}
					var err error
					if a, err = placeArgs(name, a, kws, names); err != nil {
						return Value{}, err
					}
					if len(a) < min {
						return Value{}, TypeErrorf("%s() missing required argument '%s' (pos %d)", name, names[len(a)], len(a)+1)
					}
				}
				return fn(t, self, a)
			}}
	}
}

// impure marks builtins that change their receiver.
func impure(b *Builtin) *Builtin { b.Pure, b.Told = false, true; return b }

// argTypeName is how a wrong argument's type is named: None by its value.
func argTypeName(v Value) string {
	if v.IsNone() {
		return "None"
	}
	return typeName(v)
}
