package ptx

import (
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// site is a place in code that may report a fault.
type site struct {
	k       *loop.Kernel
	zero    bool // an integer division
	outside bool // a masked address
	dyn     *loop.Dyn
	assert  *loop.Assert
	typ     loop.Type
}

// siteTable numbers the sites of a target, from 1.
type siteTable struct {
	mu sync.Mutex
	l  []site
}

func (t *siteTable) add(s site) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.l = append(t.l, s)
	return len(t.l)
}

// raise words a report: the error that the kernel's Checks ask for.
func (t *siteTable) raise(id uint32, value, limit uint64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id == 0 || int(id) > len(t.l) {
		return tensor.Errorf(tensor.RuntimeError, "BUG: the GPU reported a fault at site %d, which there is not", id)
	}
	switch s := t.l[id-1]; {
	case s.zero:
		return tensor.Errorf(tensor.RuntimeError, "ZeroDivisionError")
	case s.outside:
		return tensor.Errorf(tensor.RuntimeError, "BUG: kernel %s: a masked address, %d, is outside its buffer of %d", s.k.Name, int64(value), limit)
	case s.dyn != nil:
		c := &s.k.Checks[s.dyn.Check]
		return &tensor.Error{Kind: c.Kind, Msg: checkText(c.Msg, strconv.FormatInt(int64(value), 10), int64(s.dyn.Dim), int64(limit))}
	default:
		val := ""
		switch s.typ {
		case loop.I32, loop.I64:
			val = strconv.FormatInt(int64(value), 10)
		case loop.F32, loop.F64:
			val = tensor.Float(math.Float64frombits(value)).String()
		case loop.B1:
			val = tensor.Truth(value&1 != 0).String()
		}
		c := &s.k.Checks[s.assert.Check]
		return &tensor.Error{Kind: c.Kind, Msg: checkText(c.Msg, val, 0, 0)}
	}
}

func checkText(msg, val string, dim, lim int64) string {
	return strings.NewReplacer("%i", val, "%d", strconv.FormatInt(dim, 10), "%n", strconv.FormatInt(lim, 10)).Replace(msg)
}
