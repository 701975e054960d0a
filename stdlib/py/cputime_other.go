//go:build !unix

package py

import "time"

var began = time.Now()

// cpuTime stands in for the processor time of the process: the time since it began.
func cpuTime() time.Duration { return time.Since(began) }
