package torch

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/tensor"
)

// stBytes is a file with the given header and number of bytes of data.
func stBytes(header string, data int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	b = append(b, header...)
	for i := range data {
		b = append(b, byte(i))
	}
	return b
}

func TestSafetensorsCorrupt(t *testing.T) {
	entry := func(dtype, shape, offsets string) string {
		return `{"w":{"dtype":"` + dtype + `","shape":` + shape + `,"data_offsets":` + offsets + `}}`
	}
	long := binary.LittleEndian.AppendUint64(nil, 1<<40)
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "header too small"},
		{"seven bytes", make([]byte, 7), "header too small"},
		{"length beyond the file", stBytes(`{}`, 0)[:9], "invalid header length"},
		{"huge length", append(long, '{'), "header too large"},
		{"no header", make([]byte, 8), "invalid header start"},
		{"not an object", stBytes(`[1]`, 0), "invalid header start"},
		{"not UTF-8", stBytes("{\"\xff\":1}", 0), "not UTF-8"},
		{"bad JSON", stBytes(`{"w":`, 0), "invalid JSON"},
		{"text behind", stBytes(`{} x`, 0), "invalid JSON"},
		{"entry is a number", stBytes(`{"w":3}`, 0), "tensor 'w'"},
		{"no offsets", stBytes(`{"w":{"dtype":"F32","shape":[1]}}`, 4), "needs dtype, shape and two data_offsets"},
		{"one offset", stBytes(entry("F32", "[1]", "[0]"), 4), "two data_offsets"},
		{"unknown dtype", stBytes(entry("Q4", "[1]", "[0,1]"), 1), "unknown dtype 'Q4'"},
		{"truncated data", stBytes(entry("F32", "[2,3]", "[0,24]"), 23), "invalid offset of tensor 'w'"},
		{"trailing data", stBytes(entry("F32", "[1]", "[0,4]"), 5), "metadata incomplete"},
		{"wrong size", stBytes(entry("F32", "[2]", "[0,4]"), 4), "needs 8 bytes, but has 4"},
		{"negative dimension", stBytes(entry("F32", "[-1]", "[0,4]"), 4), "negative dimension"},
		{"overflowing shape", stBytes(entry("F32", "[4611686018427387904,4611686018427387904]", "[0,4]"), 4), "too many elements"},
		{"negative offset", stBytes(entry("F32", "[1]", "[-4,0]"), 0), "invalid offset"},
		{"offsets swapped", stBytes(entry("F32", "[1]", "[4,0]"), 4), "invalid offset"},
		{"hole", stBytes(entry("F32", "[1]", "[4,8]"), 8), "belong to no tensor"},
		{"overlap", stBytes(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}}`, 6), "overlaps another tensor"},
		{"twice", stBytes(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 2), "occurs twice"},
		{"metadata of numbers", stBytes(`{"__metadata__":{"a":1}}`, 0), "__metadata__"},
		{"fraction", stBytes(entry("F32", "[1.5]", "[0,4]"), 4), "tensor 'w'"},
	} {
		_, err := parseSafetensors(c.file)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

func TestSafetensorsRoundTrip(t *testing.T) {
	in := []stTensor{
		{"b", tensor.Uint8, []int64{3}, []byte{1, 2, 3}},
		{"a", tensor.Float32, []int64{1, 2}, []byte{0, 0, 128, 63, 0, 0, 0, 64}},
		{"scalar \"quoted\"", tensor.Int64, nil, make([]byte, 8)},
		{"none", tensor.BFloat16, []int64{0, 4}, nil},
	}
	b, err := writeSafetensors(in, map[string]string{"format": "pt"})
	if err != nil {
		t.Fatal(err)
	}
	if n := binary.LittleEndian.Uint64(b); n%8 != 0 {
		t.Errorf("header of %d bytes: the data is not aligned", n)
	}
	f, err := parseSafetensors(b)
	if err != nil {
		t.Fatal(err)
	}
	if f.Metadata["format"] != "pt" || len(f.Entries) != len(in) {
		t.Errorf("got %v, %v", f.Metadata, f.Entries)
	}
	for _, want := range in {
		e := f.find(want.name)
		if e == nil || e.DType != want.dtype || !slices.Equal(e.Shape, append([]int64{}, want.shape...)) || !bytes.Equal(f.bytesOf(e), want.raw) {
			t.Errorf("%s: got %+v", want.name, e)
		}
	}
}

func FuzzSafetensors(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(stBytes(`{}`, 0))
	f.Add(stBytes(`{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"__metadata__":{"a":"b"}}`, 8))
	f.Add(stBytes(`{"w":{"dtype":"F8_E4M3","shape":[2,0],"data_offsets":[0,0]}}`, 0))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := parseSafetensors(b)
		if err != nil {
			return
		}
		// What is accepted can be read, and written again with the same content.
		var ts []stTensor
		total := 0
		for i := range file.Entries {
			e := &file.Entries[i]
			raw := file.bytesOf(e)
			total += len(raw)
			if e.DType == tensor.Invalid {
				return
			}
			ts = append(ts, stTensor{e.Name, e.DType, e.Shape, raw})
		}
		if total != len(file.data) {
			t.Fatalf("%d bytes in tensors, %d in the file", total, len(file.data))
		}
		out, err := writeSafetensors(ts, file.Metadata)
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseSafetensors(out)
		if err != nil {
			t.Fatalf("%v\n%q", err, out)
		}
		for _, x := range ts {
			e := again.find(x.name)
			if e == nil || !bytes.Equal(again.bytesOf(e), x.raw) || e.DType != x.dtype || !slices.Equal(e.Shape, x.shape) {
				t.Fatalf("%q came back as %+v", x.name, e)
			}
		}
	})
}
