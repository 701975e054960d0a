package larkspur

import (
	"context"
	"fmt"
	"math/big"
	"reflect"
	"runtime/debug"
	"strings"

	"go.starlark.net/starlark"

	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// A Call is a call of a host function from a script.
type Call struct {
	Args []any
	KW   map[string]any
	ctx  context.Context
}

// Context is the context of the call from Go that the script runs under.
func (c *Call) Context() context.Context { return c.ctx }

// An Object is a value of the language that has no counterpart in Go. It may be
// handed back as an argument.
type Object struct {
	rt  *Runtime
	mod *Module
	v   value.Value
}

// String is str() of the object. While another call runs in an unfrozen module,
// which str() would wait for, it is the text that needs no code of the language.
func (o *Object) String() string {
	if o.inCall() {
		if !o.rt.mu.TryLock() {
			return o.v.Starlark().String()
		}
		defer o.rt.mu.Unlock()
	}
	text := ""
	err := func() (err error) {
		defer contain(&err)
		return o.rt.run(context.Background(), o.rt.newThread(), func(th *vm.Thread) error {
			s, err := th.Do(value.StrOf(&th.Thread, o.v))
			text, _ = s.AsString()
			return err
		})
	}()
	if err != nil {
		return o.v.Starlark().String()
	}
	return text
}

// inCall reports whether using the object needs the Runtime's lock: an argument
// of a host function has it already.
func (o *Object) inCall() bool { return o.mod != nil && !o.mod.isFrozen() }

// Type is the name of its class.
func (o *Object) Type() string { return value.TypeOf(o.v).Name }

// Attr reads an attribute that is stored or native; one that takes language
// code to compute is reached through a function of the module.
func (o *Object) Attr(name string) (res any, err error) {
	defer contain(&err)
	if o.inCall() {
		o.rt.mu.Lock()
		defer o.rt.mu.Unlock()
	}
	th := o.rt.newThread()
	v, err := value.GetAttr(&th.Thread, o.v, name)
	if v, err = th.Do(v, err); err != nil {
		return nil, o.rt.wrap(err)
	}
	return o.rt.toGo(o.mod, v)
}

// maxNesting bounds the depth of values that cross.
const maxNesting = 200

// fromGo converts a Go value for the language.
func (rt *Runtime) fromGo(x any) (value.Value, error) { return rt.fromGoAt(x, 0) }

func (rt *Runtime) fromGoAt(x any, depth int) (value.Value, error) {
	if depth > maxNesting {
		return value.Value{}, fmt.Errorf("value is nested deeper than %d levels", maxNesting)
	}
	switch x := x.(type) {
	case nil:
		return value.None, nil
	case bool:
		return value.Bool(x), nil
	case int:
		return value.Int(int64(x)), nil
	case int64:
		return value.Int(x), nil
	case float64:
		return value.Float(x), nil
	case float32:
		return value.Float(float64(x)), nil
	case string:
		return value.Str(x), nil
	case []byte:
		return value.FromStarlark(starlark.Bytes(x)), nil
	case *big.Int:
		return value.BigInt(x), nil
	case *Tensor:
		if x == nil {
			return value.None, nil
		}
		if x.rt != rt {
			return value.Value{}, fmt.Errorf("a tensor of another Runtime")
		}
		return rt.torch.Wrap(x.t), nil
	case *Func:
		return x.fn, nil
	case *Object:
		if x.rt != rt {
			return value.Value{}, fmt.Errorf("an object of another Runtime")
		}
		return x.v, nil
	case starlark.Value:
		return value.FromStarlark(x), nil
	case func(*Call) (any, error):
		return rt.hostFunc("host function", x), nil
	}
	v := reflect.ValueOf(x)
	switch v.Kind() {
	case reflect.Bool:
		return value.Bool(v.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return value.Int(v.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return value.BigInt(new(big.Int).SetUint64(v.Uint())), nil
	case reflect.Float32, reflect.Float64:
		return value.Float(v.Float()), nil
	case reflect.String:
		return value.Str(v.String()), nil
	case reflect.Pointer:
		if v.IsNil() {
			return value.None, nil
		}
		return rt.fromGoAt(v.Elem().Interface(), depth+1)
	case reflect.Slice, reflect.Array:
		elems := make([]value.Value, v.Len())
		for i := range elems {
			e, err := rt.fromGoAt(v.Index(i).Interface(), depth+1)
			if err != nil {
				return value.Value{}, fmt.Errorf("element %d: %w", i, err)
			}
			elems[i] = e
		}
		return value.NewList(elems).Value(), nil
	case reflect.Map:
		return rt.fromMap(v, depth)
	case reflect.Struct:
		return rt.fromStruct(v, depth)
	}
	return value.Value{}, fmt.Errorf("a Go value of type %T has no counterpart in the language", x)
}

func (rt *Runtime) fromMap(v reflect.Value, depth int) (value.Value, error) {
	d := value.NewDict(v.Len())
	keys := v.MapKeys()
	sortKeys(keys)
	for _, k := range keys {
		kv, err := rt.fromGoAt(k.Interface(), depth+1)
		if err != nil {
			return value.Value{}, fmt.Errorf("key %v: %w", k, err)
		}
		e, err := rt.fromGoAt(v.MapIndex(k).Interface(), depth+1)
		if err != nil {
			return value.Value{}, fmt.Errorf("value of %v: %w", k, err)
		}
		if err := d.Set(&rt.main.Thread, kv, e); err != nil {
			return value.Value{}, err
		}
	}
	return d.Value(), nil
}

// sortKeys gives dicts made from Go maps one order, whatever the map's.
func sortKeys(keys []reflect.Value) {
	less := func(a, b reflect.Value) bool { return fmt.Sprint(a.Interface()) < fmt.Sprint(b.Interface()) }
	for i := 1; i < len(keys); i++ {
		for j := i; j > 0 && less(keys[j], keys[j-1]); j-- {
			keys[j], keys[j-1] = keys[j-1], keys[j]
		}
	}
}

func (rt *Runtime) fromStruct(v reflect.Value, depth int) (value.Value, error) {
	t := v.Type()
	d := value.NewDict(t.NumField())
	exported := false
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		exported = true
		name, _, _ := strings.Cut(f.Tag.Get("larkspur"), ",")
		if name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		e, err := rt.fromGoAt(v.Field(i).Interface(), depth+1)
		if err != nil {
			return value.Value{}, fmt.Errorf("field %s: %w", f.Name, err)
		}
		d.SetStr(name, e)
	}
	if !exported {
		return value.Value{}, fmt.Errorf("a struct of type %s has no exported fields", t)
	}
	return d.Value(), nil
}

// hostFunc makes a builtin of a host function.
func (rt *Runtime) hostFunc(name string, f func(*Call) (any, error)) value.Value {
	return value.NewBuiltin(name, func(t *value.Thread, args []value.Value, kw []value.Kwarg) (value.Value, error) {
		c := &Call{ctx: rt.torch.ContextOf(t)}
		for _, a := range args {
			x, err := rt.toGo(nil, a)
			if err != nil {
				return value.Value{}, err
			}
			c.Args = append(c.Args, x)
		}
		for _, k := range kw {
			x, err := rt.toGo(nil, k.Value)
			if err != nil {
				return value.Value{}, err
			}
			if c.KW == nil {
				c.KW = map[string]any{}
			}
			c.KW[k.Name] = x
		}
		res, err := callHost(f, c)
		if err != nil {
			return value.Value{}, value.AsRaised(err)
		}
		return rt.fromGo(res)
	}).Value()
}

// callHost calls a host function. Its panic becomes an exception of the script,
// which keeps the Go stack for InternalStack.
func callHost(f func(*Call) (any, error), c *Call) (res any, err error) {
	defer func() {
		if p := recover(); p != nil {
			text := fmt.Sprintf("the host function panicked: %v (InternalStack has the Go stack)", p)
			r := value.Errorf(value.ExcSystemError, "%s", text)
			r.Host = &internalError{text, debug.Stack()}
			err = r
		}
	}()
	return f(c)
}

// toGo converts a value of the language for Go. mod is the module whose calls
// a function or object among them belongs to.
func (rt *Runtime) toGo(mod *Module, v value.Value) (any, error) { return rt.toGoAt(mod, v, 0) }

func (rt *Runtime) toGoAt(mod *Module, v value.Value, depth int) (any, error) {
	if depth > maxNesting {
		return nil, value.Errorf(value.ExcRecursionError, "value is nested deeper than %d levels", maxNesting)
	}
	switch {
	case v.IsNone(), v.IsUnset():
		return nil, nil
	case v.IsBool():
		return v.IsTrue(), nil
	case v.IsInt():
		return v.Int64(), nil
	case v.IsFloat():
		return v.Float64(), nil
	}
	if s, ok := v.AsString(); ok {
		return s, nil
	}
	if t, ok := rt.torch.Unwrap(v); ok {
		return &Tensor{rt, t}, nil
	}
	switch x := v.Starlark().(type) {
	case starlark.Bytes:
		return []byte(x), nil
	case starlark.Int:
		return x.BigInt(), nil
	case starlark.Tuple:
		out := make([]any, len(x))
		for i, e := range x {
			g, err := rt.toGoAt(mod, value.FromStarlark(e), depth+1)
			if err != nil {
				return nil, err
			}
			out[i] = g
		}
		return out, nil
	case *value.List:
		out := make([]any, len(x.Elems))
		for i, e := range x.Elems {
			g, err := rt.toGoAt(mod, e, depth+1)
			if err != nil {
				return nil, err
			}
			out[i] = g
		}
		return out, nil
	case *value.Dict:
		return rt.toMap(mod, x, depth)
	}
	if value.Callable(v) && mod != nil {
		if _, isInst := value.As[*value.Instance](v); !isInst {
			return &Func{mod: mod, fn: v}, nil
		}
	}
	return &Object{rt: rt, mod: mod, v: v}, nil
}

func (rt *Runtime) toMap(mod *Module, d *value.Dict, depth int) (any, error) {
	byName := make(map[string]any, d.Len())
	var byKey map[any]any
	for i := 0; ; {
		k, e, next, ok := d.Next(i)
		if !ok {
			break
		}
		i = next
		g, err := rt.toGoAt(mod, e, depth+1)
		if err != nil {
			return nil, err
		}
		if s, ok := k.AsString(); ok && byKey == nil {
			byName[s] = g
			continue
		}
		if byKey == nil {
			byKey = make(map[any]any, d.Len())
			for n, x := range byName {
				byKey[n] = x
			}
		}
		kg, err := rt.toGoAt(mod, k, depth+1)
		if err != nil {
			return nil, err
		}
		if kg == nil || !reflect.TypeOf(kg).Comparable() {
			kg = k.Starlark().String()
		}
		byKey[kg] = g
	}
	if byKey != nil {
		return byKey, nil
	}
	return byName, nil
}
