//go:build !(amd64 && (linux || darwin || freebsd || netbsd || openbsd))

package cpu

func publish([]byte) (uintptr, func(), error) { return 0, nil, errNoCode }
