// Package utils holds torch.utils, written in the model language: datasets, samplers and the DataLoader.
//
// The files arrive as text in Files; whoever builds a runtime hands them to the loader under the package name
// torch.utils, where a/b.star is the module torch.utils.a.b and a/__init__.star is torch.utils.a.
package utils

import "embed"

// Files is the source of torch.utils, with the package's own __init__.star at its root.
//
//go:embed all:*.star all:data
var Files embed.FS
