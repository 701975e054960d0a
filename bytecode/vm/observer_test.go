package vm_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// notebook writes down what it is told and changes nothing.
type notebook struct {
	reads, absent, writes, born, calls int
	lines                              []string
	keep                               bool
}

func (n *notebook) note(what string, step value.Step, key value.Value) {
	if n.keep {
		k := ""
		if !key.IsUnset() {
			k = " " + key.Starlark().String()
		}
		n.lines = append(n.lines, fmt.Sprintf("%s %s%s", what, step, k))
	}
}
func (n *notebook) Read(obj value.Value, step value.Step, key, got value.Value) value.Value {
	n.reads++
	n.note("read", step, key)
	return got
}
func (n *notebook) Absent(obj value.Value, step value.Step, key value.Value) {
	n.absent++
	n.note("absent", step, key)
}
func (n *notebook) Outcome(obj value.Value, step value.Step, key value.Value, result bool) {
	n.note(fmt.Sprint("outcome ", result), step, value.Value{})
}
func (n *notebook) Write(obj value.Value, step value.Step, key, old, new value.Value) {
	n.writes++
	n.note("write", step, key)
}
func (n *notebook) Born(obj value.Value) { n.born++ }
func (n *notebook) Call(fn value.Value, args []value.Value, kw []value.Kwarg) error {
	n.calls++
	return nil
}
func (n *notebook) Printed(text value.Value)               {}
func (n *notebook) Result(b *value.Builtin, v value.Value) {}

// TestObserved runs the chunks under an observer: all reads and writes go by
// other ways then, with the same outcome.
func TestObserved(t *testing.T) {
	total := &notebook{}
	chunks(t, func(t *testing.T, file, src, want string) {
		compare(t, outcome(file, src, func(th *vm.Thread) { th.Observer = total }, nil), want)
	})
	if total.reads == 0 || total.absent == 0 || total.writes == 0 || total.born == 0 || total.calls == 0 {
		t.Errorf("the observer was told too little: %+v", *total)
	}
}

// TestObserverHearsAll lists what a small function reads and writes.
func TestObserverHearsAll(t *testing.T) {
	mod := load(t, &vm.Machine{}, `
class C: pass
o = C()
o.n = 1
l = [10, 20]
d = {"k": 5}
def outer():
    c = 7
    def f():
        o.n = o.n + l[1] + d["k"] + c
        d["new"] = 2
        for x in l: pass
        return None
    return f
f = outer()
`)
	th := vm.NewThread(vm.Options{})
	n := &notebook{keep: true}
	f := get(t, mod, "f")
	th.Observer = n
	if _, err := th.Call(f, nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`read global "o"`, `read attr "n"`, `read global "l"`, `read item 1`, `read item "k"`, `read cell`,
		`write attr "n"`, `write item "new"`, `read item 0`, `absent item 2`,
	} {
		if !slices.Contains(n.lines, want) {
			t.Errorf("not told of: %s\ntold: %q", want, n.lines)
		}
	}
}
