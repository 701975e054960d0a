package main

import (
	"fmt"
	"time"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// starlarkOptions is the most that go.starlark.net allows: without while and
// recursion most programs would be none of its.
var starlarkOptions = &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}

// starlarkPatience bounds the repetitions of a program that is slow there: one
// that takes longer is measured once in all (t = t + "xy" copies t each time there).
const starlarkPatience = 2 * time.Second

// validStarlark reports whether a program means something to go.starlark.net:
// whether it parses, and every name in it is known.
func validStarlark(name string, src []byte) bool {
	f, err := starlarkOptions.Parse(name+".py", src, 0)
	if err != nil {
		return false
	}
	return resolve.File(f, func(string) bool { return false }, starlark.Universe.Has) == nil
}

// runStarlark is runHere in go.starlark.net's interpreter.
func runStarlark(name string) {
	defer collector()()
	src, err := progs.ReadFile("progs/" + name + ".py")
	check(err)
	thread := &starlark.Thread{Name: name}
	globals, err := starlark.ExecFileOptions(starlarkOptions, thread, name+".py", src, nil)
	check(err)
	best := 1e9
	var result starlark.Value
	for begin := time.Now(); best == 1e9 || time.Since(begin) < starlarkPatience; {
		start := processTime()
		result, err = starlark.Call(thread, globals["main"], nil, nil)
		check(err)
		best = min(best, processTime()-start)
	}
	fmt.Println(best, result.String())
}
