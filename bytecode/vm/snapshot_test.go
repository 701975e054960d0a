package vm_test

import (
	"bytes"
	"testing"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// rebuilt runs a program so that the thread is thrown away before every n-th
// instruction and another one goes on from its snapshot. It counts the threads.
func rebuilt(th *vm.Thread, p *bytecode.Program, mod *value.Module, n int) (threads int, err error) {
	left := 0
	stop := func(*vm.Thread) bool {
		left--
		return left < 0
	}
	th.SetStop(stop)
	left = n
	_, err = th.Exec(p, mod)
	for err == vm.ErrSuspended {
		s, failed := th.Snapshot()
		left = n
		if failed != nil {
			return threads, failed
		}
		next := vm.NewThread(vm.Options{Machine: th.SharedMachine()})
		next.Stdout = th.Stdout
		next.SetStop(stop)
		if failed := next.Restore(s); failed != nil {
			return threads, failed
		}
		th = next
		threads++
		_, err = th.Resume()
	}
	return threads, err
}

// TestRebuiltAtEveryInstruction is the proof that all state of a run is in its
// frames: nothing is lost if they are taken down and set up again anywhere.
func TestRebuiltAtEveryInstruction(t *testing.T) {
	chunks(t, func(t *testing.T, file, src, want string) {
		// Programs that run long are rebuilt less often.
		n := 1
		steps := 0
		outcome(file, src, func(th *vm.Thread) {
			th.SetStop(func(*vm.Thread) bool { steps++; return false })
		}, nil)
		if steps > 600 {
			n = steps / 300
		}
		got := outcome(file, src, nil, func(th *vm.Thread, p *bytecode.Program, mod *value.Module) error {
			_, err := rebuilt(th, p, mod, n)
			return err
		})
		compare(t, got, want)
	})
}

// TestSnapshotIsData rebuilds one snapshot twice: the second run must not see
// what the first has done to its registers.
func TestSnapshotIsData(t *testing.T) {
	p := compile(t, "x.py", `
def f(n):
    s = 0
    for i in range(n):
        s += i
    return s
r = f(100)
print(r)
`)
	var out bytes.Buffer
	machine := &vm.Machine{}
	th := vm.NewThread(vm.Options{Machine: machine})
	th.Stdout = &out
	left := 150
	th.SetStop(func(*vm.Thread) bool { left--; return left == 0 })
	if _, err := th.Exec(p, value.NewModule("x")); err != vm.ErrSuspended {
		t.Fatal(err)
	}
	s, err := th.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Frames) != 3 {
		t.Fatalf("%d frames, want entry, module, f", len(s.Frames))
	}
	for range 2 {
		th := vm.NewThread(vm.Options{Machine: machine})
		th.Stdout = &out
		if err := th.Restore(s); err != nil {
			t.Fatal(err)
		}
		if _, err := th.Resume(); err != nil {
			t.Fatal(err)
		}
	}
	if out.String() != "4950\n4950\n" {
		t.Fatalf("printed %q", out.String())
	}
}
