package tracer

import "fmt"

// breakKey is a place and reason of graph breaks.
type breakKey struct {
	file   string
	line   int
	fn     string
	reason string
}

// noteBreak counts a break at the current instruction.
func (r *recorder) noteBreak(why string) {
	f := r.th.FrameAt(r.cur.depth)
	k := breakKey{f.Code.Program.File, int(f.Code.At(r.cur.pc).Start.Line), f.Code.QualName, why}
	r.tr.mu.Lock()
	r.tr.breaks[k]++
	r.tr.mu.Unlock()
	r.tr.dump("breaks", f.Code.Name, func() string { return k.String() + "\n" })
}

func (k breakKey) String() string {
	return fmt.Sprintf("%s:%d in %s: %s", k.file, k.line, k.fn, k.reason)
}
