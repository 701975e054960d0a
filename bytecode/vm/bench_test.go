package vm_test

import (
	"testing"

	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// BenchmarkPaths has what the machine has short cuts for: time and allocations of
// one round of a loop that does little else.
func BenchmarkPaths(b *testing.B) {
	const setup = `
class Point:
    kind = 1
    def __init__(self, x): self.x = x
    def get(self): return self.x
    @property
    def p(self): return self.x
many = [type("P%d" % i, (Point,), {})(i) for i in range(8)]
point, two, numbers, pairs = Point(1), many[:2], [1, 2, 3, 4], {1: 2, 3: 4}
def fail(): raise ValueError("no")
`
	for _, c := range []struct{ name, body string }{
		{"Loop", "pass"},
		{"AttrOfOneShape", "point.x"},
		{"AttrOfTwoShapes", "two[i & 1].x"},
		{"AttrOfEightShapes", "many[i & 7].x"},
		{"ClassAttr", "point.kind"},
		{"SetAttr", "point.x = i"},
		{"Property", "point.p"},
		{"MethodOfOneShape", "point.get()"},
		{"MethodOfEightShapes", "many[i & 7].get()"},
		{"Construct", "Point(i)"},
		{"Builtin", "len(numbers)"},
		{"BuiltinMethod", "pairs.get(1, 0)"},
		{"InnerRange", "for j in range(1): pass"},
		{"ListIndex", "numbers[-1]"},
		{"ListSlice", "numbers[1:3]"},
		{"ListOfTwo", "[i, i]"},
		{"TupleOfTwo", "(i, i)"},
		{"Pairs", "for j, k in pairs.items(): pass"},
		{"RaiseAndCatch", "try: fail()\n        except ValueError: pass"},
	} {
		b.Run(c.name, func(b *testing.B) {
			machine := &vm.Machine{}
			mod := load(b, machine, setup+"def main(n):\n    for i in range(n):\n        "+c.body+"\n")
			main := get(b, mod, "main")
			th := vm.NewThread(vm.Options{Machine: machine})
			run := func(n int) {
				if _, err := th.Call(main, []value.Value{value.Int(int64(n))}, nil); err != nil {
					b.Fatal(err)
				}
			}
			run(100)
			b.ReportAllocs()
			b.ResetTimer()
			run(b.N)
		})
	}
}
