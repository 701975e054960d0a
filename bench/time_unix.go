//go:build unix

package main

import (
	"syscall"
	"time"
)

// processTime is the CPU time of all threads of this process.
func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		check(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
