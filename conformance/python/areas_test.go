package python

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/larkspur-ml/larkspur"
)

// fewestCases is how many cases there are at least; the number may not fall.
const fewestCases = 2250

// fewestOfArea is how many each area has.
const fewestOfArea = 20

// named are the constructs, groups of special methods, types and modules that the model dialect
// promises, each with the area that has its cases.
var named = map[string]string{
	"expressions, assignment": "assignment", "conditions": "conditions", "loops": "loops", "comprehensions": "comprehensions", "functions": "functions",
	"generators": "generators", "with": "with_statement", "match": "match_statement", "f-strings": "fstrings", "imports": "imports",
	"classes, inheritance, super": "classes", "descriptors, properties": "descriptors", "metaclasses, type()": "metaclasses",
	"subclasses of built-in types": "subclass_builtins", "exceptions": "exceptions", "tracebacks": "tracebacks", "syntax errors": "syntax_errors",
	"operator dunders": "dunders_operator", "comparison dunders": "dunders_compare", "container dunders": "dunders_container",
	"iterator dunders": "dunders_iterator", "context and call dunders": "dunders_context_call", "repr, format, hash, bool": "dunders_format_repr",
	"str": "str_type", "str formatting": "str_formatting", "bytes": "bytes_type", "bytearray": "bytearray_type", "int": "int_type", "float": "float_type",
	"complex": "complex_type", "list": "list_type", "tuple": "tuple_type", "dict": "dict_type", "set, frozenset": "set_type", "range, slice": "range_slice",
	"built-in functions": "builtins_misc", "open": "mod_io_files",
	"math": "mod_math", "cmath": "mod_cmath", "random": "mod_random", "functools": "mod_functools", "itertools": "mod_itertools",
	"collections": "mod_collections", "collections.abc": "mod_collections_abc", "dataclasses": "mod_dataclasses", "typing": "mod_typing", "enum": "mod_enum",
	"abc": "mod_abc", "copy": "mod_copy", "contextlib": "mod_contextlib", "operator": "mod_operator", "string": "mod_string", "textwrap": "mod_textwrap",
	"json": "mod_json", "re": "mod_re", "struct": "mod_struct", "time": "mod_time", "datetime": "mod_datetime", "os": "mod_os", "os.path": "mod_os_path",
	"pathlib": "mod_pathlib", "glob": "mod_glob", "tempfile": "mod_tempfile", "sys": "mod_sys", "io": "mod_io", "argparse": "mod_argparse",
	"logging": "mod_logging", "warnings": "mod_warnings", "inspect": "mod_inspect", "types": "mod_types", "numbers": "mod_numbers",
	"statistics": "mod_statistics", "bisect": "mod_bisect", "heapq": "mod_heapq", "hashlib": "mod_hashlib", "base64": "mod_base64", "csv": "mod_csv",
	"pickle": "mod_pickle", "pprint": "mod_pprint", "uuid": "mod_uuid", "wave": "mod_wave", "traceback": "mod_traceback", "weakref, gc": "mod_gc_weakref",
	"threading, multiprocessing, numpy": "own_threads_numpy", "tqdm": "tqdm", "einops": "own_einops",
}

// TestNamedAreas holds that each of them has an area; TestAreas counts its cases.
func TestNamedAreas(t *testing.T) {
	for what, area := range named {
		if _, err := os.Stat("cases/" + area + ".py"); err != nil {
			t.Errorf("%s: no area %s", what, area)
		}
	}
}

var blank = regexp.MustCompile(`\n\n+`)

// areaCases are the cases of a file, which blank lines part.
func areaCases(text string) (cases []string) {
	for _, c := range blank.Split(text, -1) {
		if c = strings.Trim(c, "\n"); c != "" {
			cases = append(cases, c+"\n")
		}
	}
	return cases
}

// areaOutputs are the expected outputs of a file's cases.
func areaOutputs(text string) (outs []string) {
	for i := 1; text != ""; i++ {
		head := "### " + strconv.Itoa(i) + "\n"
		if !strings.HasPrefix(text, head) {
			return nil
		}
		text = text[len(head):]
		end := len(text)
		if at := strings.Index("\n"+text, "\n### "+strconv.Itoa(i+1)+"\n"); at >= 0 {
			end = at
		}
		outs = append(outs, text[:end])
		text = text[end:]
	}
	return outs
}

// TestAreas runs the small cases of each area, interpreted and recorded.
func TestAreas(t *testing.T) {
	names, err := filepath.Glob("cases/*.py")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := os.ReadFile(strings.TrimSuffix(name, ".py") + ".out")
		if err != nil {
			t.Fatal(err)
		}
		area := strings.TrimSuffix(filepath.Base(name), ".py")
		cases, outs := areaCases(string(text)), areaOutputs(string(stored))
		if len(cases) != len(outs) {
			t.Fatalf("%s: %d cases, %d outputs: run make_cases.py", area, len(cases), len(outs))
		}
		if len(cases) < fewestOfArea {
			t.Errorf("%s: %d cases, want at least %d", area, len(cases), fewestOfArea)
		}
		total += len(cases)
		t.Run(area, func(t *testing.T) {
			for i, c := range cases {
				for _, jit := range []larkspur.JITMode{larkspur.JITOff, larkspur.JITSync} {
					if jit == larkspur.JITSync && testing.Short() {
						continue
					}
					if got := runCase(t, c, jit); got != outs[i] {
						t.Errorf("case %d, jit %d: %s\n%s", i+1, jit, firstDifference(outs[i], got), c)
						break
					}
				}
			}
		})
	}
	if total < fewestCases {
		t.Errorf("%d cases, want at least %d", total, fewestCases)
	}
}

// runCase is what a case prints, with the traceback of what ended it behind.
func runCase(t *testing.T, text string, jit larkspur.JITMode) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	dir, err := os.MkdirTemp("", "case")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "case.py"), []byte(text), 0o666); err != nil { // programs list their folder
		t.Fatal(err)
	}
	t.Chdir(dir)
	rt, err := larkspur.New(larkspur.Options{
		Stdout: &out, Stderr: &out, Args: []string{"case.py"}, JIT: jit,
		HeapLimit: 4 << 30,
		Grants:    larkspur.Grants{Clock: true, Env: true, Write: []string{dir, os.TempDir()}},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = rt.RunString(ctx, "case.py", text)
	if exit := writeEnd(t, &out, err); exit != nil && exit.Message != "" {
		if _, err := strconv.Atoi(exit.Message); err != nil {
			out.WriteString(exit.Message) // as the command prints it
		}
	}
	s := ownEntries(out.String())
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// ownEntries is the output without the entries of library files in tracebacks, which
// differ from CPython's.
func ownEntries(text string) string {
	var b strings.Builder
	drop := false
	for line := range strings.SplitAfterSeq(text, "\n") {
		if strings.HasPrefix(line, "  File \"") {
			drop = !strings.HasPrefix(line, "  File \"case.py\"")
		} else if !strings.HasPrefix(line, "    ") {
			drop = false
		}
		if !drop {
			b.WriteString(line)
		}
	}
	return b.String()
}
