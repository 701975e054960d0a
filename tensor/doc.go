// Package tensor holds what a tensor is before any arithmetic: element types,
// devices, geometry (size, stride, offset) and the storage that geometry
// addresses.
//
//	Buffer   bytes on one device; devices implement it
//	Storage  a Buffer with an identity and a version: what views share
//	Tensor   Storage + dtype + size, stride, offset (all in elements)
//	Meta     the same geometry with sizes that may be symbolic (tensor/sym)
//
// In: dtypes and integers. Out: geometry, or an *Error worded as PyTorch words
// it. It knows no op, no language, no device but by interface.
//
// Invariants:
//  1. Strides and offsets count elements, never bytes.
//  2. len(Size) == len(Stride).
//  3. Every address that a Tensor's geometry reaches lies inside its storage.
//  4. A Meta whose sizes are constants has a concrete twin (Geometry) and back.
package tensor
