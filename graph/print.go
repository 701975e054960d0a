package graph

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// String is the text form, which Parse reads back (package doc).
func (g *Graph) String() string {
	var sb strings.Builder
	sb.WriteString("graph {\n")
	if g.Ctx != nil {
		for _, s := range g.Ctx.Symbols() {
			fmt.Fprintf(&sb, "  symbol %s = %d", s.Name, s.Hint)
			if s.Signed {
				sb.WriteString(" signed")
			} else if s.Lo != 0 {
				fmt.Fprintf(&sb, " >= %d", s.Lo)
			}
			sb.WriteByte('\n')
		}
	}
	for _, v := range g.Inputs {
		fmt.Fprintf(&sb, "  %%%d = input %s len %s\n", v.ID, v.DType, v.Len)
	}
	for _, n := range g.Nodes {
		sb.WriteString("  " + n.text() + "\n")
	}
	sb.WriteString("  return")
	for i, v := range g.Outputs {
		if i > 0 {
			sb.WriteByte(',')
		}
		fmt.Fprintf(&sb, " %%%d", v.ID)
	}
	sb.WriteString("\n}\n")
	return sb.String()
}

func (n *Node) text() string {
	var sb strings.Builder
	for j, v := range n.Out {
		if j > 0 {
			sb.WriteString(", ")
		}
		fmt.Fprintf(&sb, "%%%d", v.ID)
	}
	c := n.Call
	name := c.Def.Name
	if n.Target != nil {
		name = "put"
	}
	sb.WriteString(" = " + name + "(")
	k, first := 0, true
	sep := func() {
		if !first {
			sb.WriteString(", ")
		}
		first = false
	}
	operand := func() {
		o := &n.In[k]
		switch {
		case o.Num:
			sb.WriteString(n.numberWord() + c.Nums[k].N.String())
		case o.Value == nil:
			sb.WriteString("none")
		default:
			fmt.Fprintf(&sb, "%%%d %s", o.Value.ID, metaText(&o.Meta))
		}
		k++
	}
	if n.Target != nil {
		for range n.In {
			sep()
			operand()
		}
	} else {
		for i := range c.Def.Params {
			p := &c.Def.Params[i]
			sep()
			if !p.IsOperand() {
				sb.WriteString(p.Name + "=" + n.argText(&c.Args[i]))
				continue
			}
			if !p.List {
				operand()
				continue
			}
			sb.WriteByte('{')
			l, _ := c.Args[i].P.([]op.Tensor)
			for j := range l {
				if j > 0 {
					sb.WriteString(", ")
				}
				operand()
			}
			sb.WriteByte('}')
		}
	}
	sb.WriteString(") in " + c.DType.String())
	if n.Target != nil {
		sb.WriteString(" through " + metaText(n.Target))
	}
	for j := range n.Out {
		if j == 0 {
			sb.WriteString(" ->")
		} else {
			sb.WriteByte(',')
		}
		fmt.Fprintf(&sb, " %s len %s", metaText(&n.OutMeta[j]), n.Out[j].Len)
	}
	if n.Iter != nil {
		sb.WriteString(" iter " + listText(n.Iter.Size) + " row " + strconv.Itoa(n.Iter.Row))
	}
	return sb.String()
}

func listText(l []sym.Int) string {
	p := make([]string, len(l))
	for i, x := range l {
		p[i] = x.String()
	}
	return "[" + strings.Join(p, ", ") + "]"
}

func metaText(m *tensor.Meta) string {
	return m.DType.String() + listText(m.Size) + ":" + listText(m.Stride) + "@" + m.Off.String()
}

// numberWord tells run-time numbers from constants.
func (n *Node) numberWord() string {
	if n.Fixed {
		return "fixed "
	}
	return "number "
}

func (n *Node) argText(a *op.Arg) string {
	switch a.Kind {
	case op.ArgNumber:
		return n.numberWord() + a.N.String()
	case op.ArgNumbers:
		var p []string
		for _, n := range a.P.([]tensor.Number) {
			p = append(p, n.String())
		}
		if n.Fixed {
			return "fixed [" + strings.Join(p, ", ") + "]"
		}
		return "numbers [" + strings.Join(p, ", ") + "]"
	case op.ArgInt:
		return a.I.String()
	case op.ArgInts:
		return listText(a.P.([]sym.Int))
	case op.ArgBool:
		return tensor.Truth(a.N.I != 0).String()
	case op.ArgStr:
		return strconv.Quote(a.P.(string))
	case op.ArgDType:
		return a.DT.String()
	case op.ArgDevice:
		return a.P.(tensor.Device).String()
	}
	return "none"
}
