package torch

import (
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// initSpecialMethods gives Tensor by name what operators reach through its
// Slots: t.__index__(), super().__getitem__(k), Tensor.__repr__(t).
func (r *Runtime) initSpecialMethods() {
	c := r.classes.Tensor
	s := c.Slots
	one := func(name string, f func(t *value.Thread, v value.Value) (value.Value, error)) {
		r.method(name, nil, 0, func(t *value.Thread, v value.Value, _ *eager.Tensor, _ []value.Value) (value.Value, error) {
			return f(t, v)
		})
	}
	text := func(s string, err error) (value.Value, error) { return value.Str(s), err }
	one("__index__", s.Index)
	one("__int__", s.Int)
	one("__float__", func(t *value.Thread, v value.Value) (value.Value, error) {
		f, err := s.Float(t, v)
		return value.Float(f), err
	})
	one("__bool__", func(t *value.Thread, v value.Value) (value.Value, error) {
		b, err := s.Truth(t, v)
		return value.Bool(b), err
	})
	one("__iter__", s.Iter)
	one("__len__", func(t *value.Thread, v value.Value) (value.Value, error) {
		n, err := s.Len(t, v)
		return value.Int(int64(n)), err
	})
	one("__repr__", func(t *value.Thread, v value.Value) (value.Value, error) { return text(s.Repr(t, v)) })
	one("__hash__", func(_ *value.Thread, v value.Value) (value.Value, error) {
		return value.Int(int64(uintptr(v.P) >> 4)), nil
	})
	r.method("__format__", []string{"spec"}, 1, func(t *value.Thread, v value.Value, _ *eager.Tensor, a []value.Value) (value.Value, error) {
		spec, _ := a[0].AsString()
		return text(s.Format(t, v, spec))
	})
	r.method("__getitem__", []string{"index"}, 1, func(t *value.Thread, v value.Value, _ *eager.Tensor, a []value.Value) (value.Value, error) {
		return s.GetItem(t, v, a[0])
	})
	r.method("__setitem__", []string{"index", "value"}, 2, func(t *value.Thread, v value.Value, _ *eager.Tensor, a []value.Value) (value.Value, error) {
		return value.None, s.SetItem(t, v, a[0], a[1])
	})
	r.method("__contains__", []string{"element"}, 1, func(t *value.Thread, v value.Value, _ *eager.Tensor, a []value.Value) (value.Value, error) {
		b, err := s.Contains(t, v, a[0])
		return value.Bool(b), err
	})
	r.method("__eq__", []string{"other"}, 1, func(t *value.Thread, v value.Value, _ *eager.Tensor, a []value.Value) (value.Value, error) {
		return s.Compare(t, value.Eq, v, a[0])
	})
}
