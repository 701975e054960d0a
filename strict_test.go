package larkspur_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur"
)

// runStrict writes files into a folder and runs one of them.
func runStrict(t *testing.T, o larkspur.Options, name string, files map[string]string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	o.Stdout = &out
	rt, err := larkspur.New(o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = rt.RunFile(context.Background(), filepath.Join(dir, name))
	return out.String(), err
}

func TestStrictDialect(t *testing.T) {
	strict := larkspur.Options{Dialect: larkspur.Starlark, Predeclared: map[string]any{"answer": 42}}
	const lib = "conf = {\"a\": 1}\n\ndef f(x):\n    return 1 == True\n"
	for _, c := range []struct {
		name      string
		opts      larkspur.Options
		text      string
		out, fail string
	}{
		{"library", strict, "print(json.encode([1, None]), math.floor(2.5), type(time), struct(a = 1), answer)\n",
			"[1,null] 2 module struct(a = 1) 42\n", ""},
		{"loaded library", strict, "load(\"json.star\", j = \"json\")\nload(\"struct.star\", \"struct\")\nprint(j.decode(\"[1]\"), struct())\n",
			"[1] struct()\n", ""},
		{"first line", larkspur.Options{}, "# dialect: starlark\nprint(1 == True, 1e6)\n", "False 1e+06\n", ""},
		{"a file loaded from a strict one is strict", larkspur.Options{}, "# dialect: starlark\nload(\"lib.star\", \"f\")\nprint(f(1))\n",
			"False\n", ""},
		{"and frozen", strict, "load(\"lib.star\", \"conf\")\nconf[\"b\"] = 2\n", "", "cannot insert into frozen hash table"},
		{"cycle", strict, "load(\"loop.star\", \"x\")\n", "", "cannot load loop.star: cycle in load graph"},
		{"options", strict, "# option:set option:toplevelcontrol\nfor x in [1]:\n    print(set([x]))\n", "set([1])\n", ""},
		{"no options", strict, "for x in [1]:\n    print(x)\n", "", "for loop not within a function"},
		{"no class", strict, "class A:\n    pass\n", "", "got class, want primary expression"},
		{"no Python builtin", strict, "open(\"x\")\n", "", "undefined: open"},
		{"no library in the model dialect", larkspur.Options{}, "json.encode(1)\n", "", "name 'json' is not defined"},
		{"recursion", strict, "def f():\n    return f()\n\nf()\n", "", "function f called recursively"},
		{"the clock is a grant", strict, "time.now()\n", "", "not granted"},
		{"and given", larkspur.Options{Dialect: larkspur.Starlark, Grants: larkspur.Grants{Clock: true}}, "print(type(time.now()))\n",
			"time.time\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := runStrict(t, c.opts, "main.star", map[string]string{
				"main.star": c.text, "lib.star": lib, "loop.star": "load(\"loop.star\", \"x\")\n",
			})
			if out != c.out {
				t.Errorf("printed %q, want %q", out, c.out)
			}
			switch {
			case c.fail == "" && err != nil:
				t.Error(err)
			case c.fail != "" && (err == nil || !strings.Contains(err.Error(), c.fail)):
				t.Errorf("error %v, want %q", err, c.fail)
			}
		})
	}
}
