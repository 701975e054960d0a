package larkspur

import (
	"github.com/larkspur-ml/larkspur/device"
	"io"
	"io/fs"

	"github.com/larkspur-ml/larkspur/tracer"
)

// Options configure a Runtime. The zero value runs hermetic programs: it grants
// nothing, prints nowhere, and bounds recursion only.
type Options struct {
	// Stdout is where print writes and Stderr where warnings go; nil discards.
	// Stdin is what input reads; nil refuses.
	Stdout, Stderr io.Writer
	Stdin          io.Reader
	// Args is sys.argv.
	Args []string

	// Grants is what programs may touch of the outside.
	Grants Grants

	// Dialect of files that do not choose one by a first line "# dialect: NAME".
	Dialect Dialect
	// JIT is the compilation mode.
	JIT JITMode
	// KeepRecordings keeps recordings whose objects are gone, so that Explain can
	// tell of them when the program has ended.
	KeepRecordings bool
	// Backends are compilers of captured graphs beside the built-in ones ("eager",
	// "aot_eager", "inductor"), by the name that torch.compile(backend=NAME) takes.
	Backends map[string]Backend
	// Backend names the one for code that is recorded because it runs often;
	// empty means "inductor".
	Backend string

	// recording, in tests, changes how recordings are made.
	recording func(*tracer.Options)

	// Target chooses how kernels run on the CPU; empty means TargetAuto.
	Target Target

	// Devices finds GPUs; nil leaves the Runtime with the CPU. Package device/cuda
	// has one for NVIDIA's.
	Devices device.Driver

	// Dump names stages of the pipeline (DumpStages), each STAGE or STAGE:NAME,
	// that are printed to DumpTo as they are passed.
	Dump   []string
	DumpTo io.Writer

	// Seed starts torch's default random stream until a program seeds it;
	// 0: 67280421310721, a constant of PyTorch.
	Seed uint64

	// Threads bounds the goroutines of one kernel; 0: the processors.
	Threads int
	// MemoryLimit bounds the bytes of live tensors; 0: no bound. Over it, and
	// with nothing to collect, RuntimeError is raised.
	MemoryLimit int64
	// HeapLimit bounds the bytes of the process's Go heap while a program runs;
	// 0: no bound. Over it, after a collection, MemoryError is raised: without a
	// bound a program that makes ever more objects ends the process.
	HeapLimit int64
	// StepLimit bounds the calls, backward jumps and items of one call from Go; 0: no bound.
	StepLimit uint64
	// RecursionLimit bounds the depth of calls; 0 means 1,000.
	RecursionLimit int

	// Modules are host modules that programs can import: member values by
	// name, each anything that Func.Call takes, or a Go function of the form
	// func(*Call) (any, error).
	Modules map[string]map[string]any
	// Predeclared are names that every module sees.
	Predeclared map[string]any
	// ImportFS, if set, is where modules that are not built in are looked for,
	// after the folder of the importing file.
	ImportFS fs.FS
}

// Dialect chooses the language of a file.
type Dialect uint8

const (
	// Model is Starlark grown into the Python that model files use.
	Model Dialect = iota
	// Starlark is the language as go.starlark.net defines it.
	Starlark
)

// JITMode says when code is compiled.
type JITMode uint8

const (
	// JITOff interprets; each op is still a compiled kernel of its own.
	JITOff JITMode = iota
	// JITSync records what runs often and compiles it at once.
	JITSync
	// JITAuto records what runs often and compiles it in the background, while
	// the interpreter goes on.
	JITAuto
)

// Grants are capabilities. Folders and files are granted with all they contain;
// relative ones are resolved when the Runtime is made.
type Grants struct {
	Read  []string // files and folders that may be read
	Write []string // files and folders that may be written and read
	Clock bool     // time, perf_counter, sleep
	Env   bool     // environment variables
	// Terminal says that Stdout is a terminal of this width; 0: it is none.
	Terminal int
}
