package guards

import (
	"github.com/larkspur-ml/larkspur/lang/value"
)

// A Load says where a guard's value comes from.
type Load uint8

const (
	LoadNone   Load = iota // the guard has no value of its own: A itself is tested
	LoadReg                // register J of frame I, counted from the region's base
	LoadFn                 // function of frame I
	LoadGlobal             // global Name of module A
	LoadSlot               // attribute Name stored in instance A
	LoadItem               // element J of list A
	LoadKey                // value of key B in dict A
	LoadCell               // content of cell A
	LoadFnCell             // cell J of function A
	LoadFnDef              // default J of function A
	LoadTuple              // element J of tuple A
	LoadBound              // J = 0: receiver, 1: function of bound method A
	LoadGrad               // gradient of tensor A; None if there is none
	LoadList               // J = 0: container that iterator A walks
	LoadNext               // the item that iterator A will give after J others
	LoadBase               // payload of instance A: a list, dict, tuple, number or text
	LoadMode               // the thread's modes, as one value
	LoadInner              // iterator J from which iterator A draws
	LoadCount              // the next number of enumerate A
	LoadSize               // size J of tensor A; J = -1: the elements of its memory
	LoadLen                // length of list, dict or set A
	LoadExpr               // the value of Expr
	numLoads
)

// A Test says what must hold of a guard's value.
type Test uint8

const (
	TestNone     Test = iota
	TestEqual         // equals the immediate Want
	TestIs            // is the object Want
	TestUnset         // there is no value: local unset, global or attribute or key absent
	TestInt           // an int of the machine's range
	TestFloat         // a float
	TestType          // an object of built-in type Itab
	TestShape         // an instance with shape Shape
	TestVersion       // A, a class, has version Version
	TestTuple         // a tuple of J2 elements
	TestFunc          // the function Want, nothing of it changed
	TestCode          // a function of code Code, without defaults
	TestTensor        // a tensor with shape Shape and metadata Meta
	TestLen           // a list, dict or set of J2 elements
	TestOrder         // a dict or set with exactly these keys in this order
	TestHas           // key B is in dict or set A
	TestHasNot        // key B is not in dict or set A
	TestEnd           // iterator A gives J items, then ends
	TestSame          // A and B are the same object
	TestDistinct      // A and B are not the same object
	TestStorage       // tensors A and B share a storage
	TestApart         // tensors A and B share no memory
	TestTrue          // Expr is true
	TestFalse         // Expr is false
	TestWritable      // A is not frozen
	TestMode          // the modes are Mode
	numTests
)

// A Guard is one load and one test.
type Guard struct {
	Load Load
	Test Test
	A, B Ref
	I, J int
	J2   int
	Name string
	// Dst is the number under which the value is kept; -1: it is not.
	Dst int

	Want    value.Value
	Itab    uint64
	Shape   *value.Shape
	Version uint32
	Meta    any // TensorMeta of the world's own, compared by Tensors
	Code    any
	State   any // of a function
	Mode    any
	Keys    []value.Value
	Expr    *Expr
	Index   *Expr // of LoadItem, TestEnd: in place of J

	// Source names what is loaded, for messages and for learning.
	Source *Source
	Why    string
}

var loadNames = [numLoads]string{"", "local", "function", "global", "attribute", "item", "key", "cell content", "cell", "default",
	"element", "bound", "grad", "container", "next item", "payload", "modes", "inner iterator", "count", "size", "length", "expression"}

var testNames = [numTests]string{"", "equal", "identity", "unset", "int", "float", "type", "shape", "class version", "tuple length",
	"function", "code", "tensor", "length", "key order", "key present", "key absent", "iterator end", "same object", "distinct objects",
	"same storage", "distinct storages", "outcome true", "outcome false", "writable", "modes"}

func (l Load) String() string { return loadNames[l] }
func (t Test) String() string { return testNames[t] }

// Tests lists the kinds of tests, for ablation.
func Tests() []Test {
	var all []Test
	for t := TestEqual; t < numTests; t++ {
		all = append(all, t)
	}
	return all
}
