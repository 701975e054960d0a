//go:build !unix

package py

import "time"

// waits reports that for a while there has been nothing to read. Here nobody can tell.
func waits(uintptr, time.Duration) bool { return false }
