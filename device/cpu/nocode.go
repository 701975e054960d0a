//go:build !amd64 || !(linux || darwin || freebsd || netbsd || openbsd)

package cpu

import "errors"

// errNoCode says why LoadCode fails on this platform.
var errNoCode = errors.New("machine code is not available on this platform")
