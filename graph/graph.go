package graph

import (
	"context"

	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Graph is a list of nodes in execution order.
type Graph struct {
	Ctx     *sym.Ctx // nil: all sizes are constants
	Inputs  []*Value
	Nodes   []*Node
	Outputs []*Value
	Nums    int // number slots: run-time Python numbers
	States  int // generator states, in order of use
	values  int
}

// Value is the flat memory of a storage.
type Value struct {
	ID    int
	DType tensor.DType
	Len   sym.Int // elements; 0 for inputs and outputs whose buffer says it
	Node  *Node   // nil: an input
	Out   int     // output of Node, or position among the inputs
}

// Operand is a Value through geometry. Value nil: an absent optional operand, or
// a number (Num).
type Operand struct {
	Value *Value
	tensor.Meta
	Num bool
}

// Node applies a Def.
type Node struct {
	ID   int
	Call *op.Call
	In   []Operand
	Out  []*Value
	// OutMeta is the geometry that output j is written through. It may cover
	// less than the Value where a caller gives the memory (in-place, out=).
	OutMeta []tensor.Meta
	// Num is the first of the node's number slots; they follow Call.Numbers.
	Num int
	// Fixed: the node's numbers are constants, those of Call; it takes no slots.
	Fixed bool
	// State is the node's generator slot, -1 for none.
	State int
	// Target: this is a put; operand 1 is written into a copy of operand 0
	// through this geometry.
	Target *tensor.Meta
	// Iter is the iteration space where it is already known (Spec); nil: derived.
	Iter *Iter
}

// Compiler turns graphs into code; package inductor implements it.
type Compiler interface {
	Compile(ctx context.Context, g *Graph) (Executable, error)
}

// Executable is a compiled graph. Run is re-entrant: it keeps no state.
type Executable interface {
	Run(ctx context.Context, a *RunArgs) error
	// Dump prints a stage: "loops", "plan".
	Dump(stage string) string
}

// InPlacer is an Executable that knows which outputs may have the memory of inputs.
type InPlacer interface {
	// InPlace reports that output out may have the memory of input in, or, where in is
	// negative, memory that holds what a failing run has to leave: nothing fails once
	// it has been written. The caller sets RunArgs.InPlace where it does so.
	InPlace(out, in int) bool
}

// RunArgs is what one run gets. The caller keeps the buffers alive.
type RunArgs struct {
	In    []tensor.Buffer // by Graph.Inputs
	Out   []tensor.Buffer // by Graph.Outputs; an output may be the same buffer as an input where the graph says it is written in place
	Bind  []int64         // by Graph.Ctx symbols
	Nums  []tensor.Number // by number slot
	State []tensor.Buffer // generator states
	// InPlace: some outputs are as InPlacer allows; the run is not interrupted once it
	// has written the first.
	InPlace bool
}

// NewInput adds an input of n elements.
func (g *Graph) NewInput(d tensor.DType, n sym.Int) *Value {
	v := &Value{ID: g.values, DType: d, Len: n, Out: len(g.Inputs)}
	g.values++
	g.Inputs = append(g.Inputs, v)
	return v
}

// Add appends a node whose Call and In are set, and makes its output values.
// OutMeta defaults to the Call's.
func (g *Graph) Add(n *Node) *Node {
	n.ID = len(g.Nodes)
	if n.OutMeta == nil {
		n.OutMeta = n.Call.Out
	}
	for j := range n.Call.Out {
		v := &Value{ID: g.values, DType: n.Call.Out[j].DType, Node: n, Out: j}
		g.values++
		n.Out = append(n.Out, v)
	}
	g.Nodes = append(g.Nodes, n)
	return n
}
