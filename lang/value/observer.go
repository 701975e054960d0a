package value

// Step says how something was reached from its parent. A source, in the sense
// of a recorder, is a chain of steps from a frame or a module.
type Step uint8

const (
	StepArg     Step = iota // argument: key int
	StepLocal               // local of a frame: key int; absent = unset
	StepGlobal              // global of a module: key str
	StepCell                // contents of a cell
	StepAttr                // attribute stored on an instance, class or module: key str
	StepItem                // element of a list, value of a dict: key any
	StepHas                 // whether a key is in a dict or set: key any, value bool
	StepLen                 // number of elements
	StepOrder               // the keys of a dict or set in their order
	StepType                // the class of an object
	StepIs                  // whether two objects are one: key the other, value bool
	StepIter                // item k of an iterator: key int; absent = exhausted
	StepTruth               // outcome of a truth test that the value itself does not show
	StepCompare             // outcome of a comparison: key the right operand, value bool
	StepBase                // the bases or method resolution order of a class
	StepNative              // state behind a native object, named by key
)

var stepNames = [...]string{"arg", "local", "global", "cell", "attr", "item", "has", "len", "order",
	"type", "is", "iter", "truth", "compare", "base", "native"}

func (s Step) String() string { return stepNames[s] }

// Observer is told what the running program reads of mutable state and what it
// writes. It is nil almost always, and each hook is one nil check then.
// Immediates need no provenance: who reads one is told where from, and guards it.
type Observer interface {
	// Read: obj's key had value got. What Read returns is used in its place
	// (got itself, or a symbolic number that stands for it).
	Read(obj Value, step Step, key, got Value) Value
	// Absent: obj had no such key, attribute, item; or it was unset, or the
	// iterator was exhausted.
	Absent(obj Value, step Step, key Value)
	// Outcome: a test of obj (and key) came out so.
	Outcome(obj Value, step Step, key Value, result bool)
	// Write comes before the store. old or new is unset where the key is
	// absent before or removed by the write. key is unset and step StepOrder
	// where the container is changed as a whole (sort, reverse, clear).
	Write(obj Value, step Step, key, old, new Value)
	// Born: obj was made just now by the running program.
	Born(obj Value)
	// Call: a builtin, a foreign callable or a native operation is about to
	// run. An error is raised in place of the call; *Given is its result.
	Call(fn Value, args []Value, kw []Kwarg) error
	// Result: a builtin has returned v.
	Result(b *Builtin, v Value)
	// Printed: text goes to the output next.
	Printed(text Value)
}

// Symbolic is implemented by the values that an Observer returns in place of
// numbers and strings. Operators hand operations on them to it; whoever needs
// the concrete value calls Concrete, which is what guards it.
type Symbolic interface {
	Concrete() Value
	// Binary, Unary and Compare return the unset Value if they cannot express
	// the operation, which is then done on concrete values.
	Binary(t *Thread, op Op, x, y Value) (Value, error)
	Unary(t *Thread, op Op, x Value) (Value, error)
	Compare(t *Thread, op Cmp, x, y Value) (Value, error)
	Format(t *Thread, x Value, spec string) (Value, error)
}

// Given is returned by Observer.Call as an error where the observer has done the
// call itself.
type Given struct{ Value Value }

func (*Given) Error() string { return "BUG: a result was taken for an error" }

// Converted is a Symbolic value that int, float and str ask; the result is unset where
// it cannot express the conversion.
type Converted interface {
	Convert(t *Thread, c *Class) (Value, error)
}

// Indexer is a Symbolic int that may index a list of n elements without telling its
// value: the read of the element that follows is of an element that varies.
type Indexer interface {
	IndexOf(list Value, n int) (i int, ok bool)
}

// Hinted is a Symbolic value that tells the value at hand without guarding it.
type Hinted interface{ Hint() Value }

// Flags of mutable objects. Fast paths test the whole word against zero.
const (
	FlagFrozen    uint32 = 1 << iota // writes raise
	FlagWatched                      // Watch is set: writes of marked slots fire
	FlagIterating                    // strict dialect: an iterator is open, writes raise
)

// Watch marks slots of one object whose change somebody wants to know of. Bit
// k stands for slot k; bit 63 for slots from 63 on, and for an object's
// length, order or absence of attributes as a whole.
type Watch struct {
	Bits  uint64
	Owner Watcher
}

// WatchShape is the bit that stands for everything but single low slots.
const WatchShape = 63

// Watcher is told that a marked slot has changed. The store has been done.
type Watcher interface {
	Fired(w *Watch, slot int)
}

// Fire tells the owner of a change of slot.
func (w *Watch) Fire(slot int) {
	if slot > WatchShape {
		slot = WatchShape
	}
	if w != nil && w.Bits>>uint(slot)&1 != 0 {
		w.Owner.Fired(w, slot)
	}
}
