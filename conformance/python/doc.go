// Package python holds small programs of the model dialect, NAME.py, with what
// CPython 3.11 prints for each, NAME.out, made by make_expected.py. The test runs
// every program in a fresh runtime, interpreted, and compares standard output and
// the traceback of what ended it line for line.
//
// cases/AREA.py holds many small cases of one area, with a blank line between them, and cases/AREA.out
// what CPython prints for each, made by make_cases.py. Each runs interpreted and recorded. Areas own_*
// are of what the machine that makes the others lacks (einops) or Larkspur refuses: their outputs are its own, read through by hand.
// TestNamedAreas lists what the dialect promises, with the area of each.
//
// The programs differ from CPython nowhere on purpose. What does differ is kept
// out of them: sets stand in order of insertion, a NaN is itself (floats have no identity), and
// a generator that is dropped is not closed at once.
package python
