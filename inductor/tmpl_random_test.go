package inductor

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/inductor/random"
	"github.com/larkspur-ml/larkspur/tensor"
)

// TestRandomTemplates holds the templates against PyTorch's draws, and the
// generator's state after them against its next draw.
func TestRandomTemplates(t *testing.T) {
	data, err := os.ReadFile("testdata/random.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Template, DType string
		Size, Stride    []int64
		Nums, In, Want  []float64
		Flags           []bool
		InSize          []int64 `json:"in_size"`
		InDType         string  `json:"in_dtype"`
		Next            float32
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	operand := func(dtype string, size, stride []int64) loop.Operand {
		d, ok := tensor.ParseDType(dtype)
		if !ok {
			t.Fatal(dtype)
		}
		o := loop.Operand{DType: d, Size: size, Stride: stride}
		if stride == nil {
			o.Stride = make([]int64, len(size))
			s := int64(1)
			for i := len(size) - 1; i >= 0; i-- {
				o.Stride[i] = s
				s *= size[i]
			}
		}
		o.Mem = loop.MemOf(make([]byte, o.Numel()*int64(d.Size())), d)
		return o
	}
	for _, c := range cases {
		o := operand(c.DType, c.Size, c.Stride)
		a := &loop.TemplateArgs{Out: []loop.Operand{o}, Flags: c.Flags, State: random.New(7).Bytes(), Parallel: loop.Inline}
		for _, n := range c.Nums {
			if n == math.Trunc(n) {
				a.Nums = append(a.Nums, tensor.Int(int64(n)))
			} else {
				a.Nums = append(a.Nums, tensor.Float(n))
			}
		}
		if c.In != nil {
			in := operand(c.InDType, c.InSize, nil)
			for i, v := range c.In {
				putRand(&in, int64(i), v)
			}
			a.In = append(a.In, in)
		}
		if err := loop.Portable().Template(c.Template)(a); err != nil {
			t.Fatalf("%s: %v", c.Template, err)
		}
		for i, want := range c.Want {
			off := int64(0)
			for d, q := len(c.Size)-1, int64(i); d >= 0; d-- {
				off += q % c.Size[d] * o.Stride[d]
				q /= c.Size[d]
			}
			var got float64
			switch o.DType {
			case tensor.Int64:
				got = float64(*(*int64)(randElem(&o, off)))
			case tensor.Int32:
				got = float64(*(*int32)(randElem(&o, off)))
			default:
				got = getRate(&o, off)
			}
			// float64 elementary functions may differ from glibc's in the last bit
			if got != want && !(o.DType == tensor.Float64 && math.Abs(got-want) <= 0x1p-52*math.Abs(want)) {
				t.Errorf("%s %s %v: element %d is %v, want %v", c.Template, c.DType, c.Size, i, got, want)
				break
			}
		}
		s := random.New(0)
		if err := s.SetBytes(a.State); err != nil {
			t.Fatal(err)
		}
		if got := s.Float01(); got != c.Next {
			t.Errorf("%s %s %v: the next draw is %v, want %v", c.Template, c.DType, c.Size, got, c.Next)
		}
	}
}

func TestRandomErrors(t *testing.T) {
	o := loop.Operand{DType: tensor.Float32, Size: []int64{2}, Stride: []int64{1}, Mem: loop.MemOf(make([]byte, 8), tensor.Float32)}
	state := random.New(1).Bytes()
	a := &loop.TemplateArgs{Out: []loop.Operand{o}, Nums: []tensor.Number{tensor.Float(2), tensor.Int(1)}, State: state}
	for _, name := range []string{"random_bernoulli", "random_int"} {
		if err := loop.Portable().Template(name)(a); err == nil {
			t.Errorf("%s accepts %v", name, a.Nums)
		}
		if string(state) != string(random.New(1).Bytes()) {
			t.Errorf("%s drew before it failed", name)
		}
	}
}
