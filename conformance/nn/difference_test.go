package nn

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// tolerance covers the last bits of a sum, and the rounding of five printed decimals.
const tolerance = 5e-5

var number = regexp.MustCompile(`-?\d+\.\d+`)

// difference names the first line where got and want differ, in text or in a decimal number by more than tolerance; it
// is empty where they agree.
func difference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		x, y := "(end)", "(end)"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if !sameLine(x, y) {
			return fmt.Sprintf("line %d:\n  got  %s\n  want %s", i+1, x, y)
		}
	}
	return ""
}

func sameLine(x, y string) bool {
	if number.ReplaceAllString(x, "#") != number.ReplaceAllString(y, "#") {
		return false
	}
	ys := number.FindAllString(y, -1)
	for i, s := range number.FindAllString(x, -1) {
		p, errP := strconv.ParseFloat(s, 64)
		q, errQ := strconv.ParseFloat(ys[i], 64)
		if errP != nil || errQ != nil || !(math.Abs(p-q) <= tolerance) {
			return false
		}
	}
	return true
}

func TestDifference(t *testing.T) {
	for _, c := range []struct {
		got, want string
		same      bool
	}{
		{"a 1.00001\nb", "a 1.00003\nb", true},
		{"a -0.00000", "a 0.00000", true},
		{"a 1.00001", "a 1.00011", false},
		{"a 1", "a 2", false},
		{"a 1.0", "a 1", false},
		{"a", "a\nb", false},
		{"a 1.0 2.0", "a 1.0", false},
	} {
		if diff := difference(c.got, c.want); (diff == "") != c.same {
			t.Errorf("difference(%q, %q) = %q", c.got, c.want, diff)
		}
	}
}
