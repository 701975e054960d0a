package py

import "io"

// Host is what the world around the interpreter gives to the standard modules:
// what they may touch, and the ends of the streams. A refusal is a
// *value.Raised, by custom a PermissionError that names the grant.
type Host interface {
	// CheckRead and CheckWrite ask for a path of the file system.
	CheckRead(path string) error
	CheckWrite(path string) error
	// CheckClock asks for the time of day and for waiting.
	CheckClock() error
	// CheckEnv asks for the environment's variables.
	CheckEnv() error

	// Args is sys.argv: the script's name and its arguments.
	Args() []string
	// Terminal is the width in columns of the terminal that standard error is;
	// 0 if it is none.
	Terminal() int

	Stdout() io.Writer
	Stderr() io.Writer
	Stdin() io.Reader
}
