//go:build unix

package py

import (
	"time"

	"golang.org/x/sys/unix"
)

// waits reports that for a while there has been nothing to read, not even an end.
func waits(fd uintptr, d time.Duration) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(d.Milliseconds()))
	return n == 0 && err == nil || err == unix.EINTR || err == unix.EAGAIN
}
