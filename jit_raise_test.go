package larkspur

import (
	"strings"
	"testing"
)

// raiseCases: exceptions that leave the region, or are being handled where it ends.
var raiseCases = []effectCase{
	{name: "raised and not caught", src: `
def step(n):
    y = X * n
    log.append(n)
    if n > 0:
        raise ValueError("bad", n)
    return y
def main():
    global k
    k += 1
    try:
        step(2)
    except ValueError as e:
        print(e.args)
`},
	{name: "leaves main", src: `
def main():
    global k
    k += 1
    y = X + k
    log.append(y)
    {}["no"]
`},
	{name: "an op raises", src: `
def main():
    y = X + 1
    log.append(y)
    return y @ y
`},
	{name: "finally", src: `
def main():
    y = X + 1
    try:
        log.append(1)
        raise KeyError("k")
    finally:
        log.append(y)
`},
	{name: "with", src: `
class C:
    def __enter__(self):
        log.append("in")
        return X * 2
    def __exit__(self, *a):
        log.append(a[0].__name__ if a[0] else "none")
        return False
def main():
    with C() as y:
        log.append(y)
    with C() as y:
        raise RuntimeError("inside")
`},
	{name: "with that swallows", src: `
class C:
    def __enter__(self): return self
    def __exit__(self, *a): return True
def main():
    with C():
        y = X * 3
        raise RuntimeError("inside")
    return X + 1
`},
	{name: "break in a handler", breaks: 1, src: `
class E(Exception):
    def __init__(self, m):
        super().__init__(m)
        self.m = m
def main():
    y = X * 2
    try:
        try:
            raise E("first")
        except E as e:
            raise ValueError("second") from e
    except ValueError as v:
        z = y.sum().item()
        print(v, v.__cause__.m, v.__context__ is v.__cause__, z)
        try:
            raise
        except ValueError as w:
            print(w is v)
    return y
`},
	{name: "cause and context in an exit", src: `
def main():
    y = X * 2
    try:
        try:
            {}["a"]
        except KeyError:
            raise ValueError("second")
    except ValueError as v:
        r = v
    return r, y
`},
	{name: "return out of a handler", src: `
def f():
    try:
        [][1]
    except IndexError as e:
        return X + len(str(e))
def main():
    return f()
`},
	{name: "loop with exceptions", src: `
def main():
    n = 0
    for i in range(6):
        try:
            if i % 2:
                raise ValueError(i)
            n += i
        except ValueError as e:
            n += 10 * e.args[0]
        y = X * n
    return y, n
`},
}

func TestRaises(t *testing.T) {
	for _, c := range raiseCases {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			w := newTwins(t, "import torch\nX = torch.ones(2, 3)\nlog = []\nk = 0\n"+c.src, nil)
			load := w.rt[1].tracer.Stats()
			for i := range 6 {
				if diff := w.call("main"); diff != "" {
					t.Fatalf("call %d: %s\n%s", i, diff, w.rt[1].Explain("prog.py"))
				}
			}
			checkCounts(t, w, load, w.rt[1].tracer.Stats(), c.breaks, c.aborts)
		})
	}
}
