package py

import "golang.org/x/term"

func terminalFd(fd int) bool { return term.IsTerminal(fd) }
