package repl

import (
	"os"
	"os/signal"
	"time"

	"github.com/larkspur-ml/larkspur"
)

// Exit status of a program that Ctrl-C has ended, as shells expect it.
const interrupted = 130

// repeats is the time within which a second signal is part of the first: a
// terminal and a parent process may both send one.
const repeats = 100 * time.Millisecond

// Interrupts lets Ctrl-C raise a KeyboardInterrupt in what rt runs, until stop is
// called. A second Ctrl-C before the first has been raised, or one while nothing
// runs, ends the process with status 130; quit, if not nil, is called before.
func Interrupts(rt *larkspur.Runtime, quit func()) (stop func()) {
	c := make(chan os.Signal, 4)
	signal.Notify(c, os.Interrupt)
	done := make(chan struct{})
	go func() {
		var first time.Time
		for {
			select {
			case <-done:
				return
			case <-c:
			}
			if rt.Interrupt() {
				first = time.Now()
				continue
			}
			if time.Since(first) < repeats {
				continue
			}
			if quit != nil {
				quit()
			}
			os.Exit(interrupted)
		}
	}()
	return func() {
		signal.Stop(c)
		close(done)
	}
}
