package graph

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Parse reads the text form of a graph whose nodes carry no Iter. Generators
// and devices other than the CPU have no text form.
func Parse(text string) (g *Graph, err error) {
	p := &parser{vals: map[int]*Value{}, syms: map[string]sym.Int{}}
	defer func() {
		if e := recover(); e != nil {
			pe, ok := e.(parseError)
			if !ok {
				panic(e)
			}
			g, err = nil, fmt.Errorf("line %d: %s", p.line, string(pe))
		}
	}()
	p.g = &Graph{}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, l := range lines {
		p.line = i + 1
		p.s = strings.TrimSpace(l)
		p.statement(i == 0, i == len(lines)-1)
	}
	return p.g, Verify(p.g)
}

type parseError string

type parser struct {
	g    *Graph
	s    string // rest of the line
	line int
	vals map[int]*Value
	syms map[string]sym.Int
}

func (p *parser) fail(format string, a ...any) { panic(parseError(fmt.Sprintf(format, a...))) }

func (p *parser) ws() { p.s = strings.TrimLeft(p.s, " ") }

// got consumes a token if it comes next.
func (p *parser) got(t string) bool {
	p.ws()
	if strings.HasPrefix(p.s, t) {
		p.s = p.s[len(t):]
		return true
	}
	return false
}

func (p *parser) want(t string) {
	if !p.got(t) {
		p.fail("expected %q at %q", t, p.s)
	}
}

// word is a run of name characters.
func (p *parser) word() string {
	p.ws()
	i := 0
	for i < len(p.s) && (p.s[i] == '_' || p.s[i] == '.' || '0' <= p.s[i] && p.s[i] <= '9' || 'a' <= p.s[i]|32 && p.s[i]|32 <= 'z') {
		i++
	}
	w := p.s[:i]
	p.s = p.s[i:]
	return w
}

func (p *parser) int() int64 {
	neg := p.got("-")
	w := p.word()
	v, err := strconv.ParseInt(w, 10, 64)
	if err != nil {
		p.fail("expected an integer at %q", w+p.s)
	}
	if neg {
		return -v
	}
	return v
}

func (p *parser) statement(first, last bool) {
	switch {
	case first:
		p.want("graph {")
	case last:
		p.want("}")
	case p.got("symbol "):
		name := p.word()
		p.want("=")
		h := p.int()
		if p.g.Ctx == nil {
			p.g.Ctx = sym.NewCtx()
		}
		switch {
		case p.got("signed"):
			p.syms[name] = p.g.Ctx.NewSigned(name, h)
		case p.got(">="):
			p.syms[name] = p.g.Ctx.New(name, h, p.int())
		default:
			p.syms[name] = p.g.Ctx.New(name, h, 0)
		}
	case p.got("return"):
		for p.got("%") {
			p.g.Outputs = append(p.g.Outputs, p.value())
			p.got(",")
		}
	default:
		p.definition()
	}
	if p.ws(); p.s != "" {
		p.fail("unexpected %q", p.s)
	}
}

func (p *parser) value() *Value {
	id := int(p.int())
	v := p.vals[id]
	if v == nil {
		p.fail("%%%d is not defined", id)
	}
	return v
}

func (p *parser) dtype() tensor.DType {
	w := p.word()
	d, ok := tensor.ParseDType(w)
	if !ok {
		p.fail("no dtype %q", w)
	}
	return d
}

func (p *parser) definition() {
	var ids []int
	for p.got("%") {
		ids = append(ids, int(p.int()))
		p.got(",")
	}
	p.want("=")
	name := p.word()
	if name == "input" {
		d := p.dtype()
		p.want("len")
		p.define(ids[0], p.g.NewInput(d, p.expr()))
		return
	}
	put := name == "put"
	n := &Node{State: -1}
	c := &op.Call{Default: tensor.Float32}
	n.Call = c
	if put {
		name = "clone"
	}
	if c.Def = op.Lookup(name); c.Def == nil || c.Def.Name != name {
		p.fail("no op %s", name)
	}
	p.want("(")
	if put {
		c.Args = make([]op.Arg, len(c.Def.Params))
		p.operand(n)
		p.want(",")
		p.operand(n)
	} else {
		for i := range c.Def.Params {
			if i > 0 {
				p.want(",")
			}
			c.Args = append(c.Args, p.param(n, &c.Def.Params[i]))
		}
	}
	p.want(")")
	p.want("in")
	c.DType = p.dtype()
	if put {
		p.want("through")
		m := p.meta()
		n.Target = &m
	}
	var lens []sym.Int
	p.want("->")
	for range ids {
		c.Out = append(c.Out, p.meta())
		p.want("len")
		lens = append(lens, p.expr())
		p.got(",")
	}
	if len(c.Nums) > 0 {
		for len(c.Nums) < len(c.In) {
			c.Nums = append(c.Nums, op.Operand{})
		}
	}
	if n.Num = 0; !n.Fixed {
		n.Num = p.g.Nums
		p.g.Nums += len(c.Numbers(nil))
	}
	if c.Def.State {
		n.State = p.g.States
		p.g.States++
	}
	p.g.Add(n)
	for j, id := range ids {
		n.Out[j].Len = lens[j]
		p.define(id, n.Out[j])
	}
}

func (p *parser) define(id int, v *Value) {
	if p.vals[id] != nil {
		p.fail("%%%d is defined twice", id)
	}
	if v.ID != id {
		p.fail("%%%d should be %%%d: ids are in creation order", id, v.ID)
	}
	p.vals[id] = v
}

// operand reads one operand of a node.
func (p *parser) operand(n *Node) op.Arg {
	c := n.Call
	switch {
	case p.got("none"):
		n.In = append(n.In, Operand{})
		c.In = append(c.In, nil)
		return op.Arg{}
	case p.got("number "), p.fixed(n, "fixed "):
		x := p.number()
		for len(c.Nums) < len(c.In) {
			c.Nums = append(c.Nums, op.Operand{})
		}
		c.Nums = append(c.Nums, op.Operand{IsNum: true, N: x})
		c.In = append(c.In, &tensor.Meta{DType: x.Kind.DType(c.Default)})
		n.In = append(n.In, Operand{Num: true})
		return op.Num(x)
	}
	p.want("%")
	v := p.value()
	m := p.meta()
	n.In = append(n.In, Operand{Value: v, Meta: m})
	c.In = append(c.In, &m)
	return op.Arg{Kind: op.ArgTensor}
}

func (p *parser) param(n *Node, q *op.Param) op.Arg {
	if q.IsOperand() {
		if !q.List {
			return p.operand(n)
		}
		p.want("{")
		var l []op.Tensor
		for !p.got("}") {
			p.operand(n)
			l = append(l, nil)
			p.got(",")
		}
		return op.TensorList(l)
	}
	p.want(q.Name + "=")
	p.ws()
	switch {
	case p.got("none"):
		return op.Arg{}
	case p.got("numbers ["), p.fixed(n, "fixed ["):
		var l []tensor.Number
		for !p.got("]") {
			l = append(l, p.number())
			p.got(",")
		}
		return op.Arg{Kind: op.ArgNumbers, P: l}
	case p.got("number "), p.fixed(n, "fixed "):
		return op.Num(p.number())
	case p.got("True"):
		return op.Bool(true)
	case p.got("False"):
		return op.Bool(false)
	case strings.HasPrefix(p.s, `"`):
		t, err := strconv.QuotedPrefix(p.s)
		if err != nil {
			p.fail("bad string at %q", p.s)
		}
		p.s = p.s[len(t):]
		t, _ = strconv.Unquote(t)
		return op.Str(t)
	case strings.HasPrefix(p.s, "["):
		return op.IntList(p.list())
	case q.Type == op.PDType:
		return op.DType(p.dtype())
	case q.Type == op.PDevice:
		d, err := tensor.ParseDevice(p.word())
		if err != nil {
			p.fail("%s", err)
		}
		return op.Device(d)
	}
	return op.IntArg(p.expr())
}

// fixed consumes a token that says that the node's numbers are constants.
func (p *parser) fixed(n *Node, t string) bool {
	if !p.got(t) {
		return false
	}
	n.Fixed = true
	return true
}

func (p *parser) number() tensor.Number {
	switch {
	case p.got("True"):
		return tensor.Truth(true)
	case p.got("False"):
		return tensor.Truth(false)
	}
	p.ws()
	i := strings.IndexAny(p.s, ",)]")
	if i < 0 {
		p.fail("expected a number at %q", p.s)
	}
	t := strings.TrimSpace(p.s[:i])
	p.s = p.s[i:]
	if v, err := strconv.ParseInt(t, 10, 64); err == nil {
		return tensor.Int(v)
	}
	v, err := strconv.ParseFloat(t, 64)
	if err != nil {
		p.fail("bad number %q", t)
	}
	return tensor.Float(v)
}

func (p *parser) list() []sym.Int {
	p.want("[")
	l := []sym.Int{}
	for !p.got("]") {
		l = append(l, p.expr())
		p.got(",")
	}
	return l
}

func (p *parser) meta() tensor.Meta {
	m := tensor.Meta{DType: p.dtype()}
	m.Size = p.list()
	p.want(":")
	m.Stride = p.list()
	p.want("@")
	m.Off = p.expr()
	return m
}

// expr reads the text of a symbolic integer: sums of products of integers,
// symbols, (a//b) and max(a, b).
func (p *parser) expr() sym.Int {
	e := p.product()
	for p.got("+") {
		e = e.Add(p.product())
	}
	return e
}

func (p *parser) product() sym.Int {
	e := p.atom()
	for {
		if strings.HasPrefix(p.s, "//") {
			return e
		}
		if !p.got("*") {
			return e
		}
		e = e.Mul(p.atom())
	}
}

func (p *parser) atom() sym.Int {
	if p.got("(") {
		e := p.expr()
		if p.got("//") {
			e = e.Div(p.expr())
		}
		p.want(")")
		return e
	}
	if p.got("max(") {
		e := p.expr()
		p.want(",")
		e = e.Max(p.expr())
		p.want(")")
		return e
	}
	p.ws()
	if p.s != "" && (p.s[0] == '-' || '0' <= p.s[0] && p.s[0] <= '9') {
		return sym.C(p.int())
	}
	w := p.word()
	e, ok := p.syms[w]
	if !ok {
		p.fail("no symbol %q", w)
	}
	return e
}
