package cpu

import "unsafe"

//go:noescape
func call(fn uintptr, arg unsafe.Pointer)
