package syntax

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var cpythonOps = [...]string{
	Add: "Add", Sub: "Sub", Mult: "Mult", MatMult: "MatMult", Div: "Div", FloorDiv: "FloorDiv", Mod: "Mod", Pow: "Pow",
	LShift: "LShift", RShift: "RShift", BitOr: "BitOr", BitXor: "BitXor", BitAnd: "BitAnd",
	UAdd: "UAdd", USub: "USub", Invert: "Invert", Not: "Not",
}

var cpythonCmps = [...]string{
	Eq: "Eq", NotEq: "NotEq", Lt: "Lt", LtE: "LtE", Gt: "Gt", GtE: "GtE", Is: "Is", IsNot: "IsNot", In: "In", NotIn: "NotIn",
}

func canonDetail(n Node) string {
	bits := func(f float64) string {
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], math.Float64bits(f))
		return hex.EncodeToString(b[:])
	}
	ids := func(names []*Name) string {
		var s []string
		for _, n := range names {
			s = append(s, n.ID)
		}
		return strings.Join(s, " ")
	}
	id := func(n *Name) string {
		if n == nil {
			return ""
		}
		return n.ID
	}
	switch n := n.(type) {
	case *Constant:
		switch n.Kind {
		case IntConst:
			return fmt.Sprintf("int %x", n.Int)
		case BigConst:
			return fmt.Sprintf("int %x", n.Big)
		case FloatConst:
			return "float " + bits(n.Float)
		case ImagConst:
			return "imag " + bits(n.Float)
		case StrConst:
			return "str " + hex.EncodeToString([]byte(n.Str))
		case BytesConst:
			return "bytes " + hex.EncodeToString([]byte(n.Str))
		}
		return n.Text()
	case *Name:
		return n.ID
	case *Attribute:
		return n.Attr
	case *Keyword:
		return n.Name
	case *BinOp:
		return cpythonOps[n.Op]
	case *UnaryOp:
		return cpythonOps[n.Op]
	case *AugAssign:
		return cpythonOps[n.Op]
	case *BoolOp:
		if n.Or {
			return "Or"
		}
		return "And"
	case *Compare:
		var s []string
		for _, op := range n.Ops {
			s = append(s, cpythonCmps[op])
		}
		return strings.Join(s, " ")
	case *FormattedValue:
		if n.Conversion != 0 {
			return fmt.Sprintf("conversion=%d", n.Conversion)
		}
	case *AnnAssign:
		if n.Simple {
			return "simple=1"
		}
	case *Alias:
		if n.HasAs {
			return n.Name + " " + n.Bind.ID
		}
		return n.Name
	case *ImportFrom:
		s := n.Module
		if n.Level > 0 {
			s = strings.TrimSpace(s + fmt.Sprintf(" level=%d", n.Level))
		}
		return s
	case *Global:
		return ids(n.Names)
	case *Nonlocal:
		return ids(n.Names)
	case *FunctionDef:
		return n.Name.ID
	case *ClassDef:
		return n.Name.ID
	case *ExceptHandler:
		return id(n.Name)
	case *MatchAs:
		return id(n.Name)
	case *MatchStar:
		return id(n.Name)
	case *MatchMapping:
		return id(n.Rest)
	case *MatchClass:
		return strings.Join(n.KwdAttrs, " ")
	case *MatchSingleton:
		return canonDetail(n.Value)
	}
	return ""
}

// canonChildren are the nodes that CPython's tree has below n, with what it keeps
// in nodes without positions pulled up.
func canonChildren(n Node) []Node {
	var out []Node
	for _, c := range Children(n) {
		switch q := c.(type) {
		case *Params, *CompFor, *WithItem, *MatchCase:
			out = append(out, canonChildren(c)...)
			continue
		case *Name:
			// Names that CPython has as plain strings.
			switch p := n.(type) {
			case *FunctionDef:
				if c == Node(p.Name) {
					continue
				}
			case *ClassDef:
				if c == Node(p.Name) {
					continue
				}
			case *ExceptHandler:
				if c == Node(p.Name) {
					continue
				}
			case *MatchMapping:
				if c == Node(p.Rest) {
					continue
				}
			case *Alias, *Global, *Nonlocal, *MatchAs, *MatchStar:
				continue
			}
		case *Constant:
			if _, ok := n.(*MatchSingleton); ok {
				continue
			}
		case *Param:
			out = append(out, q)
			if q.Default != nil {
				out = append(out, q.Default)
			}
			continue
		}
		out = append(out, c)
	}
	return out
}

func canon(b *strings.Builder, n Node, depth int, opaque bool) {
	kind := strings.TrimPrefix(fmt.Sprintf("%T", n), "*syntax.")
	span := n.Range()
	children := canonChildren(n)
	switch x := n.(type) {
	case *Comp:
		kind = [...]string{"ListComp", "SetComp", "DictComp", "GeneratorExp"}[x.Kind]
	case *Param:
		kind = "arg"
		span.End = x.Name.End
		children = nil
		if x.Annotation != nil {
			span.End = x.Annotation.Range().End
			children = []Node{x.Annotation}
		}
	case *Keyword, *Alias:
		kind = strings.ToLower(kind)
	case *ExprStmt:
		kind = "Expr"
	case *Try:
		if x.Star {
			kind = "TryStar"
		}
	}
	detail := canonDetail(n)
	if p, ok := n.(*Param); ok {
		detail = p.Name.ID
	}
	pos := " " + span.String()
	if opaque {
		pos = ""
	}
	b.WriteString(strings.TrimRight(strings.Repeat("  ", depth)+kind+pos+" "+detail, " "))
	b.WriteByte('\n')
	_, joined := n.(*JoinedStr)
	for _, c := range children {
		canon(b, c, depth+1, opaque || joined)
	}
}

func canonModule(m *Module) string {
	var b strings.Builder
	for _, s := range m.Body {
		canon(&b, s, 0, false)
	}
	return b.String()
}

// compareLines fails at the first line where got and want differ.
func compareLines(t *testing.T, name, got, want string) bool {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		at := func(s []string) string {
			if i < len(s) {
				return s[i]
			}
			return "(end)"
		}
		if at(g) != at(w) {
			t.Errorf("%s, line %d of the tree:\n got %s\nwant %s", name, i+1, at(g), at(w))
			return false
		}
	}
	return true
}

// The trees of testdata/*.py are CPython's, node by node with their positions.
func TestTreesAreCPythons(t *testing.T) {
	golden, err := os.ReadFile("testdata/ast.golden")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(golden), "# ")[1:] {
		name, want, _ := strings.Cut(part, "\n")
		src, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		m, e := Parse(name, string(src), Options{})
		if e != nil {
			t.Error(e)
			continue
		}
		compareLines(t, name, canonModule(m), want)
	}
}

// libraryFiles are the Python files of the machine's own Python, if it has one.
func libraryFiles() []string {
	var files []string
	for _, pattern := range []string{
		"/usr/lib/python3/dist-packages/torch/nn/modules/*.py",
		"/usr/lib/python3/dist-packages/torch/optim/*.py",
		"/usr/lib/python3/dist-packages/torchvision/models/*.py",
		"/usr/lib/python3/dist-packages/torchvision/models/*/*.py",
		"/usr/lib/python3.11/*.py",
	} {
		more, _ := filepath.Glob(pattern)
		files = append(files, more...)
	}
	return files
}

// Every library file parses to CPython's tree, unless it has coroutines, which must
// then be what the error says.
func TestLibraryFiles(t *testing.T) {
	python := "/usr/bin/python3.11"
	files := libraryFiles()
	if len(files) == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("no Python library on this machine")
		}
		t.Skip("no Python library on this machine")
	}
	if testing.Short() {
		t.Skip("long")
	}
	want := make(map[string]string)
	if _, err := os.Stat(python); err == nil {
		out, err := exec.Command(python, append([]string{"testdata/canon.py"}, files...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split("\n"+string(out), "\n# ")[1:] {
			name, tree, _ := strings.Cut(part, "\n")
			want[name] = strings.TrimSuffix(tree, "\n") + "\n"
		}
	}
	parsed, coroutines := 0, 0
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m, e := Parse(f, string(src), Options{})
		switch {
		case e != nil && strings.HasSuffix(e.Msg, "the language has no coroutines"):
			coroutines++
		case e != nil && strings.HasSuffix(e.Msg, `\N{...} escapes are not supported`):
		case e != nil:
			if !strings.HasPrefix(want[f], "error") {
				t.Error(e)
			}
		default:
			parsed++
			if tree, ok := want[f]; ok {
				compareLines(t, f, canonModule(m), strings.TrimLeft(tree, "\n"))
			}
		}
	}
	t.Logf("%d files parsed, %d with coroutines refused", parsed, coroutines)
	if parsed == 0 {
		t.Error("nothing parsed")
	}
}
