package cpu

import "syscall"

// physical is the machine's memory in bytes. More than that is refused even without a limit: the Go runtime cannot report that the
// system has none left, it ends the process.
func physical() int64 {
	var s syscall.Sysinfo_t
	if syscall.Sysinfo(&s) != nil {
		return unknownMemory
	}
	return int64(uint64(s.Totalram) * uint64(s.Unit))
}
