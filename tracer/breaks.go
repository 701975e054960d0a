package tracer

import (
	"fmt"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// Reason says why a graph breaks at an instruction.
type Reason uint8

const (
	NoReason     Reason = iota
	Import              // modules are run where they are imported
	ClassBody           // classes are made by the interpreter
	Display             // a value is shown at the prompt
	Yield               // the region's own frame hands a value out
	Generator           // a generator that runs already, whose frame cannot be rebuilt
	Callback            // code that Go code calls
	Builtin             // a builtin that does not tell what it does
	HostFunction        // a function of the embedding program
	OutArgument         // out=
	ClassChange         // of an object's class or dict
	TensorValue         // the program looks at a tensor's elements
	TensorState         // what a tensor is to autograd, or where its memory is
	DataSize            // an op whose result's size depends on data
	OuterTape           // backward through a tape from outside the region
	KeptOut             // by torch.compiler.disable
	Compiled            // on its own, with other options
	Asked               // torch._dynamo.graph_break
	GivenUp             // a recording that cannot be finished
	numReasons
)

var reasonNames = [numReasons]string{"", "import", "class body", "display", "yield", "generator from outside", "callback", "builtin", "call of a host's function",
	"out=", "change of an object's class or dict", "value of a tensor", "tensor attribute", "size that depends on data", "backward through a tape from outside",
	"a function that torch.compiler.disable keeps out", "a function that torch.compile compiles with options of its own",
	"torch._dynamo.graph_break()", "cannot be recorded:"}

func (r Reason) String() string { return reasonNames[r] }

// cause is a reason with what it is about: the name of a builtin, an attribute, an op.
type cause struct {
	Reason Reason
	Detail string
}

func (c cause) String() string {
	if c.Detail == "" {
		return c.Reason.String()
	}
	return c.Reason.String() + " " + c.Detail
}

// A Break is a graph break: where, why, and how often it was recorded.
type Break struct {
	Reason Reason
	Detail string        // the builtin, attribute or op; "" for reasons that need none
	At     value.Entry   // the instruction
	Stack  []value.Entry // from the region's base to the instruction, of the first time
	Count  int
}

func (b *Break) String() string {
	return fmt.Sprintf("%s:%d in %s: %s", b.At.File, b.At.Line, b.At.Func, cause{b.Reason, b.Detail})
}

// Cause is the reason with what it is about.
func (b *Break) Cause() string { return cause{b.Reason, b.Detail}.String() }

// breakKey tells breaks apart.
type breakKey struct {
	at    value.Entry
	cause cause
}

// stack is where control stands, from the region's base on.
func (r *recorder) stack() []value.Entry {
	var out []value.Entry
	for i := r.base; i <= min(r.cur.depth, r.th.Depth()); i++ {
		f := r.th.FrameAt(i)
		if f.Code == nil {
			continue
		}
		pc := f.PC - 1
		if i == r.cur.depth {
			pc = r.cur.pc
		}
		s := f.Code.At(pc)
		out = append(out, value.Entry{File: f.Code.Program.File, Line: int(s.Start.Line), Col: int(s.Start.Col),
			EndLine: int(s.End.Line), EndCol: int(s.End.Col), Func: f.Code.QualName})
	}
	return out
}

// noteBreak counts a break at the current instruction.
func (r *recorder) noteBreak(why cause) {
	stack := r.stack()
	at := stack[len(stack)-1]
	k := breakKey{at, why}
	r.tr.mu.Lock()
	b := r.tr.breaks[k]
	if b == nil {
		b = &Break{Reason: why.Reason, Detail: why.Detail, At: at, Stack: stack}
		r.tr.breaks[k] = b
	}
	b.Count++
	r.tr.mu.Unlock()
	if r.reg.mark != nil {
		r.reg.mark.broke(&Break{Reason: why.Reason, Detail: why.Detail, At: at, Stack: stack, Count: 1})
	}
	r.tr.dump("breaks", at.Func, func() string { return b.String() + "\n" })
}
