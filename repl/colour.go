package repl

import (
	"io"
	"os"
	"regexp"
	"strings"

	"golang.org/x/term"
)

// Colours are those of CPython 3.13's prompt.
const (
	plainText = "\x1b[0m"
	place     = "\x1b[35m"
	fault     = "\x1b[1;31m"
	kind      = "\x1b[1;35m"
	promptHue = "\x1b[1;35m"
)

// coloured reports whether w shows colours: a terminal that does not call itself
// dumb, and nobody who set NO_COLOR (no-color.org).
func coloured(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

var (
	atLine  = regexp.MustCompile(`^(  File )(".*")(, line )(\d+)(?:(, in )(.*))?$`)
	carets  = regexp.MustCompile(`^( *)([~^]+)$`)
	outcome = regexp.MustCompile(`^([A-Za-z_][\w.]*)(: .*)?$`)
)

// paint colours a traceback: places, carets, and the exception that ends it.
func paint(text string) string {
	lines := strings.Split(text, "\n")
	inside := false // behind the frames of a traceback
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "Traceback ("):
			inside = true
		case atLine.MatchString(line):
			inside = true
			m := atLine.FindStringSubmatch(line)
			line = m[1] + place + m[2] + plainText + m[3] + place + m[4] + plainText
			if m[5] != "" {
				line += m[5] + place + m[6] + plainText
			}
			lines[i] = line
		case carets.MatchString(line):
			m := carets.FindStringSubmatch(line)
			lines[i] = m[1] + fault + m[2] + plainText
		case inside && outcome.MatchString(line):
			inside = false
			m := outcome.FindStringSubmatch(line)
			lines[i] = kind + m[1] + plainText
			if m[2] != "" {
				lines[i] += ": " + place + m[2][2:] + plainText
			}
		}
	}
	return strings.Join(lines, "\n")
}
