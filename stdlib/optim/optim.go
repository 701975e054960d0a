// Package optim holds torch.optim, written in the model language: optimisers and learning-rate schedules.
//
// Every update is made of ordinary tensor operations, so that a recording of a training step contains it. The files
// arrive as text in Files; whoever builds a runtime hands them to the loader under the package name torch.optim, where
// a.star is the module torch.optim.a.
package optim

import "embed"

// Files is the source of torch.optim, with the package's own __init__.star at its root.
//
//go:embed all:*.star
var Files embed.FS
