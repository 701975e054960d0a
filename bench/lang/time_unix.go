//go:build unix

package main

import "syscall"

// processTime is the CPU time of all threads of this process, in seconds.
func processTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		check(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
