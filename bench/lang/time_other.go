//go:build !unix

package main

import "time"

var start = time.Now()

// processTime is wall time where CPU time is not to be had.
func processTime() float64 { return time.Since(start).Seconds() }
