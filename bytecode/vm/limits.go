package vm

import "github.com/larkspur-ml/larkspur/lang/value"

// SetStepLimit starts a new count of steps, bounded by n; 0: no bound. It is to
// be called between runs.
func (th *Thread) SetStepLimit(n uint64) {
	th.Steps, th.StepLimit = 0, n
	th.clearInterrupt(value.InterruptLimit)
	th.refuel()
}
