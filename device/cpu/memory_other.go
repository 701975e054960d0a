//go:build !linux

package cpu

func physical() int64 { return unknownMemory }
