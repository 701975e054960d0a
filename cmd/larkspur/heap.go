package main

import (
	"bytes"
	"os"
	"strconv"
)

// heapLimit is what a program's objects may take: seven eighths of the memory
// that the machine, or the control group the process is in, has; 0 where that is
// unknown. Past it the program gets MemoryError instead of the system's killer.
func heapLimit() int64 {
	limit := physicalMemory()
	if b, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64); err == nil && (limit == 0 || n < limit) {
			limit = n
		}
	}
	return limit - limit/8
}

// physicalMemory is Linux's MemTotal; 0 elsewhere.
func physicalMemory() int64 {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	f := bytes.Fields(b)
	if len(f) < 2 || string(f[0]) != "MemTotal:" {
		return 0
	}
	n, err := strconv.ParseInt(string(f[1]), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}
