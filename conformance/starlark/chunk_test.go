package starlark_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// chunk is one program of a chunked file.
type chunk struct {
	line   int    // of its first line in the file
	source string // behind as many newlines as keep the file's line numbers
	want   map[int]*regexp.Regexp
}

// splitChunks takes a chunked file apart: programs between lines of three
// dashes, with expected errors in comments ### "regexp".
func splitChunks(text string) ([]*chunk, error) {
	var out []*chunk
	line := 1
	for _, body := range strings.Split(text, "\n---\n") {
		c := &chunk{line: line, source: strings.Repeat("\n", line-1) + body, want: map[int]*regexp.Regexp{}}
		for _, l := range strings.Split(body, "\n") {
			if _, comment, ok := strings.Cut(l, "###"); ok {
				pattern, err := strconv.Unquote(strings.TrimSpace(comment))
				if err != nil {
					return nil, fmt.Errorf("line %d: not a quoted expression: %s", line, comment)
				}
				if c.want[line], err = regexp.Compile(pattern); err != nil {
					return nil, fmt.Errorf("line %d: %w", line, err)
				}
			}
			line++
		}
		line++ // the dashes
		out = append(out, c)
	}
	return out, nil
}

// verdict collects what went otherwise than a chunk expects.
type verdict struct {
	*chunk
	met        map[int]bool
	complaints []string
}

func (v *verdict) complain(format string, args ...any) {
	v.complaints = append(v.complaints, fmt.Sprintf(format, args...))
}

// gotError says that line has failed with msg.
func (v *verdict) gotError(line int, msg string) {
	rx := v.want[line]
	switch {
	case rx == nil || v.met[line]:
		v.complain("%d: unexpected error: %s", line, msg)
	case !rx.MatchString(msg):
		v.complain("%d: error %q does not match %q", line, msg, rx)
	}
	v.met[line] = true
}

// done complains of the errors that did not come.
func (v *verdict) done() {
	for line := v.line; line < v.line+strings.Count(v.source, "\n")+1; line++ {
		if rx := v.want[line]; rx != nil && !v.met[line] {
			v.complain("%d: no error, expected one that matches %q", line, rx)
		}
	}
}
