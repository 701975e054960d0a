//go:build amd64 && (darwin || freebsd || netbsd || openbsd)

package cpu

// newArena: no memory that can be mapped twice without a file.
func newArena() *arena { return nil }
