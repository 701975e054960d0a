package op

import (
	"strings"
)

var (
	defs   []*Def
	byName = map[string]*Def{}
	byBase = map[string][]*Def{}
)

// Register adds Defs to the table; families do so in init. The order inside a
// family is the order in which overloads are tried.
func Register(ds ...*Def) {
	for _, d := range ds {
		d.Name, d.Params, d.Returns = parseSig(d.Sig)
		d.Base, _, _ = strings.Cut(d.Name, ".")
		for i := range d.Params {
			if d.Params[i].IsOperand() {
				d.Operands = append(d.Operands, i)
			}
		}
		if byName[d.Name] != nil {
			panic("BUG: two Defs named " + d.Name)
		}
		if why := d.check(); why != "" {
			panic("BUG: op " + d.Name + ": " + why)
		}
		d.id = len(defs) + 1
		defs = append(defs, d)
		byName[d.Name] = d
		byBase[d.Base] = append(byBase[d.Base], d)
		for _, a := range d.Aliases {
			byBase[a] = append(byBase[a], d)
		}
	}
}

func (d *Def) check() string {
	n := 0
	for _, set := range []bool{d.View != nil, d.Body != nil, d.Reduce != nil, d.Rows != nil, d.Index != nil, d.Scatter != nil, d.Decomp != nil, d.Extern != nil} {
		if set {
			n++
		}
	}
	if n != 1 {
		return "needs exactly one meaning"
	}
	if d.VJP == nil && d.NoGrad == "" && d.Decomp == nil {
		return "has neither VJP nor NoGrad"
	}
	if d.Unwritten && (d.VJP != nil || d.NoGrad == "") {
		return "is Unwritten, but has a VJP or no reason"
	}
	return ""
}

// Lookup finds a Def by full name, or by base name where it has no overloads
// (the first overload otherwise).
func Lookup(name string) *Def {
	if d := byName[name]; d != nil {
		return d
	}
	if l := byBase[name]; len(l) > 0 {
		return l[0]
	}
	return nil
}

// Overloads lists the Defs bound under a base name or alias, in the order they
// are tried.
func Overloads(base string) []*Def { return byBase[base] }

// All lists the table in registration order.
func All() []*Def { return defs }
