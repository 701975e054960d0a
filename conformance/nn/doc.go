// Package nn tests stdlib/nn, stdlib/optim and stdlib/utils; it holds no code of its own.
//
// The library's .star files are Python, so two oracles serve. compare.py loads them into CPython on the real torch's
// primitives and compares every layer, optimiser, schedule and sampler with PyTorch's own. cases.star is a program that
// prints what the library does; expected.txt is what PyTorch prints (make_expected.py writes it), and a runtime of ours
// has to print the same within the tolerance of difference_test.go.
package nn
