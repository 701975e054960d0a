package eager

import (
	"context"
	"encoding/binary"

	"github.com/larkspur-ml/larkspur/device"
	"github.com/larkspur-ml/larkspur/inductor/random"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Context is the state under which ops run: modes, defaults, memory, kernels. There is one for each interpreter thread, passed
// to every call. Its fields may be changed between calls by the goroutine that owns it.
type Context struct {
	// Ctx cancels long kernels; nil never does.
	Ctx context.Context

	GradMode  bool // record the tape (torch.is_grad_enabled)
	Inference bool // make tensors that can never be recorded

	// Autocast is the 16-bit type that torch.autocast computes products in; Invalid: off.
	Autocast tensor.DType

	Default tensor.DType  // of floating-point results of integers and numbers
	Dev     tensor.Device // where constructors put tensors

	GPU int // the GPU that "cuda" names (torch.cuda.set_device)

	Kernels *Kernels
	// Threads is the Runtime's thread budget (set_num_threads); nil where it cannot be changed.
	Threads device.Threads
	// Alloc finds the allocator of a device.
	Alloc func(tensor.Device) (tensor.Allocator, error)
	// Generators are the default random streams; missing ones are made on first use.
	Generators map[tensor.Device]*tensor.Generator
	// Seed starts them; 0: PyTorch's.
	Seed uint64
	// GPUSeed is what torch.manual_seed left for streams of GPUs that are not made yet.
	GPUSeed *uint64

	// Observer is told of everything that runs; nil when nobody records.
	Observer Observer
	// Mark is put on the nodes that are made while somebody records.
	Mark  *Mark
	sizes *trace // while sizes are traced
	// Dry computes geometry alone (dry.go).
	Dry bool

	// Applied counts the ops that were asked for.
	Applied uint64

	seq   uint64 // of the next Node
	plans *plans
	pass  *Backward // that runs
	// composing writes down the ops of a decomposition.
	composing *composing
}

// Observer is told what was applied, after it ran. A recorder appends nodes; it must not keep tensors alive longer than the program does.
type Observer interface {
	// Op: c.T are the operands, out the results; a View's result shares its operand's storage. Decompositions are reported by their
	// parts. A Write is reported as OnWrite alone.
	OnOp(c *op.Call, out []*Tensor)
	// OnWrite: src, broadcast and cast, was stored through dst's geometry. With c, src is nil and the values were those of c's
	// output, computed in place.
	OnWrite(dst, src *Tensor, c *op.Call)
	// OnRead: the host looked at t's values; what follows may depend on them.
	OnRead(t *Tensor)
	// OnData: t has just been made of values that the host gave.
	OnData(t *Tensor)
	// OnHandle: d is another handle on the memory of t, with a count of writes of its own.
	OnHandle(t, d *Tensor)
	// OnGrad: the gradient that a leaf has is about to be looked at (set false), or has just become another tensor.
	OnGrad(leaf *Tensor, set bool)
	// OnTape: a write in place is about to change the history of t, and of the tensor that it is a view of.
	OnTape(t *Tensor)
	// OnBackward: a backward pass begins through nodes that may have been made before the recording.
	OnBackward(b *Backward)
}

// NewContext makes a Context in torch's initial modes.
func NewContext(k *Kernels, alloc func(tensor.Device) (tensor.Allocator, error)) *Context {
	return &Context{GradMode: true, Default: tensor.Float32, Kernels: k, Alloc: alloc,
		Generators: map[tensor.Device]*tensor.Generator{}}
}

// Fork makes a Context for another goroutine of the same Runtime, in initial modes. It shares kernels and memory, but not the
// generators, which are not safe for concurrent use.
func (x *Context) Fork() *Context {
	n := NewContext(x.Kernels, x.Alloc)
	n.Default, n.Dev, n.Threads, n.Ctx = x.Default, x.Dev, x.Threads, x.Ctx
	return n
}

// DefaultDType implements op.Graph.
func (x *Context) DefaultDType() tensor.DType { return x.Default }

// Generator is the default random stream of a device.
func (x *Context) Generator(d tensor.Device) *tensor.Generator {
	g := x.Generators[d]
	if g == nil {
		seed := x.Seed
		if seed == 0 {
			seed = random.DefaultSeed
		}
		if d.Type == tensor.CUDA && x.GPUSeed != nil {
			seed = *x.GPUSeed
		}
		g = NewGenerator(d, seed)
		x.Generators[d] = g
	}
	return g
}

// NewGenerator makes a random stream. Its state is host memory whatever the device: it is small, and programs read it. A GPU's is
// seed and offset, as PyTorch's Philox generator has them.
func NewGenerator(d tensor.Device, seed uint64) *tensor.Generator {
	if d.Type == tensor.CUDA {
		g := &tensor.Generator{Dev: d, State: tensor.HostBuffer(make([]byte, 16))}
		ManualSeed(g, seed)
		return g
	}
	return &tensor.Generator{Dev: d, State: tensor.HostBuffer(random.New(seed).Bytes()), Seed: seed}
}

// ManualSeed restarts a stream. Those who hold the generator see it; its state buffer is replaced by its bytes.
func ManualSeed(g *tensor.Generator, seed uint64) {
	g.Seed = seed
	if g.Dev.Type == tensor.CUDA {
		binary.LittleEndian.PutUint64(g.State.Bytes(), seed)
		clear(g.State.Bytes()[8:])
		return
	}
	copy(g.State.Bytes(), random.New(seed).Bytes())
}

// SetState restores the bytes of a state (torch.set_rng_state).
func SetState(g *tensor.Generator, b []byte) error {
	if g.Dev.Type == tensor.CUDA {
		if len(b) != 16 {
			return raise(tensor.RuntimeError, "RNG state is wrong size")
		}
		g.Seed = binary.LittleEndian.Uint64(b)
		copy(g.State.Bytes(), b)
		return nil
	}
	s := random.New(0)
	if err := s.SetBytes(b); err != nil {
		return raise(tensor.RuntimeError, "%s", err)
	}
	g.Seed = s.InitialSeed()
	copy(g.State.Bytes(), s.Bytes())
	return nil
}

func (x *Context) ctx() context.Context {
	if x.Ctx == nil {
		return context.Background()
	}
	return x.Ctx
}

func (x *Context) nextSeq() uint64 {
	x.seq++
	return x.seq
}

var _ op.Graph = (*Context)(nil)
