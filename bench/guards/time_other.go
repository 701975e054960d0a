//go:build !unix

package main

import "time"

var began = time.Now()

// cpuTime is the time since the start: there is no clock of the process.
func cpuTime() float64 { return float64(time.Since(began)) }
