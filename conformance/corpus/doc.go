// Corpus reads Python model sources that are not part of this project and reports how far
// Larkspur gets with each: does it parse, does it compile, does it import.
//
//	go run ./conformance/corpus [-packages DIR] [-open DIR [-list FILE]] > conformance/corpus/report.txt
//
// DIR of -packages holds torchvision/models and torch/nn/modules, as Debian's python3-torchvision
// and python3-torch install them; DIR of -open holds model files of public repositories, each at
// OWNER/NAME/PATH. Nothing of them is kept here but the report: a line a file, and what stops it.
//
// torchvision's models import as the package that they are, except that torchvision/__init__.py, which
// wants video and a C++ extension, is replaced by an empty one, so is what looks for that extension, and PIL, which is C, by names that do nothing. torch.nn's modules
// import as orig.nn.modules, beside a package orig that stands for the rest of torch and is Larkspur's own.
package main
