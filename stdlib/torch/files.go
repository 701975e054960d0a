package torch

import "embed"

// Files are the parts of torch that are written in the language: a.star is the
// module torch.a. Root hands them to the loader.
//
//go:embed all:*.star all:_dynamo all:jit
var Files embed.FS
