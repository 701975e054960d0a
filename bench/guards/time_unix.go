//go:build unix

package main

import "syscall"

// cpuTime is the CPU time of this thread's process, in nanoseconds: other processes
// do not count.
func cpuTime() float64 {
	var u syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Nano() + u.Stime.Nano())
}
