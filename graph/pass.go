package graph

import "fmt"

// pass is one rewrite of a graph that keeps what it computes.
type pass struct {
	name string
	run  func(g *Graph) (changed bool)
}

// passes in the order in which they run.
var passes = []pass{
	{"dead", removeDead},
	{"cse", commonSubexpressions},
	{"fold", foldConstants},
	{"simplify", simplify},
	{"put", simplifyPuts},
	{"copy", forwardCopies},
	{"dead again", removeDead},
	{"cse again", commonSubexpressions},
	{"dead at last", removeDead},
}

// passOrder says why: a must run before b.
var passOrder = []struct{ a, b, why string }{
	{"dead", "cse", "dead nodes would keep values alive that others are compared with"},
	{"cse", "fold", "equal constants become one, so that a rule sees one use"},
	{"fold", "simplify", "rules look for constant operands"},
	{"simplify", "copy", "a rule may leave a cast that copies"},
	{"put", "copy", "a put of a whole value is a copy"},
	{"copy", "dead again", "forwarded copies have no reader any more"},
	{"copy", "cse again", "operands that were copies of one value are one value now"},
	{"cse again", "dead at last", "it leaves what it merged"},
}

func init() {
	at := map[string]int{}
	for i, p := range passes {
		at[p.name] = i
	}
	for _, o := range passOrder {
		if at[o.a] >= at[o.b] {
			panic(fmt.Sprintf("BUG: pass %s must run before %s: %s", o.a, o.b, o.why))
		}
	}
}

// VerifyPasses makes Optimize verify the graph after each pass; tests set it.
var VerifyPasses = false

// Optimize rewrites g in place: dead code, common subexpressions, constants,
// algebra, puts and copies. Inputs, outputs, number slots and generator states
// keep their positions. Nodes must carry no Iter.
func Optimize(g *Graph) {
	for _, p := range passes {
		if p.run(g) {
			g.Renumber()
		}
		if VerifyPasses {
			if err := Verify(g); err != nil {
				panic(fmt.Sprintf("BUG: after pass %s: %v\n%s", p.name, err, g))
			}
		}
	}
}

// runPass runs one pass by name (tests).
func runPass(g *Graph, name string) {
	for _, p := range passes {
		if p.name == name {
			if p.run(g) {
				g.Renumber()
			}
			return
		}
	}
	panic("BUG: no pass " + name)
}
