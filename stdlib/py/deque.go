package py

import (
	"strings"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// ring is the state of a deque: n elements from head on, in a circle.
type ring struct {
	buf     []val
	head, n int
	max     int // -1: no bound
	version int // counts changes of length, for iterators
	frozen  bool
}

var dequeClass = value.NewClass("deque", "collections")

func (r *ring) at(i int) *val {
	i += r.head
	if i >= len(r.buf) {
		i -= len(r.buf)
	}
	return &r.buf[i]
}

func (r *ring) all() []val {
	out := make([]val, r.n)
	for i := range out {
		out[i] = *r.at(i)
	}
	return out
}

func (r *ring) grow() {
	if r.n == len(r.buf) {
		buf := make([]val, max(8, 2*len(r.buf)))
		copy(buf, r.all())
		r.buf, r.head = buf, 0
	}
}

func (r *ring) pushBack(v val) {
	if r.max == 0 {
		return
	}
	if r.max > 0 && r.n >= r.max {
		r.popFront()
	}
	r.grow()
	r.n++
	r.version++
	*r.at(r.n - 1) = v
}

func (r *ring) pushFront(v val) {
	if r.max == 0 {
		return
	}
	if r.max > 0 && r.n >= r.max {
		r.popBack()
	}
	r.grow()
	if r.head--; r.head < 0 {
		r.head += len(r.buf)
	}
	r.n++
	r.version++
	r.buf[r.head] = v
}

func (r *ring) popFront() val {
	p := r.at(0)
	v := *p
	*p = val{}
	if r.head++; r.head == len(r.buf) {
		r.head = 0
	}
	r.n--
	r.version++
	return v
}

func (r *ring) popBack() val {
	p := r.at(r.n - 1)
	v := *p
	*p = val{}
	r.n--
	r.version++
	return v
}

func (r *ring) set(items []val) {
	r.buf, r.head, r.n = nil, 0, 0
	r.version++
	for _, v := range items {
		r.pushBack(v)
	}
}

func (r *ring) Roots(visit func(*val)) {
	for i := range r.buf {
		visit(&r.buf[i])
	}
}

func ringOf(v val) (*ring, error) {
	r, ok := native[*ring](v)
	if !ok {
		return nil, value.TypeErrorf("a deque is required, not '%s'", typeName(v))
	}
	return r, nil
}

func (r *ring) writable() error {
	if r.frozen {
		return value.RuntimeErrorf("cannot change frozen deque")
	}
	return nil
}

// ringIter walks a deque, backwards if step is -1.
type ringIter struct {
	r       *ring
	i, step int
	version int
}

func (it *ringIter) next() (val, bool, error) {
	if it.i < 0 || it.i >= it.r.n && it.version == it.r.version {
		return val{}, false, nil
	}
	if it.version != it.r.version {
		return val{}, false, value.RuntimeErrorf("deque mutated during iteration")
	}
	v := *it.r.at(it.i)
	it.i += it.step
	return v, true, nil
}

var ringIterClass = value.NewClass("_deque_iterator", "_collections")

// withList runs an operation of lists on the elements and, with store, puts
// them back. Comparisons of elements may take language code.
func withList(t *thread, r *ring, name string, args []val, store bool) (val, error) {
	l := value.NewList(r.all()).Value()
	m, err := value.GetAttr(t, l, name)
	if err != nil {
		return val{}, err
	}
	v, err := value.CallAny(t, m, args, nil)
	return after(t, v, err, func(t *thread, in val) (val, error) {
		if store {
			r.set(l.AsList().Elems)
		}
		return in, nil
	})
}

func init() {
	ringIterClass.Slots = &value.Slots{
		Iter: func(t *thread, x val) (val, error) { return x, nil },
		Next: func(t *thread, x val) (val, bool, error) {
			it, _ := native[*ringIter](x)
			return it.next()
		},
	}
	c := dequeClass
	c.Slots = &value.Slots{
		New: func(t *thread, cls *value.Class, args []val, kw []value.Kwarg) (val, error) {
			return object(cls, &ring{max: -1}), nil
		},
		Len:   func(t *thread, x val) (int, error) { r, err := ringOf(x); return r.n, err },
		Truth: func(t *thread, x val) (bool, error) { r, err := ringOf(x); return r.n > 0, err },
		Hash: func(t *thread, x val) (uint64, error) {
			return 0, value.TypeErrorf("unhashable type: 'collections.deque'")
		},
		Iter: func(t *thread, x val) (val, error) {
			r, err := ringOf(x)
			if err != nil {
				return val{}, err
			}
			return object(ringIterClass, &ringIter{r: r, step: 1, version: r.version}), nil
		},
		Contains: func(t *thread, x, e val) (bool, error) {
			r, err := ringOf(x)
			if err != nil {
				return false, err
			}
			return value.Contains(t, value.NewList(r.all()).Value(), e)
		},
		GetItem: func(t *thread, x, k val) (val, error) {
			r, err := ringOf(x)
			if err != nil {
				return val{}, err
			}
			i, err := r.index(t, k)
			if err != nil {
				return val{}, err
			}
			return *r.at(i), nil
		},
		SetItem: func(t *thread, x, k, v val) error {
			r, err := ringOf(x)
			if err != nil {
				return err
			}
			i, err := r.index(t, k)
			if err == nil {
				err = r.writable()
			}
			if err == nil {
				*r.at(i) = v
			}
			return err
		},
		DelItem: func(t *thread, x, k val) error {
			r, err := ringOf(x)
			if err != nil {
				return err
			}
			i, err := r.index(t, k)
			if err == nil {
				err = r.writable()
			}
			if err == nil {
				all := r.all()
				r.set(append(all[:i], all[i+1:]...))
			}
			return err
		},
		Repr: func(t *thread, x val) (string, error) {
			r, err := ringOf(x)
			if err != nil {
				return "", err
			}
			v, err := value.ReprOf(t, value.NewList(r.all()).Value())
			if err != nil {
				return "", err
			}
			s, _ := v.AsString()
			if r.max >= 0 {
				return typeName(x) + "(" + s + ", maxlen=" + value.Int(int64(r.max)).Starlark().String() + ")", nil
			}
			return typeName(x) + "(" + s + ")", nil
		},
		Compare: func(t *thread, op value.Cmp, x, y val) (val, error) {
			a, err := ringOf(x)
			if err != nil {
				return val{}, err
			}
			b, ok := native[*ring](y)
			if !ok {
				return value.NotImplemented, nil
			}
			return value.Compare(t, op, value.NewList(a.all()).Value(), value.NewList(b.all()).Value())
		},
		Binary: func(t *thread, op value.Op, x, y val, reflected bool) (val, error) {
			a, isA := native[*ring](x)
			switch op {
			case value.OpAdd:
				b, isB := native[*ring](y)
				if !isA || !isB {
					return value.NotImplemented, nil
				}
				n := &ring{max: a.max}
				n.set(append(a.all(), b.all()...))
				return object(value.TypeOf(x), n), nil
			case value.OpMul:
				if !isA {
					x, y = y, x
					a, _ = native[*ring](x)
				}
				k, ok, err := value.AsIndex(t, y)
				if !ok || err != nil {
					return value.NotImplemented, err
				}
				n := &ring{max: a.max}
				for range max(k, 0) {
					for _, v := range a.all() {
						n.pushBack(v)
					}
				}
				return object(dequeClass, n), nil
			}
			return value.NotImplemented, nil
		},
		InPlace: func(t *thread, op value.Op, x, y val) (val, error) {
			r, err := ringOf(x)
			if err != nil || op != value.OpAdd {
				return value.NotImplemented, err
			}
			return gather(t, y, func(t *thread, items []val) (val, error) {
				for _, v := range items {
					r.pushBack(v)
				}
				return x, nil
			})
		},
		Freeze: func(x val) {
			if r, ok := native[*ring](x); ok {
				r.frozen = true
				for _, v := range r.all() {
					value.Freeze(v)
				}
			}
		},
	}
	on := func(sig string, f func(t *thread, r *ring, a []val) (val, error)) *value.Builtin {
		write := !strings.HasPrefix(sig, "_") && !strings.HasPrefix(sig, "co") && !strings.HasPrefix(sig, "index")
		return method(sig, func(t *thread, a []val) (val, error) {
			r, err := ringOf(a[0])
			if err == nil && write {
				err = r.writable()
			}
			if err != nil {
				return val{}, err
			}
			return f(t, r, a[1:])
		})
	}
	each := func(push func(r *ring, v val)) func(t *thread, r *ring, a []val) (val, error) {
		return func(t *thread, r *ring, a []val) (val, error) {
			return gather(t, a[0], func(t *thread, items []val) (val, error) {
				for _, v := range append([]val(nil), items...) {
					push(r, v)
				}
				return value.None, nil
			})
		}
	}
	empty := func(what string) error { return value.IndexErrorf("%s an empty deque", what) }
	c.Def(
		on("__init__(iterable=(), maxlen=None)", func(t *thread, r *ring, a []val) (val, error) {
			r.max = -1
			if given(a[1]) {
				n, err := asInt(t, a[1])
				if err != nil {
					return val{}, value.TypeErrorf("an integer is required")
				}
				if n < 0 {
					return val{}, value.ValueErrorf("maxlen must be non-negative")
				}
				r.max = int(n)
			}
			r.set(nil)
			if a[0].IsUnset() {
				return value.None, nil
			}
			return gather(t, a[0], func(t *thread, items []val) (val, error) {
				r.set(items)
				return value.None, nil
			})
		}),
		on("append(x, /)", func(t *thread, r *ring, a []val) (val, error) { r.pushBack(a[0]); return value.None, nil }),
		on("appendleft(x, /)", func(t *thread, r *ring, a []val) (val, error) { r.pushFront(a[0]); return value.None, nil }),
		on("pop()", func(t *thread, r *ring, a []val) (val, error) {
			if r.n == 0 {
				return val{}, empty("pop from")
			}
			return r.popBack(), nil
		}),
		on("popleft()", func(t *thread, r *ring, a []val) (val, error) {
			if r.n == 0 {
				return val{}, empty("pop from")
			}
			return r.popFront(), nil
		}),
		on("extend(iterable, /)", each((*ring).pushBack)),
		on("extendleft(iterable, /)", each((*ring).pushFront)),
		on("clear()", func(t *thread, r *ring, a []val) (val, error) { r.set(nil); return value.None, nil }),
		on("rotate(n=1, /)", func(t *thread, r *ring, a []val) (val, error) {
			n, err := intOr(t, a[0], 1)
			if err != nil || r.n == 0 {
				return value.None, err
			}
			for range ((n % int64(r.n)) + int64(r.n)) % int64(r.n) {
				r.pushFront(r.popBack())
			}
			return value.None, nil
		}),
		on("reverse()", func(t *thread, r *ring, a []val) (val, error) {
			for i, j := 0, r.n-1; i < j; i, j = i+1, j-1 {
				p, q := r.at(i), r.at(j)
				*p, *q = *q, *p
			}
			return value.None, nil
		}),
		on("insert(i, x, /)", func(t *thread, r *ring, a []val) (val, error) {
			if r.max >= 0 && r.n >= r.max {
				return val{}, value.IndexErrorf("deque already at its maximum size")
			}
			return withList(t, r, "insert", a, true)
		}),
		on("remove(value, /)", func(t *thread, r *ring, a []val) (val, error) {
			v, err := withList(t, r, "remove", a, true)
			if e, ok := err.(*value.Raised); ok && e.Class == value.ExcValueError {
				if s, rerr := value.ReprOf(t, a[0]); rerr == nil {
					text, _ := s.AsString()
					err = value.ValueErrorf("%s is not in deque", text)
				}
			}
			return v, err
		}),
		on("count(x, /)", func(t *thread, r *ring, a []val) (val, error) { return withList(t, r, "count", a, false) }),
		on("index(x, start=0, stop=0, /)", func(t *thread, r *ring, a []val) (val, error) {
			args := a
			for len(args) > 1 && args[len(args)-1].IsUnset() {
				args = args[:len(args)-1]
			}
			v, err := withList(t, r, "index", args, false)
			if e, ok := err.(*value.Raised); ok && e.Class == value.ExcValueError {
				if s, rerr := value.ReprOf(t, a[0]); rerr == nil {
					text, _ := s.AsString()
					err = value.ValueErrorf("%s is not in deque", text)
				}
			}
			return v, err
		}),
		method("copy()", copyRing), method("__copy__()", copyRing),
		on("__reversed__()", func(t *thread, r *ring, a []val) (val, error) {
			return object(ringIterClass, &ringIter{r: r, i: r.n - 1, step: -1, version: r.version}), nil
		}),
		method("__reduce__()", func(t *thread, a []val) (val, error) {
			r, err := ringOf(a[0])
			if err != nil {
				return val{}, err
			}
			args := []val{value.Tuple()}
			if r.max >= 0 {
				args = append(args, value.Int(int64(r.max)))
			}
			it, err := value.Iter(t, value.NewList(r.all()).Value())
			return value.Tuple(value.TypeOf(a[0]).Value(), value.Tuple(args...), value.None, it), err
		}),
	)
	getter(c, "maxlen", func(t *thread, self val) (val, error) {
		r, err := ringOf(self)
		if err != nil || r.max < 0 {
			return value.None, err
		}
		return value.Int(int64(r.max)), nil
	})
}

func copyRing(t *thread, a []val) (val, error) {
	r, err := ringOf(a[0])
	if err != nil {
		return val{}, err
	}
	n := &ring{max: r.max}
	n.set(r.all())
	return object(value.TypeOf(a[0]), n), nil
}

func (r *ring) index(t *thread, k val) (int, error) {
	i, ok, err := value.AsIndex(t, k)
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, value.TypeErrorf("sequence index must be integer, not '%s'", typeName(k))
	}
	if i < 0 {
		i += int64(r.n)
	}
	if i < 0 || i >= int64(r.n) {
		return 0, value.IndexErrorf("deque index out of range")
	}
	return int(i), nil
}

func collectionsModule() *value.Module {
	m := value.NewModule("_collections")
	m.Set("deque", dequeClass.Value())
	// field(i, doc) is the attribute of a named tuple for item i.
	put(m, fn("field(i, doc, /)", func(t *thread, a []val) (val, error) {
		i, err := asInt(t, a[0])
		if err != nil {
			return val{}, err
		}
		p := &value.Property{Doc: a[1]}
		get := fn("field(self, /)", func(t *thread, a []val) (val, error) {
			if tup, ok := value.Payload(a[0]).AsTuple(); ok && int(i) < len(tup) {
				return value.FromStarlark(tup[i]), nil
			}
			return value.GetItem(t, a[0], value.Int(i))
		})
		get.Pure = true
		p.Get = get.Value()
		p.Set = fn("field(self, v, /)", func(t *thread, a []val) (val, error) {
			return val{}, value.Errorf(value.ExcAttributeError, "can't set attribute")
		}).Value()
		return p.Value(), nil
	}))
	return m
}
