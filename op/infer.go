package op

import (
	"github.com/larkspur-ml/larkspur/tensor"
)

// Infer promotes, applies the shape rule and fills layouts: it sets DType, Dev
// and Out. Decomps have no shape of their own and are not inferred.
func (c *Call) Infer() (err error) {
	defer raised(&err)
	c.promote()
	c.device()
	d := c.Def
	if d.View != nil {
		m := d.View(c)
		if m.DType == tensor.Invalid {
			m.DType = c.In[0].DType
		}
		m.Dev = c.In[0].Dev
		c.Out = []tensor.Meta{m}
		return nil
	}
	if d.Shape != nil {
		c.Out = d.Shape(c)
	} else {
		c.Out = []tensor.Meta{{Size: c.broadcastSize()}}
	}
	for i := range c.Out {
		o := &c.Out[i]
		o.Dev = c.Dev
		if o.DType == tensor.Invalid {
			o.DType = c.DType
			if d.Promote == PromoteCompare || d.Promote == PromoteBool {
				o.DType = tensor.Bool
			}
		}
		if o.Stride == nil {
			o.Stride = c.layout(o.Size)
		}
	}
	return nil
}

func (c *Call) layout(size []SymInt) []SymInt {
	l := c.Def.Layout
	if l == LayoutDefault {
		l = LayoutContiguous
		if c.Def.Body != nil {
			l = LayoutElementwise
		}
	}
	switch l {
	case LayoutElementwise:
		return elementwiseStride(size, c.In)
	case LayoutPreserve:
		return preserveStride(c.In[0], size)
	}
	return Contig(size)
}

func (c *Call) broadcastSize() []SymInt {
	var s []SymInt
	first := true
	for k, m := range c.In {
		if m == nil || c.IsNum(k) {
			continue
		}
		if first {
			s, first = m.Size, false
		} else {
			s = Broadcast(s, m.Size)
		}
	}
	return s
}

// takes reports whether operand parameter i takes part in promotion.
func (d *Def) takes(i int) bool {
	if d.PromoteOf == nil {
		return true
	}
	for _, n := range d.PromoteOf {
		if d.Params[i].Name == n {
			return true
		}
	}
	return false
}

func (c *Call) promote() {
	d := c.Def
	if d.Promote == PromoteNone {
		for k, m := range c.In {
			if m != nil && !c.IsNum(k) {
				c.DType = m.DType
				return
			}
		}
		c.DType = c.Default
		return
	}
	var p tensor.Promoter
	k := 0
	for _, i := range d.Operands {
		n := 1
		if l, ok := c.Args[i].P.([]Tensor); ok {
			n = len(l)
		}
		if d.takes(i) {
			for j := k; j < k+n; j++ {
				m := c.In[j]
				switch {
				case m == nil:
				case c.IsNum(j):
					p.Number(c.Nums[j].N.Kind, c.Default)
				default:
					p.Tensor(m.DType, len(m.Size))
				}
			}
		}
		k += n
	}
	c.DType = p.Result()
	if d.Promote == PromoteInt || d.Promote == PromoteFloat {
		for i := range d.Params {
			if d.Params[i].Type == PDType && c.Args[i].Kind == ArgDType {
				c.DType = c.Args[i].DT
				return
			}
		}
	}
	switch d.Promote {
	case PromoteFloat:
		if c.DType.Category() < tensor.CatFloat {
			c.DType = c.Default
		}
	case PromoteBool:
		c.DType = tensor.Bool
	case PromoteInt:
		if c.DType.Category() < tensor.CatFloat {
			c.DType = tensor.Int64
		}
	}
}

// Takes reports whether operand k is cast to DType before the body sees it.
func (c *Call) Takes(k int) bool {
	d := c.Def
	if d.Promote == PromoteNone {
		return false
	}
	if d.PromoteOf == nil {
		return true
	}
	at := 0
	for _, i := range d.Operands {
		n := 1
		if l, ok := c.Args[i].P.([]Tensor); ok {
			n = len(l)
		}
		if k < at+n {
			return d.takes(i)
		}
		at += n
	}
	return false
}

// device takes the operands' common device; a "device" argument overrides it.
func (c *Call) device() {
	set := false
	for k, m := range c.In {
		if m == nil || c.IsNum(k) {
			continue
		}
		switch {
		case !set || len(m.Size) > 0 && c.Dev.Type == tensor.CPU && m.Dev != c.Dev && c.zeroDimOnly(k):
			c.Dev, set = m.Dev, true
		case m.Dev != c.Dev && !(len(m.Size) == 0 && m.Dev.Type == tensor.CPU):
			Raise(tensor.RuntimeError, "Expected all tensors to be on the same device, but found at least two devices, %s and %s!", c.Dev, m.Dev)
		}
	}
	for i := range c.Def.Params {
		if c.Def.Params[i].Type == PDevice && c.Args[i].Kind == ArgDevice {
			c.Dev = c.Args[i].P.(tensor.Device)
		}
	}
}

// zeroDimOnly: all tensor operands before k are 0-dim.
func (c *Call) zeroDimOnly(k int) bool {
	for j := range k {
		if c.In[j] != nil && len(c.In[j].Size) > 0 {
			return false
		}
	}
	return true
}
