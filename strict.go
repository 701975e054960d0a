package larkspur

import (
	gotime "time"

	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/value"
	"go.starlark.net/lib/json"
	"go.starlark.net/lib/math"
	"go.starlark.net/lib/time"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// strictLibrary is what files in the strict dialect find beside the language's
// own names: the modules of go.starlark.net's command, and struct. load finds
// each in a file of its name as well, as in load("json.star", "json").
var strictLibrary = map[string]starlark.Value{
	"json":   json.Module,
	"math":   math.Module,
	"time":   time.Module,
	"struct": starlark.NewBuiltin("struct", starlarkstruct.Make),
}

// strictPredeclared fills in the machine's names for the strict dialect; those
// of the host come from Options.Predeclared.
func (rt *Runtime) strictPredeclared(host map[string]value.Value) {
	names := map[string]value.Value{}
	for n, v := range strictLibrary {
		names[n] = value.FromStarlark(v)
	}
	for n, v := range host {
		names[n] = v
	}
	rt.machine.StrictPredeclared = names
}

// strictModule is the module that a strict file loads under the name of a
// library that comes with Larkspur; nil where there is none.
func strictModule(file string) *value.Module {
	name := moduleName(file)
	v, ok := strictLibrary[name]
	if !ok || file != name+".star" {
		return nil
	}
	m := value.NewModule(name)
	m.Set(name, value.FromStarlark(v))
	m.Freeze()
	return m
}

// strictClock puts time.now under the grant of the clock.
func (rt *Runtime) strictClock(th *vm.Thread) {
	time.SetNow(th.HostThread(), func() (gotime.Time, error) {
		if err := rt.grants.CheckClock(); err != nil {
			return gotime.Time{}, err
		}
		return gotime.Now(), nil
	})
}
