// Package models runs programs written as model files and training scripts are, against what PyTorch printed; it holds
// no code of its own.
//
// NAME.py is a program, NAME.txt its output under PyTorch (make_expected.py writes it). A runtime of ours has to print the
// same text; numbers with a decimal point may differ in the last digit that PyTorch printed.
package models
