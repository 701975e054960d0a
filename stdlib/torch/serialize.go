package torch

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
)

// torch.save and torch.load: a zip archive, not compressed, of a pickle and the
// storages that it names.
//
//	NAME/data.pkl   the object; storages are persistent ids ('storage', FloatStorage, '0', 'cpu', 6)
//	NAME/data/0     the bytes of storage 0
//	NAME/version    "3\n"

// storageNames are the pickle's names of element types.
func storageName(d tensor.DType) string { return d.ScalarName() + "Storage" }

func storageDType(name string) (tensor.DType, bool) {
	for _, d := range tensor.DTypes() {
		if name == storageName(d) {
			return d, true
		}
	}
	return tensor.Invalid, false
}

// pkStorage is a storage of a file being loaded.
type pkStorage struct {
	dtype tensor.DType
	flat  *eager.Tensor // all of it
}

// archive is the files of a zip archive without their common folder.
func archive(b []byte) (map[string]*zip.File, error) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, fmt.Errorf("PytorchStreamReader failed reading zip archive: %v", err)
	}
	files := map[string]*zip.File{}
	for _, f := range z.File {
		if _, rest, ok := strings.Cut(f.Name, "/"); ok {
			files[rest] = f
		}
	}
	return files, nil
}

func readEntry(files map[string]*zip.File, name string) ([]byte, error) {
	f := files[name]
	if f == nil {
		return nil, fmt.Errorf("PytorchStreamReader failed locating file %s: file not found", name)
	}
	if f.Method != zip.Store {
		return nil, fmt.Errorf("file %s of the archive is compressed", name)
	}
	in, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(in)
}

func (r *Runtime) loadBytes(t *value.Thread, b []byte) (value.Value, error) {
	corrupt := func(err error) (value.Value, error) {
		return value.Value{}, value.RuntimeErrorf("%s", err)
	}
	files, err := archive(b)
	if err != nil {
		return corrupt(err)
	}
	pkl, err := readEntry(files, "data.pkl")
	if err != nil {
		return corrupt(err)
	}
	storages := map[string]*pkStorage{}
	u := &unpickler{b: pkl}
	u.persistent = func(id any) (any, error) {
		items, ok := tupleItems(id)
		if !ok || len(items) != 5 {
			return nil, fmt.Errorf("a persistent id that is no storage")
		}
		class, _ := items[1].(pkGlobal)
		d, known := storageDType(strings.TrimPrefix(string(class), "torch."))
		if !known {
			return nil, fmt.Errorf("unsupported storage type %s", string(class))
		}
		kv, _ := items[2].(value.Value)
		key, isStr := kv.AsString()
		if !isStr {
			return nil, fmt.Errorf("a storage without a name")
		}
		if s := storages[key]; s != nil {
			if s.dtype != d {
				return nil, fmt.Errorf("storage %s has two types", key)
			}
			return s, nil
		}
		raw, err := readEntry(files, "data/"+key)
		if err != nil {
			return nil, err
		}
		flat, err := r.Context(t).FromBytes(d, []int64{int64(len(raw) / d.Size())}, raw[:len(raw)/d.Size()*d.Size()])
		if err != nil {
			return nil, err
		}
		s := &pkStorage{d, flat}
		storages[key] = s
		return s, nil
	}
	u.reduce = func(fn pkGlobal, args []any) (any, error) { return r.rebuild(u, fn, args) }
	v, err := u.run()
	if err != nil {
		r.mu.Lock()
		c := r.classes.returns[".UnpicklingError"]
		if c == nil {
			c = value.NewClass("UnpicklingError", "_pickle", value.ExcException)
			r.classes.returns[".UnpicklingError"] = c
		}
		r.mu.Unlock()
		return value.Value{}, value.Errorf(c, "Weights only load failed. %s", err)
	}
	return v, nil
}

// rebuild calls an allowed constructor; args is nil where the global itself is meant.
func (r *Runtime) rebuild(u *unpickler, fn pkGlobal, args []any) (any, error) {
	name := string(fn)
	if args == nil {
		if d, ok := tensor.ParseDType(strings.TrimPrefix(name, "torch.")); ok && strings.HasPrefix(name, "torch.") {
			return r.DType(d), nil
		}
		return nil, fmt.Errorf("unsupported global %s", name)
	}
	switch name {
	case "collections.OrderedDict":
		d := value.NewDict(0).Value()
		if len(args) == 1 { // a list of pairs
			pairs, _ := sequence(u.asValue(args[0]))
			for _, p := range pairs {
				kv, ok := sequence(p)
				if !ok || len(kv) != 2 {
					return nil, fmt.Errorf("OrderedDict of what are no pairs")
				}
				u.setItems(d, []any{kv[0], kv[1]})
			}
		}
		return d, nil
	case "builtins.set", "__builtin__.set":
		s := value.NewSet(0)
		if len(args) == 1 {
			items, _ := sequence(u.asValue(args[0]))
			for _, v := range items {
				if _, isTuple := v.AsTuple(); isTuple {
					return nil, fmt.Errorf("a set of tuples")
				}
				if err := s.Add(&value.Thread{}, v); err != nil {
					return nil, err
				}
			}
		}
		return value.FromStarlark(s), nil
	case "torch.Size":
		if len(args) == 1 {
			elems, ok := sequence(u.asValue(args[0]))
			if ok {
				return sizeOf(r.classes.Size, elems), nil
			}
		}
	case "torch.device":
		if len(args) > 0 {
			d, ok, err := r.parseDevice(u.asValue(args[0]))
			if ok && err == nil {
				return object(r.classes.Device, d), nil
			}
		}
	case "torch._utils._rebuild_tensor_v2":
		if len(args) >= 5 {
			return r.rebuildTensor(u, args)
		}
	case "torch._utils._rebuild_parameter":
		if len(args) >= 2 {
			x, ok := AsTensor(u.asValue(args[0]))
			if ok {
				y := &eager.Tensor{Tensor: x.Tensor}
				err := y.SetRequiresGrad(u.asValue(args[1]) == value.True)
				return r.wrapAs(r.classes.Parameter, y), err
			}
		}
	default:
		return nil, fmt.Errorf("unsupported global %s: only tensors, numbers, strings and containers are loaded", name)
	}
	return nil, fmt.Errorf("wrong arguments for %s", name)
}

func (r *Runtime) rebuildTensor(u *unpickler, args []any) (any, error) {
	s, ok := args[0].(*pkStorage)
	if !ok {
		return nil, fmt.Errorf("a tensor without a storage")
	}
	ints := func(x any) []int64 {
		elems, ok := sequence(u.asValue(x))
		if !ok {
			u.fail("a size that is no tuple")
		}
		out := make([]int64, len(elems))
		for i, e := range elems {
			if !e.IsInt() || e.Int64() < 0 {
				u.fail("a size that is no natural number")
			}
			out[i] = e.Int64()
		}
		return out
	}
	off := u.asValue(args[1])
	size, stride := ints(args[2]), ints(args[3])
	if !off.IsInt() || off.Int64() < 0 || len(size) != len(stride) || len(size) > maxNesting {
		return nil, fmt.Errorf("invalid geometry of a tensor")
	}
	g := tensor.Geometry{DType: s.dtype, Size: size, Stride: stride, Off: off.Int64()}
	end, empty, count := g.Off+1, false, int64(1)
	for i, n := range size {
		empty = empty || n == 0
		if count > (1<<40)/max(n, 1) {
			return nil, fmt.Errorf("a tensor of too many elements")
		}
		count *= max(n, 1)
		if n > 0 && stride[i] > 0 && n-1 > (1<<40)/stride[i] {
			return nil, fmt.Errorf("a tensor beyond its storage")
		}
		if n > 0 {
			end += (n - 1) * stride[i]
		}
		if end < 0 || end > 1<<50 {
			return nil, fmt.Errorf("a tensor beyond its storage")
		}
	}
	if n := s.flat.Numel(); !empty && end > n || g.Off > n {
		return nil, fmt.Errorf("a tensor of %d elements beyond its storage of %d", end, n)
	}
	x := eager.New(s.flat.Store, g)
	if u.asValue(args[4]) == value.True {
		if err := x.SetRequiresGrad(true); err != nil {
			return nil, err
		}
	}
	return r.Wrap(x), nil
}

func (r *Runtime) loadFunc() value.Value {
	return function("load", []string{"f", "map_location", "pickle_module", "weights_only", "mmap"}, 1, func(t *value.Thread, a []value.Value) (value.Value, error) {
		b, err := r.readFrom(t, a[0])
		if err != nil {
			return value.Value{}, err
		}
		return r.loadBytes(t, b)
	})
}

// readFrom reads a path or a file object.
func (r *Runtime) readFrom(t *value.Thread, f value.Value) ([]byte, error) {
	if f.AsInstance() != nil && t.Machine != nil {
		if read, err := value.GetAttr(t, f, "read"); err == nil {
			v, err := t.Machine.Call(read, nil, nil)
			if err != nil {
				return nil, err
			}
			b, ok := asBytes(v)
			if !ok {
				return nil, value.TypeErrorf("a file opened in binary mode is expected")
			}
			return b, nil
		}
	}
	p, err := path(t, f)
	if err != nil {
		return nil, err
	}
	return r.readFile(t, p)
}

func (r *Runtime) saveFunc() value.Value {
	return function("save", []string{"obj", "f", "pickle_module", "pickle_protocol", "_use_new_zipfile_serialization"}, 2, func(t *value.Thread, a []value.Value) (value.Value, error) {
		b, err := r.saveBytes(t, a[0])
		if err != nil {
			return value.Value{}, err
		}
		if a[1].AsInstance() != nil && t.Machine != nil {
			if write, err := value.GetAttr(t, a[1], "write"); err == nil {
				_, err := t.Machine.Call(write, []value.Value{value.BytesOf(b)}, nil)
				return value.None, err
			}
		}
		p, err := path(t, a[1])
		if err != nil {
			return value.Value{}, err
		}
		return value.None, r.writeFile(t, p, b)
	})
}

// saveBytes makes the archive. Tensors that share a storage share it in the file.
func (r *Runtime) saveBytes(t *value.Thread, obj value.Value) ([]byte, error) {
	var keys []*tensor.Storage
	var raws [][]byte
	find := func(x *eager.Tensor) (int, error) {
		for i, s := range keys {
			if s == x.Store {
				return i, nil
			}
		}
		w := int64(x.DType.Size())
		n := int64(x.Store.Buf.Len()) / w
		whole, err := r.Context(t).Host(eager.New(x.Store, tensor.Geometry{DType: x.DType, Size: []int64{n}, Stride: []int64{1}}))
		if err != nil {
			return 0, raise(err)
		}
		keys = append(keys, x.Store)
		raws = append(raws, whole.Bytes()[:n*w])
		return len(keys) - 1, nil
	}
	p := &pickler{memo: map[value.Value]int{}}
	ints := func(p *pickler, l []int64) {
		p.raw('(')
		for _, n := range l {
			p.int(n)
		}
		p.raw('t')
	}
	p.tensor = func(p *pickler, v value.Value) (bool, error) {
		if d, ok := native[tensor.DType](v); ok {
			p.global("torch", d.String())
			return true, nil
		}
		if v.AsInstance() != nil && v.AsInstance().Class() == r.classes.Size {
			p.global("torch", "Size")
			elems, _ := sequence(v)
			if err := p.write(value.Tuple(elems...)); err != nil {
				return false, err
			}
			p.raw(0x85, 'R')
			return true, nil
		}
		if d, ok := native[deviceState](v); ok {
			p.global("torch", "device")
			p.str(d.text())
			p.raw(0x85, 'R')
			return true, nil
		}
		x, ok := AsTensor(v)
		if !ok {
			return false, nil
		}
		if ctx := r.Context(t); ctx.Observer != nil {
			ctx.Observer.OnRead(x)
		}
		k, err := find(x)
		if err != nil {
			return false, err
		}
		isParam := v.AsInstance().Class().IsSubclass(r.classes.Parameter)
		if isParam {
			p.global("torch._utils", "_rebuild_parameter")
		}
		rebuild := func(requires bool) {
			p.global("torch._utils", "_rebuild_tensor_v2")
			p.raw('(', '(')
			p.str("storage")
			p.global("torch", storageName(x.DType))
			p.str(strconv.Itoa(k))
			p.str("cpu")
			p.int(int64(len(raws[k]) / x.DType.Size()))
			p.raw('t', 'Q')
			p.int(x.Off)
			ints(p, x.Size)
			ints(p, x.Stride)
			p.raw(map[bool]byte{true: 0x88, false: 0x89}[requires])
			p.global("collections", "OrderedDict")
			p.raw(')', 'R', 't', 'R')
		}
		if isParam {
			p.raw('(')
			rebuild(false)
			p.raw(map[bool]byte{true: 0x88, false: 0x89}[x.RequiresGrad()])
			p.global("collections", "OrderedDict")
			p.raw(')', 'R', 't', 'R')
		} else {
			rebuild(x.RequiresGrad() && x.IsLeaf())
		}
		p.put(v)
		return true, nil
	}
	p.raw(0x80, 2)
	if err := p.write(obj); err != nil {
		return nil, err
	}
	p.raw('.')
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	add := func(name string, b []byte) error {
		f, err := z.CreateHeader(&zip.FileHeader{Name: "archive/" + name, Method: zip.Store})
		if err == nil {
			_, err = f.Write(b)
		}
		return err
	}
	err := add("data.pkl", []byte(p.b.String()))
	for i := 0; err == nil && i < len(raws); i++ {
		err = add("data/"+strconv.Itoa(i), raws[i])
	}
	if err == nil {
		err = add("version", []byte("3\n"))
	}
	if err == nil {
		err = z.Close()
	}
	return out.Bytes(), err
}
