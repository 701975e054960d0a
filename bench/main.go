// Bench measures Larkspur beside the peers that the machine has:
//
//	go run ./bench cpu [-only REGEXP] [-rounds 9] [-threads 2] [-json FILE] [-target auto]
//
// Each case is a program text (cases/*.py) that Larkspur and python3-torch both
// run, in this process and in a child. The two take turns, each for some tens of
// milliseconds a round, and what counts is the median of the rounds' ratios: a
// machine that is shared slows both. On a very busy one, -cputime -threads 1 counts
// time on processors. Results are compared before anything is timed.
//
// The columns: Larkspur with --jit=sync after warm-up, with --jit=off, the peer,
// the peer's time over each, and cold, the time of the first four calls beyond what
// they take later (first runs of kernels, recording and compilation).
//
// Peaks of the machine (peak.go) are measured in the same run with a few
// instructions of machine code: multiply-adds in registers, and the triad
// a[i] = b[i] + s c[i] from memory.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "cpu" {
		check(cpuMain(os.Args[2:]))
		return
	}
	fmt.Fprintln(os.Stderr, "usage: bench cpu [flags]; bench cpu -h lists them. Others: go run ./bench/lang")
	os.Exit(2)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
