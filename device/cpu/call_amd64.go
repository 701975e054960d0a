package cpu

import "unsafe"

//go:noescape
func call(fn uintptr, arg unsafe.Pointer)

//go:noescape
func callDeep(fn uintptr, arg unsafe.Pointer)
