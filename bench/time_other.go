//go:build !unix

package main

import "time"

// processTime is time that passes where CPU time is not to be had.
func processTime() time.Duration { return time.Since(begun) }
