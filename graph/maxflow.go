package graph

// flow is a flow network; saturate finds a maximum flow by augmenting along
// shortest paths in layers (Dinic).
type flow struct {
	first []int32 // first edge of each vertex, -1
	edges []flowEdge
	level []int32
	next  []int32
}

type flowEdge struct {
	to   int32
	more int32 // next edge of the vertex
	cap  int64
}

func (f *flow) vertex() int {
	f.first = append(f.first, -1)
	return len(f.first) - 1
}

// edge adds an edge and its reverse, which follows it.
func (f *flow) edge(a, b int, c int64) {
	f.edges = append(f.edges, flowEdge{int32(b), f.first[a], c})
	f.first[a] = int32(len(f.edges) - 1)
	f.edges = append(f.edges, flowEdge{int32(a), f.first[b], 0})
	f.first[b] = int32(len(f.edges) - 1)
}

func (f *flow) saturate(s, t int) {
	for f.layer(s, t) {
		f.next = append(f.next[:0], f.first...)
		for f.push(s, t, 1<<62) > 0 {
		}
	}
}

// layer numbers vertices by distance from s; false where t is out of reach.
func (f *flow) layer(s, t int) bool {
	f.level = make([]int32, len(f.first))
	for i := range f.level {
		f.level[i] = -1
	}
	f.level[s] = 0
	queue := []int{s}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for e := f.first[v]; e >= 0; e = f.edges[e].more {
			x := &f.edges[e]
			if x.cap > 0 && f.level[x.to] < 0 {
				f.level[x.to] = f.level[v] + 1
				queue = append(queue, int(x.to))
			}
		}
	}
	return f.level[t] >= 0
}

// push sends flow down the layers, one path; it iterates, as graphs are deep.
func (f *flow) push(s, t int, most int64) int64 {
	var path []int32
	v := s
	for {
		if v == t {
			c := most
			for _, e := range path {
				c = min(c, f.edges[e].cap)
			}
			for _, e := range path {
				f.edges[e].cap -= c
				f.edges[e^1].cap += c
			}
			return c
		}
		e := f.next[v]
		for ; e >= 0; e = f.edges[e].more {
			if x := &f.edges[e]; x.cap > 0 && f.level[x.to] == f.level[v]+1 {
				break
			}
		}
		f.next[v] = e
		if e >= 0 {
			path = append(path, e)
			v = int(f.edges[e].to)
			continue
		}
		if len(path) == 0 {
			return 0
		}
		// a dead end: back, and past the edge that led here
		last := path[len(path)-1]
		path = path[:len(path)-1]
		v = int(f.edges[last^1].to)
		f.next[v] = f.edges[last].more
	}
}

// reachable tells which vertices the residual network reaches from s.
func (f *flow) reachable(s int) []bool {
	seen := make([]bool, len(f.first))
	seen[s] = true
	queue := []int{s}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for e := f.first[v]; e >= 0; e = f.edges[e].more {
			if x := &f.edges[e]; x.cap > 0 && !seen[x.to] {
				seen[x.to] = true
				queue = append(queue, int(x.to))
			}
		}
	}
	return seen
}
