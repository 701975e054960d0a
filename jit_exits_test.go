package larkspur

import (
	"strings"
	"testing"
)

// exitCases: objects that live on where the region ends.
var exitCases = []effectCase{
	{name: "generator that has not begun", src: `
def g(n):
    for i in range(n):
        yield X * i
def main():
    it = g(3)
    return X + 1, it
`},
	{name: "generator that waits", src: `
def g(n):
    a = X + n
    try:
        while n:
            got = yield a * n
            a = a + (got or 0)
            n -= 1
    finally:
        log.append(n)
def main():
    it = g(3)
    y = next(it)
    z = it.send(5)
    global last
    last = it
    return y, z
def rest():
    return list(last)
`, breaks: 0},
	{name: "generator that has ended and one in itself", src: `
def g():
    me = [None]
    me[0] = yield X
    yield me
def main():
    it = g()
    next(it)
    it.send(it)
    done = (i for i in ())
    list(done)
    return it, done, X * 2
`},
	{name: "ordered and default dicts, lists and tuples of classes", src: `
from collections import OrderedDict, namedtuple
P = namedtuple("P", "a b")
class L(list):
    pass
class D(dict):
    def __init__(self):
        super().__init__()
        self.extra = X + 2
class S(str): pass
class N(int): pass
def main():
    o = OrderedDict()
    o["x"] = X * 2
    l = L([1, 2])
    l.append(X)
    l.name = "n"
    d = D()
    d["k"] = [1]
    return o, l, d, P(X, 2), N(5) + 1
`, breaks: 1, aborts: 5}, // four of D.__init__, whose super is in an exit

	{name: "dataclass and set", src: `
from dataclasses import dataclass, field
@dataclass
class C:
    a: int
    b: object = None
    c: list = field(default_factory=list)
def main():
    c = C(1, X + 1)
    c.c.append(2)
    return c, {1, "b"}, c == C(1)
`},
}

// TestExits: what a region has made is made again by each replay.
func TestExits(t *testing.T) {
	for _, c := range exitCases {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			w := newTwins(t, "import torch\nlast = None\nX = torch.ones(2, 3)\nlog = []\n"+c.src, nil)
			load := w.rt[1].tracer.Stats()
			for i := range 6 {
				if diff := w.call("main"); diff != "" {
					t.Fatalf("call %d: %s\n%s", i, diff, w.rt[1].Explain("prog.py"))
				}
			}
			checkCounts(t, w, load, w.rt[1].tracer.Stats(), c.breaks, c.aborts)
			if strings.Contains(c.src, "def rest") {
				for range 2 {
					if diff := w.call("rest"); diff != "" {
						t.Fatal(diff)
					}
				}
			}
		})
	}
}
