package value

import "fmt"

// Traceback is what __traceback__ gives.
type Traceback struct {
	Entries []Entry
	object
}

func (tb *Traceback) String() string                               { return "<traceback object>" }
func (tb *Traceback) Type() string                                 { return "traceback" }
func (tb *Traceback) Hash() (uint32, error)                        { return 0, nil }
func (tb *Traceback) ClassOf() *Class                              { return TracebackClass }
func (tb *Traceback) AttrDir() []string                            { return []string{"tb_frame", "tb_lineno", "tb_next"} }
func (tb *Traceback) AttrSet(*Thread, string, Value) (bool, error) { return false, nil }

// AttrGet serves the object's own attributes.
func (tb *Traceback) AttrGet(_ *Thread, name string) (Value, bool, error) {
	switch name {
	case "tb_lineno":
		return Int(int64(tb.Entries[0].Line)), true, nil
	case "tb_next":
		if len(tb.Entries) == 1 {
			return None, true, nil
		}
		return FromStarlark(&Traceback{Entries: tb.Entries[1:]}), true, nil
	case "tb_frame":
		return FromStarlark(&FrameInfo{Entry: tb.Entries[0]}), true, nil
	}
	return Value{}, false, nil
}

// A FrameInfo is what programs see of a frame: where it is.
type FrameInfo struct {
	Entry
	Back []Entry // the frames below it, innermost last
	object
}

func (fi *FrameInfo) String() string {
	return fmt.Sprintf("<frame, file '%s', line %d, code %s>", fi.File, fi.Line, fi.Func)
}
func (fi *FrameInfo) Type() string                                 { return "frame" }
func (fi *FrameInfo) Hash() (uint32, error)                        { return 0, nil }
func (fi *FrameInfo) ClassOf() *Class                              { return FrameClass }
func (fi *FrameInfo) AttrDir() []string                            { return []string{"f_back", "f_code", "f_lineno"} }
func (fi *FrameInfo) AttrSet(*Thread, string, Value) (bool, error) { return false, nil }

// AttrGet serves the object's own attributes.
func (fi *FrameInfo) AttrGet(_ *Thread, name string) (Value, bool, error) {
	switch name {
	case "f_lineno":
		return Int(int64(fi.Line)), true, nil
	case "f_back":
		if n := len(fi.Back); n > 0 {
			return FromStarlark(&FrameInfo{Entry: fi.Back[n-1], Back: fi.Back[:n-1]}), true, nil
		}
		return None, true, nil
	case "f_code":
		return FromStarlark(&CodeInfo{File: fi.File, Name: fi.Func}), true, nil
	}
	return Value{}, false, nil
}

// A CodeInfo is what programs see of a frame's code.
type CodeInfo struct {
	File, Name string
	object
}

func (c *CodeInfo) String() string                               { return fmt.Sprintf("<code object %s, file %q>", c.Name, c.File) }
func (c *CodeInfo) Type() string                                 { return "code" }
func (c *CodeInfo) Hash() (uint32, error)                        { return 0, nil }
func (c *CodeInfo) ClassOf() *Class                              { return CodeClass }
func (c *CodeInfo) AttrDir() []string                            { return []string{"co_filename", "co_name"} }
func (c *CodeInfo) AttrSet(*Thread, string, Value) (bool, error) { return false, nil }

// AttrGet serves the object's own attributes.
func (c *CodeInfo) AttrGet(_ *Thread, name string) (Value, bool, error) {
	switch name {
	case "co_filename":
		return Str(c.File), true, nil
	case "co_name":
		return Str(c.Name), true, nil
	}
	return Value{}, false, nil
}
