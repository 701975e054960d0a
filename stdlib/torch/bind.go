package torch

import (
	"fmt"
	"strings"

	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Binding turns a call in the language into arguments of a Def. It reads the
// Def's parameters and nothing else, so a new op needs no code here.
//
// An overload is taken if every argument fits its parameter; the first that fits
// wins, in registration order. Errors name the argument that does not fit where
// there is one overload, and list the signatures where there are several, in
// PyTorch's words.

// misfit says why an overload does not take a call.
type misfit struct {
	param int // the parameter at fault, -1: the call as a whole
	pos   int // 1-based position of the argument, 0: given by keyword
	got   value.Value
	text  string // where param is -1
}

// bindAny finds the overload of name that takes the arguments. They are written to room if that is long enough.
func (r *Runtime) bindAny(t *value.Thread, name string, defs []*op.Def, args []value.Value, kw []value.Kwarg, method bool, room []op.Arg) (*op.Def, []op.Arg, error) {
	var first misfit
	for i, d := range defs {
		a, bad, err := r.bind(t, d, args, kw, room)
		if err != nil {
			return nil, nil, err
		}
		if bad == nil {
			return d, a, nil
		}
		if i == 0 {
			first = *bad
		}
	}
	if len(defs) == 1 {
		return nil, nil, first.err(t, name, defs[0], method)
	}
	return nil, nil, noOverload(name, defs, args, kw, method)
}

// bind fits the arguments to one Def.
func (r *Runtime) bind(t *value.Thread, d *op.Def, args []value.Value, kw []value.Kwarg, room []op.Arg) ([]op.Arg, *misfit, error) {
	var out []op.Arg
	if n := len(d.Params); n <= len(room) {
		out = room[:n]
		clear(out)
	} else {
		out = make([]op.Arg, n)
	}
	var set uint64
	n := 0
	for p := range d.Params {
		if n >= len(args) || d.Params[p].KwOnly {
			break
		}
		prm := &d.Params[p]
		v := args[n]
		// view(2, 3) is view((2, 3)): a trailing list of ints may be spread out.
		if prm.List && !prm.IsOperand() && len(args)-n > 1 && isIndex(hint(v)) && (p == 0 || p == 1) && spreads(d, p) {
			list := make([]sym.Int, 0, len(args)-n)
			for _, x := range args[n:] {
				i, ok := r.symInt(t, prm, x)
				if !ok {
					return nil, &misfit{param: p, pos: n + 1, got: x}, nil
				}
				list = append(list, i)
			}
			out[p] = op.IntList(list)
			set |= 1 << p
			n = len(args)
			break
		}
		// meshgrid(a, b) is meshgrid([a, b]).
		if prm.List && prm.Type == op.PTensor && spreadsTensors[d.Base] {
			if _, isTensor := AsTensor(v); isTensor {
				var list []op.Tensor
				for n < len(args) {
					x, ok := AsTensor(args[n])
					if !ok {
						break
					}
					list = append(list, x)
					n++
				}
				out[p] = op.TensorList(list)
				set |= 1 << p
				continue
			}
		}
		a, ok, err := r.arg(t, prm, v)
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			return nil, &misfit{param: p, pos: n + 1, got: v}, nil
		}
		out[p] = a
		set |= 1 << p
		n++
	}
	if n < len(args) {
		max := 0
		for p := range d.Params {
			if !d.Params[p].KwOnly {
				max++
			}
		}
		return nil, &misfit{param: -1, text: fmt.Sprintf("takes %d positional argument%s but %d %s given",
			max, plural(max), len(args), wasWere(len(args)))}, nil
	}
	for _, k := range kw {
		p := paramNamed(d, k.Name)
		if p < 0 {
			return nil, &misfit{param: -1, text: fmt.Sprintf("got an unexpected keyword argument '%s'", k.Name)}, nil
		}
		if set>>p&1 != 0 {
			return nil, &misfit{param: -1, text: fmt.Sprintf("got multiple values for argument '%s'", k.Name)}, nil
		}
		a, ok, err := r.arg(t, &d.Params[p], k.Value)
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			return nil, &misfit{param: p, got: k.Value}, nil
		}
		out[p] = a
		set |= 1 << p
	}
	var missing []string
	for p := range d.Params {
		if set>>p&1 != 0 {
			continue
		}
		if def := d.Params[p].Default; def != nil {
			out[p] = *def
		} else if !d.Params[p].Optional {
			missing = append(missing, `"`+argName(&d.Params[p])+`"`)
		}
	}
	if len(missing) > 0 {
		return nil, &misfit{param: -1, text: fmt.Sprintf("missing %d required positional arguments: %s",
			len(missing), strings.Join(missing, ", "))}, nil
	}
	return out, nil, nil
}

// spreads reports whether parameter p is the only one by position, self aside.
func spreads(d *op.Def, p int) bool {
	for q := range d.Params {
		if q != p && !d.Params[q].KwOnly && !(q == 0 && d.Params[q].Type == op.PTensor) {
			return false
		}
	}
	return true
}

// spreadsTensors are the functions that take their tensors one by one as well.
var spreadsTensors = map[string]bool{"einsum": true, "meshgrid": true, "broadcast_tensors": true, "block_diag": true, "cartesian_prod": true,
	"atleast_1d": true, "atleast_2d": true, "atleast_3d": true}

// otherNames are spellings that PyTorch accepts beside the documented one, as numpy has them.
var otherNames = map[string]string{"axis": "dim", "keepdims": "keepdim", "x": "input", "x2": "other"}

func paramNamed(d *op.Def, name string) int {
	for try := 0; try < 2; try++ {
		for p := range d.Params {
			q := d.Params[p].Name
			if q == name || q == "self" && name == "input" || q == "input" && name == "self" {
				return p
			}
		}
		alt, ok := otherNames[name]
		if !ok {
			return -1
		}
		name = alt
	}
	return -1
}

// arg converts one argument for a parameter. ok is false where it is of the wrong type.
func (r *Runtime) arg(t *value.Thread, p *op.Param, v value.Value) (a op.Arg, ok bool, err error) {
	if name, ok := native[missing](v); ok { // torch.complex128 as a dtype, say
		return a, false, missingError(string(name))
	}
	if !v.IsTagged() && t != nil && t.Observer != nil && p.Type != op.PScalar && p.Type != op.PFloat && p.Type != op.PTensorOrScalar && p.Type != op.PSymInt {
		v = concrete(v)
	}
	if v.IsNone() {
		return op.Arg{}, p.Optional || p.Default != nil && p.Default.Kind == op.ArgNone, nil
	}
	if p.List {
		return r.listArg(t, p, v)
	}
	switch p.Type {
	case op.PTensor:
		if x, ok := AsTensor(v); ok {
			return op.T(x), true, nil
		}
	case op.PTensorOrScalar:
		if x, ok := AsTensor(v); ok {
			return op.T(x), true, nil
		}
		if n, ok := number(v); ok {
			return op.Num(n), true, nil
		}
	case op.PScalar, op.PFloat:
		if n, ok := number(v); ok {
			return op.Num(n), true, nil
		}
		if x, ok := AsTensor(v); ok && x.Numel() == 1 && x.Rank() == 0 && !x.RequiresGrad() {
			n, err := r.item(t, x)
			return op.Num(n), err == nil, err
		}
	case op.PInt, op.PSymInt:
		if i, ok := r.symInt(t, p, v); ok {
			return op.IntArg(i), true, nil
		}
	case op.PBool:
		if v.IsBool() {
			return op.Bool(v.IsTrue()), true, nil
		}
	case op.PStr:
		if s, ok := value.Payload(v).AsString(); ok {
			return op.Str(s), true, nil
		}
	case op.PDType:
		if d, ok := asDType(v); ok {
			if err := elementary(d); err != nil {
				return a, false, err
			}
			return op.DType(d), true, nil
		}
	case op.PDevice:
		d, ok, err := r.asDevice(v)
		if err != nil {
			return a, false, err
		}
		if ok {
			return op.Device(d), true, nil
		}
	case op.PGenerator:
		if g, ok := native[*tensor.Generator](v); ok {
			return op.Gen(g), true, nil
		}
	case op.PLayout:
		if l, ok := native[layout](v); ok {
			return op.Str(string(l)), true, nil
		}
	case op.PMemoryFormat:
		if f, ok := native[memoryFormat](v); ok {
			return op.Str(string(f)), true, nil
		}
	}
	return op.Arg{}, false, nil
}

func (r *Runtime) listArg(t *value.Thread, p *op.Param, v value.Value) (a op.Arg, ok bool, err error) {
	elems, isSeq, err := elements(t, v)
	if err != nil {
		return a, false, err
	}
	if t != nil && t.Observer != nil && p.Type != op.PScalar && p.Type != op.PFloat && p.Type != op.PSymInt {
		for i, e := range elems {
			elems[i] = concrete(e)
		}
	}
	switch p.Type {
	case op.PTensor:
		if !isSeq {
			return a, false, nil
		}
		ts := make([]op.Tensor, len(elems))
		for i, e := range elems {
			if e.IsNone() {
				continue
			}
			x, ok := AsTensor(e)
			if !ok {
				return a, false, nil
			}
			ts[i] = x
		}
		return op.TensorList(ts), true, nil
	case op.PInt, op.PSymInt:
		if !isSeq {
			i, ok := r.symInt(t, p, v)
			if !ok {
				return a, false, nil
			}
			n := max(p.N, 1)
			list := make([]sym.Int, n)
			for k := range list {
				list[k] = i
			}
			return op.IntList(list), true, nil
		}
		list := make([]sym.Int, len(elems))
		for k, e := range elems {
			i, ok := r.symInt(t, p, e)
			if !ok {
				return a, false, nil
			}
			list[k] = i
		}
		if p.N > 1 && len(list) == 1 { // kernel_size=[3]
			for len(list) < p.N {
				list = append(list, list[0])
			}
		}
		return op.IntList(list), true, nil
	case op.PFloat, op.PScalar:
		if !isSeq {
			n, ok := number(v)
			if !ok {
				return a, false, nil
			}
			list := make([]tensor.Number, max(p.N, 1))
			for k := range list {
				list[k] = n
			}
			return op.Arg{Kind: op.ArgNumbers, P: list}, true, nil
		}
		list := make([]tensor.Number, len(elems))
		for k, e := range elems {
			n, ok := number(e)
			if !ok {
				return a, false, nil
			}
			list[k] = n
		}
		return op.Arg{Kind: op.ArgNumbers, P: list}, true, nil
	}
	return a, false, nil
}

// traced is a symbolic number of a recording.
type traced interface {
	value.Hinted
	Trace() *tensor.Trace
}

// concrete guards and unwraps a symbolic value.
func concrete(v value.Value) value.Value {
	if !v.IsTagged() && !v.IsUnset() && !v.Is(value.ItabInstance) {
		if s, ok := value.As[value.Symbolic](v); ok {
			return s.Concrete()
		}
	}
	return v
}

// hint is the value that a symbolic one stands for, unguarded.
func hint(v value.Value) value.Value {
	if !v.IsTagged() && !v.IsUnset() && !v.Is(value.ItabInstance) {
		if s, ok := value.As[value.Hinted](v); ok {
			return s.Hint()
		}
	}
	return v
}

// symInt reads an int for a parameter: an expression where the value is symbolic and
// the parameter may be.
func (r *Runtime) symInt(t *value.Thread, p *op.Param, v value.Value) (sym.Int, bool) {
	if p.Type == op.PSymInt {
		if n, ok := symbolicInt(v); ok {
			return n, true
		}
	}
	i, ok := r.index(t, v)
	return sym.C(i), ok
}

// symbolicInt is a symbolic int as an expression of the recording.
func symbolicInt(v value.Value) (n sym.Int, ok bool) {
	if v.IsTagged() || v.IsUnset() || v.Is(value.ItabInstance) {
		return n, false
	}
	if s, is := value.As[interface{ SymInt() (sym.Int, bool) }](v); is {
		return s.SymInt()
	}
	return n, false
}

// sizeValue is a size as the program sees it: a symbolic number where it is one of a
// recording.
func sizeValue(t *value.Thread, n sym.Int) value.Value {
	if !n.IsConst() {
		if o, ok := t.Observer.(interface{ SizeSymbol(sym.Int) value.Value }); ok {
			return o.SizeSymbol(n)
		}
	}
	return value.Int(n.Hint())
}

func sizeValues(t *value.Thread, l []sym.Int) []value.Value {
	elems := make([]value.Value, len(l))
	for i, n := range l {
		elems[i] = sizeValue(t, n)
	}
	return elems
}

// number reads a Python number.
func number(v value.Value) (tensor.Number, bool) {
	switch {
	case v.IsInt():
		return tensor.Int(v.Int64()), true
	case v.IsFloat():
		return tensor.Float(v.Float64()), true
	case v.IsBool():
		return tensor.Truth(v.IsTrue()), true
	case v.Is(value.ItabInstance): // of a subclass of int or float
		if p := value.Payload(v); p.IsTagged() && !p.IsNone() {
			return number(p)
		}
	case !v.IsTagged() && !v.IsUnset():
		if s, ok := value.As[traced](v); ok {
			n, ok := number(s.Hint())
			n.By = s.Trace()
			return n, ok
		}
	}
	return tensor.Number{}, false
}

func isIndex(v value.Value) bool {
	if v.IsInt() {
		return true
	}
	t, ok := AsTensor(v)
	return ok && t.Rank() == 0 && !t.DType.IsFloat()
}

// index reads an int, or a 0-dimensional integer tensor.
func (r *Runtime) index(t *value.Thread, v value.Value) (int64, bool) {
	if v = concrete(v); v.IsInt() {
		return v.Int64(), true
	}
	if x, ok := AsTensor(v); ok {
		if x.Rank() != 0 || x.DType.Category() != tensor.CatInt {
			return 0, false
		}
		n, err := r.item(t, x)
		return n.I, err == nil
	}
	if p := value.Payload(v); p.IsInt() {
		return p.Int64(), true
	}
	return 0, false
}

// item is the value of a tensor of one element.
func (r *Runtime) item(t *value.Thread, x *eager.Tensor) (tensor.Number, error) {
	n, err := r.Context(t).Item(x)
	return n, raise(err)
}

// elements lists the elements of a list, tuple or range; their reads are observed.
func elements(t *value.Thread, v value.Value) (elems []value.Value, ok bool, err error) {
	elems, ok = rawSequence(v)
	if !ok || t == nil || t.Observer == nil || value.Payload(v).AsList() == nil {
		return elems, ok, nil
	}
	n, err := value.Len(t, value.Payload(v))
	if err != nil {
		return nil, false, err
	}
	for i := range n {
		if elems[i], err = value.GetItem(t, value.Payload(v), value.Int(int64(i))); err != nil {
			return nil, false, err
		}
	}
	return elems, true, nil
}

// sequence lists the elements of a list, tuple or range, in a slice of its own.
func sequence(v value.Value) ([]value.Value, bool) {
	elems, ok := rawSequence(v)
	for i, e := range elems {
		elems[i] = concrete(e)
	}
	return elems, ok
}

func rawSequence(v value.Value) ([]value.Value, bool) {
	if v.IsTagged() || v.IsUnset() {
		return nil, false
	}
	v = value.Payload(v)
	if l := v.AsList(); l != nil {
		return append([]value.Value(nil), l.Elems...), true
	}
	if tup, ok := v.AsTuple(); ok {
		elems := make([]value.Value, len(tup))
		for i, e := range tup {
			elems[i] = value.FromStarlark(e)
		}
		return elems, true
	}
	if g, ok := value.As[*value.Range](v); ok && g.Len() < 1<<24 {
		elems := make([]value.Value, g.Len())
		for i := range elems {
			elems[i] = value.Int(g.At(i))
		}
		return elems, true
	}
	return nil, false
}

func (m *misfit) err(t *value.Thread, name string, d *op.Def, method bool) error {
	if m.param < 0 {
		return value.TypeErrorf("%s() %s", name, m.text)
	}
	p := &d.Params[m.param]
	want := wantText(p)
	if m.pos == 0 {
		return value.TypeErrorf("%s(): argument '%s' must be %s, not %s", name, argName(p), want, typeName(m.got))
	}
	pos := m.pos
	if method {
		pos--
	}
	if elems, ok := sequence(m.got); ok && p.List {
		for i, e := range elems {
			if p.Type == op.PTensor {
				if _, ok := AsTensor(e); !ok {
					return value.TypeErrorf("expected Tensor as element %d in argument %d, but got %s", i, pos-1, typeName(e))
				}
			} else if !e.IsInt() {
				return value.TypeErrorf("%s(): argument '%s' (position %d) must be %s, but found element of type %s at pos %d",
					name, argName(p), pos, want, typeName(e), i)
			}
		}
	}
	return value.TypeErrorf("%s(): argument '%s' (position %d) must be %s, not %s", name, argName(p), pos, want, typeName(m.got))
}

func argName(p *op.Param) string {
	if p.Name == "self" {
		return "input"
	}
	return p.Name
}

// wantText is a parameter's type as PyTorch's errors spell it.
func wantText(p *op.Param) string {
	switch {
	case p.Type == op.PTensor && p.List:
		return "tuple of Tensors"
	case p.List && p.Type == op.PSymInt:
		return "tuple of SymInts"
	case p.List && p.Type == op.PInt:
		return "tuple of ints"
	case p.List:
		return "tuple of floats"
	}
	switch p.Type {
	case op.PTensor, op.PTensorOrScalar:
		return "Tensor"
	case op.PScalar:
		return "Number"
	case op.PInt, op.PSymInt:
		return "int"
	case op.PDType:
		return "torch.dtype"
	case op.PDevice:
		return "torch.device"
	case op.PGenerator:
		return "torch.Generator"
	case op.PLayout:
		return "torch.layout"
	case op.PMemoryFormat:
		return "torch.memory_format"
	}
	return p.Type.String()
}

func noOverload(name string, defs []*op.Def, args []value.Value, kw []value.Kwarg, method bool) error {
	if method && len(args) > 0 {
		args = args[1:]
	}
	var got []string
	for _, a := range args {
		got = append(got, typeName(a))
	}
	for _, k := range kw {
		got = append(got, k.Name+"="+typeName(k.Value))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s() received an invalid combination of arguments - got (%s), but expected one of:", name, strings.Join(got, ", "))
	for _, d := range defs {
		b.WriteString("\n * (" + strings.Join(sigParts(d, method), ", ") + ")")
	}
	return value.TypeErrorf("%s\n", b.String())
}

// sigParts lists the parameters of a Def in the style of PyTorch's error texts.
func sigParts(d *op.Def, method bool) []string {
	var parts []string
	star := false
	for i := range d.Params {
		p := &d.Params[i]
		if method && i == 0 {
			continue
		}
		if p.KwOnly && !star {
			parts = append(parts, "*")
			star = true
		}
		parts = append(parts, wantText(p)+" "+argName(p))
	}
	return parts
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

func wasWere(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

func typeName(v value.Value) string { return value.TypeOf(v).Name }

// AsTensor is the tensor behind a value.
func AsTensor(v value.Value) (*eager.Tensor, bool) { return native[*eager.Tensor](v) }

// native is the Go state behind an instance of one of this package's classes.
func native[T any](v value.Value) (t T, ok bool) {
	if !v.Is(value.ItabInstance) {
		return t, false
	}
	t, ok = (*value.Instance)(v.P).Native.(T)
	return t, ok
}
