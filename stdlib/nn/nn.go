// Package nn holds torch.nn, written in the model language: layers, losses, initialisation and torch.nn.functional.
//
// The files stand on the torch module and on torch._C._nn alone. They arrive as text in Files; whoever builds a
// runtime hands them to the loader under the package name torch.nn, where a/b.star is the module torch.nn.a.b and
// a/__init__.star is torch.nn.a.
package nn

import "embed"

// Files is the source of torch.nn, with the package's own __init__.star at its root.
//
//go:embed all:*.star all:attention all:modules all:parallel all:utils
var Files embed.FS
