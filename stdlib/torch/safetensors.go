package torch

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/larkspur-ml/larkspur/tensor"
)

// The safetensors format (github.com/huggingface/safetensors, README):
//
//	8 bytes   length n of the header, little-endian
//	n bytes   JSON: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, …, "__metadata__": {…}}
//	rest      the tensors' elements, little-endian, row-major, one after the other without gaps
//
// A file is untrusted: every number is checked before it is used.

// stEntry is one tensor of a file. Begin and end count bytes of the data part.
type stEntry struct {
	Name       string
	DType      tensor.DType
	Code       string
	Shape      []int64
	begin, end int64
}

// stFile is a parsed file.
type stFile struct {
	Entries  []stEntry // in order of their data
	Metadata map[string]string
	data     []byte
}

// maxHeader is the reference implementation's bound.
const maxHeader = 100_000_000

var stCodes = map[string]tensor.DType{"F64": tensor.Float64, "F32": tensor.Float32, "F16": tensor.Float16, "BF16": tensor.BFloat16,
	"I64": tensor.Int64, "I32": tensor.Int32, "I16": tensor.Int16, "I8": tensor.Int8, "U8": tensor.Uint8, "BOOL": tensor.Bool}

// stOther are types that the format has and tensors here have not.
var stOther = map[string]int{"F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1, "U16": 2, "U32": 4, "U64": 8, "C64": 8}

// parseSafetensors reads a file's header and checks all of it.
func parseSafetensors(b []byte) (*stFile, error) {
	if len(b) < 8 {
		return nil, fmt.Errorf("header too small: the file has %d bytes, 8 are needed for the header's length", len(b))
	}
	n := binary.LittleEndian.Uint64(b)
	if n > maxHeader {
		return nil, fmt.Errorf("header too large: its length is given as %d bytes, at most %d are allowed", n, maxHeader)
	}
	if n > uint64(len(b)-8) {
		return nil, fmt.Errorf("invalid header length: %d bytes are announced, %d are left in the file", n, len(b)-8)
	}
	head := b[8 : 8+n]
	if !utf8.Valid(head) {
		return nil, fmt.Errorf("invalid header: it is not UTF-8")
	}
	if n == 0 || head[0] != '{' {
		return nil, fmt.Errorf("invalid header start: '{' is expected")
	}
	f := &stFile{data: b[8+n:]}
	if err := f.header(head); err != nil {
		return nil, err
	}
	return f, f.check()
}

func (f *stFile) header(head []byte) error {
	dec := json.NewDecoder(bytes.NewReader(head))
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("invalid JSON in header: %v", err)
	}
	seen := map[string]bool{}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return fmt.Errorf("invalid JSON in header: %v", err)
		}
		name, _ := tok.(string)
		if seen[name] {
			return fmt.Errorf("invalid header: the name '%s' occurs twice", name)
		}
		seen[name] = true
		if name == "__metadata__" {
			if err := dec.Decode(&f.Metadata); err != nil {
				return fmt.Errorf("invalid JSON in header: __metadata__ must map strings to strings: %v", err)
			}
			continue
		}
		var e struct {
			DType   *string  `json:"dtype"`
			Shape   *[]int64 `json:"shape"`
			Offsets *[]int64 `json:"data_offsets"`
		}
		if err := dec.Decode(&e); err != nil {
			return fmt.Errorf("invalid JSON in header: tensor '%s': %v", name, err)
		}
		if e.DType == nil || e.Shape == nil || e.Offsets == nil || len(*e.Offsets) != 2 {
			return fmt.Errorf("invalid header: tensor '%s' needs dtype, shape and two data_offsets", name)
		}
		f.Entries = append(f.Entries, stEntry{Name: name, Code: *e.DType, Shape: *e.Shape, begin: (*e.Offsets)[0], end: (*e.Offsets)[1]})
	}
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("invalid JSON in header: %v", err)
	}
	if dec.More() {
		return fmt.Errorf("invalid JSON in header: text behind the object")
	}
	slices.SortStableFunc(f.Entries, func(a, b stEntry) int { return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end)) })
	return nil
}

// check tests that every tensor has its bytes and that the tensors fill the data exactly.
func (f *stFile) check() error {
	at := int64(0)
	for i := range f.Entries {
		e := &f.Entries[i]
		width := stOther[e.Code]
		if d, ok := stCodes[e.Code]; ok {
			e.DType, width = d, d.Size()
		} else if width == 0 {
			return fmt.Errorf("unknown dtype '%s' of tensor '%s'", e.Code, e.Name)
		}
		need := int64(width)
		for _, s := range e.Shape {
			if s < 0 {
				return fmt.Errorf("invalid shape of tensor '%s': negative dimension %d", e.Name, s)
			}
			if s > 0 && need > (1<<62)/s {
				return fmt.Errorf("invalid shape of tensor '%s': too many elements", e.Name)
			}
			need *= s
		}
		if len(e.Shape) > maxNesting {
			return fmt.Errorf("invalid shape of tensor '%s': %d dimensions", e.Name, len(e.Shape))
		}
		switch {
		case e.begin < 0 || e.end < e.begin || e.end > int64(len(f.data)):
			return fmt.Errorf("invalid offset of tensor '%s': [%d, %d) in %d bytes of data", e.Name, e.begin, e.end, len(f.data))
		case e.begin < at:
			return fmt.Errorf("invalid offset of tensor '%s': it overlaps another tensor (it begins at %d, data before it ends at %d)", e.Name, e.begin, at)
		case e.begin > at:
			return fmt.Errorf("invalid offset of tensor '%s': bytes %d to %d belong to no tensor", e.Name, at, e.begin)
		case e.end-e.begin != need:
			return fmt.Errorf("tensor '%s' of dtype %s and shape %v needs %d bytes, but has %d", e.Name, e.Code, e.Shape, need, e.end-e.begin)
		}
		at = e.end
	}
	if at != int64(len(f.data)) {
		return fmt.Errorf("metadata incomplete: the tensors end at %d, the data has %d bytes", at, len(f.data))
	}
	return nil
}

func (f *stFile) bytesOf(e *stEntry) []byte { return f.data[e.begin:e.end] }

func (f *stFile) find(name string) *stEntry {
	for i := range f.Entries {
		if f.Entries[i].Name == name {
			return &f.Entries[i]
		}
	}
	return nil
}

// names lists the tensors in order of their names.
func (f *stFile) names() []string {
	out := make([]string, len(f.Entries))
	for i := range f.Entries {
		out[i] = f.Entries[i].Name
	}
	slices.Sort(out)
	return out
}

// stTensor is a tensor to write.
type stTensor struct {
	name  string
	dtype tensor.DType
	shape []int64
	raw   []byte
}

// writeSafetensors makes a file. Wider elements come first, so that all are aligned.
func writeSafetensors(ts []stTensor, meta map[string]string) ([]byte, error) {
	code := map[tensor.DType]string{}
	for c, d := range stCodes {
		code[d] = c
	}
	ts = slices.Clone(ts)
	slices.SortStableFunc(ts, func(a, b stTensor) int {
		return cmp.Or(cmp.Compare(b.dtype.Size(), a.dtype.Size()), cmp.Compare(a.name, b.name))
	})
	var head bytes.Buffer
	quote := func(s string) {
		q, _ := json.Marshal(s)
		head.Write(q)
	}
	head.WriteByte('{')
	first := true
	sep := func() {
		if !first {
			head.WriteByte(',')
		}
		first = false
	}
	if meta != nil {
		sep()
		head.WriteString(`"__metadata__":{`)
		for i, k := range sortedKeys(meta) {
			if i > 0 {
				head.WriteByte(',')
			}
			quote(k)
			head.WriteByte(':')
			quote(meta[k])
		}
		head.WriteByte('}')
	}
	at := 0
	for _, t := range ts {
		c, ok := code[t.dtype]
		if !ok {
			return nil, fmt.Errorf("safetensors has no type for torch.%s", t.dtype)
		}
		sep()
		quote(t.name)
		shape, _ := json.Marshal(append([]int64{}, t.shape...))
		fmt.Fprintf(&head, `:{"dtype":"%s","shape":%s,"data_offsets":[%d,%d]}`, c, shape, at, at+len(t.raw))
		at += len(t.raw)
	}
	head.WriteByte('}')
	for head.Len()%8 != 0 {
		head.WriteByte(' ')
	}
	out := make([]byte, 0, 8+head.Len()+at)
	out = binary.LittleEndian.AppendUint64(out, uint64(head.Len()))
	out = append(out, head.Bytes()...)
	for _, t := range ts {
		out = append(out, t.raw...)
	}
	return out, nil
}
