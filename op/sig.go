package op

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// ParamType is the type of a parameter as torch spells it.
type ParamType uint8

const (
	PTensor         ParamType = iota
	PTensorOrScalar           // "Tensor|Scalar": a number becomes a 0-dim operand that promotes weakly
	PScalar                   // a number, run-time operand of kernels
	PInt                      // structure
	PSymInt                   // a size or index, may be symbolic
	PFloat                    // a number, run-time operand
	PBool
	PStr
	PDType
	PDevice
	PGenerator
	PLayout
	PMemoryFormat
	PSubgraph // reserved
)

var paramTypes = map[string]ParamType{"Tensor": PTensor, "Tensor|Scalar": PTensorOrScalar, "Scalar": PScalar, "int": PInt, "SymInt": PSymInt,
	"float": PFloat, "bool": PBool, "str": PStr, "dtype": PDType, "device": PDevice, "Generator": PGenerator, "layout": PLayout,
	"memory_format": PMemoryFormat, "Subgraph": PSubgraph}

var paramTypeNames = func() (n [PSubgraph + 1]string) {
	for s, t := range paramTypes {
		n[t] = s
	}
	return
}()

func (t ParamType) String() string { return paramTypeNames[t] }

// Param is one parameter.
type Param struct {
	Name     string
	Type     ParamType
	List     bool // int[], SymInt[], Tensor[], float[]
	N        int  // int[2]: a single int stands for N of them; 0: any length
	Optional bool // None is allowed
	KwOnly   bool
	Default  *Arg // nil: required
}

// IsOperand reports a parameter that holds tensors.
func (p *Param) IsOperand() bool { return p.Type == PTensor || p.Type == PTensorOrScalar }

func (p *Param) TypeText() string {
	s := p.Type.String()
	if p.List {
		s += "["
		if p.N > 0 {
			s += strconv.Itoa(p.N)
		}
		s += "]"
	}
	if p.Optional {
		s += "?"
	}
	return s
}

// Ret is one result. Alias: a view of operand 0 ("Tensor(a)").
type Ret struct {
	List  bool
	Alias bool
	Name  string // field of the named tuple, if any
}

// parseSig reads a signature; a mistake in it is our own fault.
func parseSig(sig string) (name string, ps []Param, rets []Ret) {
	bad := func(why string) { panic(fmt.Sprintf("BUG: signature %q: %s", sig, why)) }
	head, ret, ok := strings.Cut(sig, " -> ")
	if !ok {
		bad("no result")
	}
	i := strings.IndexByte(head, '(')
	if i < 0 || head[len(head)-1] != ')' {
		bad("no parameter list")
	}
	name = head[:i]
	kw := false
	for _, f := range splitTop(head[i+1 : len(head)-1]) {
		f = strings.TrimSpace(f)
		if f == "" {
			continue
		}
		if f == "*" {
			kw = true
			continue
		}
		var p Param
		p.KwOnly = kw
		decl, def, hasDef := strings.Cut(f, "=")
		typ, nm, ok := strings.Cut(strings.TrimSpace(decl), " ")
		if !ok {
			bad("parameter " + f)
		}
		p.Name = nm
		if a := strings.IndexByte(typ, '('); a >= 0 { // Tensor(a) self
			typ = typ[:a] + typ[strings.IndexByte(typ, ')')+1:]
		}
		if strings.HasSuffix(typ, "?") {
			p.Optional = true
			typ = typ[:len(typ)-1]
		}
		if a := strings.IndexByte(typ, '['); a >= 0 {
			p.List = true
			p.N, _ = strconv.Atoi(typ[a+1 : len(typ)-1])
			typ = typ[:a]
		}
		t, ok := paramTypes[typ]
		if !ok {
			bad("type " + typ)
		}
		p.Type = t
		if hasDef {
			d := parseDefault(&p, strings.TrimSpace(def), bad)
			p.Default = &d
		}
		ps = append(ps, p)
	}
	ret = strings.TrimSpace(ret)
	ret = strings.TrimSuffix(strings.TrimPrefix(ret, "("), ")")
	if strings.HasPrefix(sig[strings.Index(sig, " -> ")+4:], "Tensor(a)") && !strings.HasSuffix(ret, ")") && !strings.HasSuffix(ret, "]") && ret != "Tensor(a)" {
		ret = "Tensor(a)"
	}
	if ret != "" {
		for _, f := range splitTop(ret) {
			t, nm, _ := strings.Cut(strings.TrimSpace(f), " ")
			rets = append(rets, Ret{List: strings.HasSuffix(t, "[]"), Alias: strings.Contains(t, "(a"), Name: nm})
		}
	}
	return
}

// splitTop splits at commas outside brackets and quotes.
func splitTop(s string) (out []string) {
	depth, from, quote := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\'':
			quote = !quote
		case quote:
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == ',' && depth == 0:
			out = append(out, s[from:i])
			from = i + 1
		}
	}
	return append(out, s[from:])
}

func parseDefault(p *Param, s string, bad func(string)) Arg {
	if s == "None" {
		return Arg{}
	}
	if p.List {
		switch {
		case s == "[]":
			return Arg{Kind: ArgInts, P: []sym.Int(nil)}
		case s[0] == '[':
			var l []sym.Int
			for _, x := range strings.Split(s[1:len(s)-1], ",") {
				v, err := strconv.ParseInt(strings.TrimSpace(x), 10, 64)
				if err != nil {
					bad("default " + s)
				}
				l = append(l, sym.C(v))
			}
			return Arg{Kind: ArgInts, P: l}
		}
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			bad("default " + s)
		}
		l := make([]sym.Int, max(p.N, 1))
		for i := range l {
			l[i] = sym.C(v)
		}
		return Arg{Kind: ArgInts, P: l}
	}
	switch p.Type {
	case PBool:
		return Bool(s == "True")
	case PInt, PSymInt:
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			bad("default " + s)
		}
		return IntArg(sym.C(v))
	case PScalar, PFloat, PTensorOrScalar:
		if s == "True" || s == "False" {
			return Num(tensor.Truth(s == "True"))
		}
		if v, err := strconv.ParseInt(s, 10, 64); err == nil && p.Type != PFloat {
			return Num(tensor.Int(v))
		}
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			bad("default " + s)
		}
		return Num(tensor.Float(v))
	case PStr:
		return Arg{Kind: ArgStr, P: strings.Trim(s, `"'`)}
	case PDType:
		d, ok := tensor.ParseDType(s)
		if !ok {
			bad("default " + s)
		}
		return DType(d)
	}
	bad("default " + s)
	return Arg{}
}
