package py

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// Backtracking may take time exponential in the text. The engine can be stopped
// by a deadline only, so a match that is not found at once is looked for again
// aside, with deadlines that double: it can be given up at any time, and what was
// given up ends after as long again.

// reAtOnce is the time after which a match is looked for aside.
const reAtOnce = 200 * time.Millisecond

// timedOut reports the engine's error for a deadline; it has no type.
func timedOut(err error) bool { return err != nil && strings.HasPrefix(err.Error(), "match timeout") }

func (p *rePattern) match(x *subject, variant, from int) (m *regexp2.Match, err error) {
	re, err := p.variant(variant)
	if err != nil {
		return nil, err
	}
	m, err = re.FindRunesMatchStartingAt(x.runes[:x.end], from)
	if timedOut(err) {
		if re, err = p.compile(variant); err != nil {
			return nil, err
		}
		type found struct {
			m   *regexp2.Match
			err error
		}
		var out found
		var dropped atomic.Bool
		res := make(chan found, 1)
		stop := x.t.Aside(func() {
			var f found
			for re.MatchTimeout = 5 * reAtOnce; ; re.MatchTimeout *= 2 {
				f.m, f.err = re.FindRunesMatchStartingAt(x.runes[:x.end], from)
				if !timedOut(f.err) || dropped.Load() {
					break
				}
			}
			res <- f
		})
		if stop != nil {
			dropped.Store(true)
			return nil, stop
		}
		out = <-res
		m, err = out.m, out.err
	}
	if err != nil {
		return nil, value.RuntimeErrorf("re: %s", err)
	}
	return m, nil
}
