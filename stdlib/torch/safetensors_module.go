package torch

import (
	"errors"

	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
)

// The modules safetensors and safetensors.torch.

// path reads a file name: a str, or an object with __fspath__.
func path(t *value.Thread, v value.Value) (string, error) {
	if s, ok := value.Payload(v).AsString(); ok {
		return s, nil
	}
	if !v.IsTagged() && !v.IsUnset() {
		if _, ok := value.TypeOf(v).Find("__fspath__"); ok && t.Machine != nil {
			f, err := value.GetAttr(t, v, "__fspath__")
			if err != nil {
				return "", err
			}
			p, err := t.Machine.Call(f, nil, nil)
			if err != nil {
				return "", err
			}
			if s, ok := value.Payload(p).AsString(); ok {
				return s, nil
			}
		}
	}
	return "", value.TypeErrorf("expected str, bytes or os.PathLike object, not %s", typeName(v))
}

func (r *Runtime) readFile(t *value.Thread, name string) ([]byte, error) {
	if r.opts.ReadFile == nil {
		return nil, value.Errorf(value.ExcPermissionError, "reading '%s' is not allowed in this runtime", name)
	}
	b, err := r.opts.ReadFile(t, name)
	return b, fileError(err)
}

func (r *Runtime) writeFile(t *value.Thread, name string, b []byte) error {
	if r.opts.WriteFile == nil {
		return value.Errorf(value.ExcPermissionError, "writing '%s' is not allowed in this runtime", name)
	}
	return fileError(r.opts.WriteFile(t, name, b))
}

func fileError(err error) error {
	var raised *value.Raised
	if err == nil || errors.As(err, &raised) {
		return err
	}
	x := value.Errorf(value.ExcOSError, "%s", err)
	x.Host = err
	return x
}

// stError is the class of errors of the format.
func (r *Runtime) stErrorClass() *value.Class {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.classes.returns[".SafetensorError"]
	if c == nil {
		c = value.NewClass("SafetensorError", "safetensors_rust", value.ExcException)
		r.classes.returns[".SafetensorError"] = c
	}
	return c
}

func (r *Runtime) parseFile(t *value.Thread, name string) (*stFile, error) {
	b, err := r.readFile(t, name)
	if err != nil {
		return nil, err
	}
	f, err := parseSafetensors(b)
	if err != nil {
		return nil, value.Errorf(r.stErrorClass(), "Error while deserializing header of '%s': %s", name, err)
	}
	return f, nil
}

// entry makes a tensor of a file's.
func (r *Runtime) entry(t *value.Thread, f *stFile, e *stEntry) (*eager.Tensor, error) {
	if e.DType == tensor.Invalid {
		return nil, value.Errorf(value.ExcNotImplementedError, "tensor '%s' has dtype %s, which exists in safetensors, but not in Larkspur", e.Name, e.Code)
	}
	x, err := r.Context(t).FromBytes(e.DType, e.Shape, f.bytesOf(e))
	return x, raise(err)
}

func (r *Runtime) allEntries(t *value.Thread, f *stFile, device value.Value) (value.Value, error) {
	if given(device) {
		if _, _, err := r.asDevice(device); err != nil {
			return value.Value{}, err
		}
	}
	d := value.NewDict(len(f.Entries))
	for _, n := range f.names() {
		x, err := r.entry(t, f, f.find(n))
		if err != nil {
			return value.Value{}, err
		}
		d.SetStr(n, r.Wrap(x))
	}
	return d.Value(), nil
}

// packDict reads the arguments of save and save_file.
func (r *Runtime) packDict(t *value.Thread, tensors, metadata value.Value) ([]byte, error) {
	d := value.Payload(tensors).AsDict()
	if d == nil {
		return nil, value.ValueErrorf("Expected a dict of [str, torch.Tensor] but received %s", value.TypeOf(tensors))
	}
	var ts []stTensor
	for i := 0; ; {
		k, v, next, ok := d.Next(i)
		if !ok {
			break
		}
		i = next
		name, isStr := value.Payload(k).AsString()
		x, isT := AsTensor(v)
		if !isStr || !isT {
			return nil, value.ValueErrorf("Key `%s` is invalid, expected torch.Tensor but received %s", k.Starlark(), value.TypeOf(v))
		}
		raw, err := r.Context(t).Raw(x)
		if err != nil {
			return nil, raise(err)
		}
		ts = append(ts, stTensor{name, x.DType, x.Size, raw})
	}
	var meta map[string]string
	if given(metadata) {
		m := value.Payload(metadata).AsDict()
		if m == nil {
			return nil, value.TypeErrorf("metadata must be a dict of str to str, not %s", typeName(metadata))
		}
		meta = map[string]string{}
		for i := 0; ; {
			k, v, next, ok := m.Next(i)
			if !ok {
				break
			}
			i = next
			key, ok1 := k.AsString()
			text, ok2 := v.AsString()
			if !ok1 || !ok2 {
				return nil, value.TypeErrorf("metadata must be a dict of str to str")
			}
			meta[key] = text
		}
	}
	b, err := writeSafetensors(ts, meta)
	if err != nil {
		return nil, value.Errorf(r.stErrorClass(), "%s", err)
	}
	return b, nil
}

func (r *Runtime) safetensorsTorchName(t *value.Thread, name string) (value.Value, bool, error) {
	switch name {
	case "load_file":
		return function(name, []string{"filename", "device"}, 1, func(t *value.Thread, a []value.Value) (value.Value, error) {
			p, err := path(t, a[0])
			if err != nil {
				return value.Value{}, err
			}
			f, err := r.parseFile(t, p)
			if err != nil {
				return value.Value{}, err
			}
			return r.allEntries(t, f, a[1])
		}), true, nil
	case "load":
		return function(name, []string{"data"}, 1, func(t *value.Thread, a []value.Value) (value.Value, error) {
			b, ok := asBytes(a[0])
			if !ok {
				return value.Value{}, value.TypeErrorf("argument 'data': '%s' object cannot be converted to 'bytes'", typeName(a[0]))
			}
			f, err := parseSafetensors(b)
			if err != nil {
				return value.Value{}, value.Errorf(r.stErrorClass(), "Error while deserializing: %s", err)
			}
			return r.allEntries(t, f, value.Value{})
		}), true, nil
	case "save_file":
		return function(name, []string{"tensors", "filename", "metadata"}, 2, func(t *value.Thread, a []value.Value) (value.Value, error) {
			p, err := path(t, a[1])
			if err != nil {
				return value.Value{}, err
			}
			b, err := r.packDict(t, a[0], a[2])
			if err != nil {
				return value.Value{}, err
			}
			return value.None, r.writeFile(t, p, b)
		}), true, nil
	case "save":
		return function(name, []string{"tensors", "metadata"}, 1, func(t *value.Thread, a []value.Value) (value.Value, error) {
			b, err := r.packDict(t, a[0], a[1])
			if err != nil {
				return value.Value{}, err
			}
			return value.BytesOf(b), nil
		}), true, nil
	case "safe_open":
		return r.safetensorsName(t, name)
	case "save_model", "load_model":
		return r.missing("safetensors.torch." + name), true, nil
	}
	return value.Value{}, false, nil
}

func (r *Runtime) safetensorsName(t *value.Thread, name string) (value.Value, bool, error) {
	switch name {
	case "SafetensorError":
		return r.stErrorClass().Value(), true, nil
	case "__version__":
		return value.Str("0.4.5"), true, nil
	case "safe_open":
		return r.safeOpen().Value(), true, nil
	}
	return value.Value{}, false, nil
}

// safeOpen is the class safetensors.safe_open, and that of its slices.
func (r *Runtime) safeOpen() *value.Class {
	c := value.NewClass("safe_open", "safetensors")
	of := func(v value.Value) *stFile { f, _ := native[*stFile](v); return f }
	c.Slots = &value.Slots{New: func(t *value.Thread, c *value.Class, args []value.Value, kw []value.Kwarg) (value.Value, error) {
		a, err := place("safe_open", []string{"filename", "framework", "device"}, 2, args, kw)
		if err != nil {
			return value.Value{}, err
		}
		if s, _ := a[1].AsString(); s != "pt" && s != "torch" && s != "pytorch" {
			return value.Value{}, value.Errorf(r.stErrorClass(), "framework %s is invalid", a[1].Starlark())
		}
		if given(a[2]) {
			if _, _, err := r.asDevice(a[2]); err != nil {
				return value.Value{}, err
			}
		}
		p, err := path(t, a[0])
		if err != nil {
			return value.Value{}, err
		}
		f, err := r.parseFile(t, p)
		if err != nil {
			return value.Value{}, err
		}
		return object(c, f), nil
	}}
	find := func(v, key value.Value) (*stFile, *stEntry, error) {
		f := of(v)
		name, _ := key.AsString()
		e := f.find(name)
		if e == nil {
			return nil, nil, value.Errorf(r.stErrorClass(), "File does not contain tensor %s", name)
		}
		return f, e, nil
	}
	slice := value.NewClass("PySafeSlice", "safetensors")
	type stSlice struct {
		f *stFile
		e *stEntry
	}
	slice.Slots = &value.Slots{New: noNew, GetItem: func(t *value.Thread, v, key value.Value) (value.Value, error) {
		s, _ := native[stSlice](v)
		x, err := r.entry(t, s.f, s.e)
		if err != nil {
			return value.Value{}, err
		}
		return r.getItem(t, r.Wrap(x), key)
	}}
	method(slice, "get_shape", 0, 0, func(_ *value.Thread, v value.Value, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
		s, _ := native[stSlice](v)
		l := make([]value.Value, len(s.e.Shape))
		for i, n := range s.e.Shape {
			l[i] = value.Int(n)
		}
		return value.ListOf(l...), nil
	})
	method(slice, "get_dtype", 0, 0, func(_ *value.Thread, v value.Value, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
		s, _ := native[stSlice](v)
		return value.Str(s.e.Code), nil
	})
	method(c, "__enter__", 0, 0, func(_ *value.Thread, v value.Value, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
		return v, nil
	})
	method(c, "__exit__", 3, 3, func(*value.Thread, value.Value, []value.Value, []value.Kwarg) (value.Value, error) {
		return value.None, nil
	})
	list := func(names []string) value.Value {
		l := make([]value.Value, len(names))
		for i, n := range names {
			l[i] = value.Str(n)
		}
		return value.ListOf(l...)
	}
	method(c, "keys", 0, 0, func(_ *value.Thread, v value.Value, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
		return list(of(v).names()), nil
	})
	method(c, "offset_keys", 0, 0, func(_ *value.Thread, v value.Value, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
		var names []string
		for _, e := range of(v).Entries {
			names = append(names, e.Name)
		}
		return list(names), nil
	})
	method(c, "metadata", 0, 0, func(_ *value.Thread, v value.Value, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
		m := of(v).Metadata
		if m == nil {
			return value.None, nil
		}
		d := value.NewDict(len(m))
		for _, k := range sortedKeys(m) {
			d.SetStr(k, value.Str(m[k]))
		}
		return d.Value(), nil
	})
	method(c, "get_tensor", 1, 1, func(t *value.Thread, v value.Value, a []value.Value, _ []value.Kwarg) (value.Value, error) {
		f, e, err := find(v, a[0])
		if err != nil {
			return value.Value{}, err
		}
		x, err := r.entry(t, f, e)
		return r.Wrap(x), err
	})
	method(c, "get_slice", 1, 1, func(t *value.Thread, v value.Value, a []value.Value, _ []value.Kwarg) (value.Value, error) {
		f, e, err := find(v, a[0])
		if err != nil {
			return value.Value{}, err
		}
		return object(slice, stSlice{f, e}), nil
	})
	return c
}
