//go:build !amd64

package cpu

import "unsafe"

func call(uintptr, unsafe.Pointer) { panic(errNoCode) }

func callDeep(uintptr, unsafe.Pointer) { panic(errNoCode) }
