package cpu

import "golang.org/x/sys/unix"

// newArena is an arena over memory files, or nil where the kernel's policy
// refuses them or their execution.
func newArena() *arena {
	a := &arena{grow: func(n int) *chunk {
		fd, err := unix.MemfdCreate("larkspur-code", unix.MFD_CLOEXEC|unix.MFD_EXEC)
		if err == unix.EINVAL { // a kernel from before the flag
			fd, err = unix.MemfdCreate("larkspur-code", unix.MFD_CLOEXEC)
		}
		if err != nil {
			return nil
		}
		defer unix.Close(fd)
		if unix.Ftruncate(fd, int64(n)) != nil {
			return nil
		}
		w, err := unix.Mmap(fd, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			return nil
		}
		x, err := unix.Mmap(fd, 0, n, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_SHARED)
		if err != nil {
			unix.Munmap(w)
			return nil
		}
		return &chunk{write: w, exec: x}
	}}
	c := a.grow(chunkSize)
	if c == nil {
		return nil
	}
	a.chunks = []*chunk{c}
	return a
}
