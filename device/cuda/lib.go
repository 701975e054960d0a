package cuda

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// The driver's functions by their versioned names; a call is made by address.
type api struct {
	Init, DriverGetVersion, GetErrorName, GetErrorString                                   uintptr
	DeviceGetCount, DeviceGet, DeviceGetName, DeviceGetAttribute, DeviceTotalMem           uintptr
	DevicePrimaryCtxRetain, CtxSetCurrent                                                  uintptr
	MemAlloc, MemFree, MemGetInfo, MemHostAlloc                                            uintptr
	MemcpyHtoDAsync, MemcpyDtoHAsync, MemcpyDtoDAsync, MemsetD8Async                       uintptr
	StreamCreate, StreamSynchronize, StreamWaitEvent                                       uintptr
	EventCreate, EventRecord, EventQuery, EventSynchronize, EventElapsedTime, EventDestroy uintptr
	ModuleLoadDataEx, ModuleGetFunction, FuncSetAttribute, LaunchKernel                    uintptr
	LinkCreate, LinkAddData, LinkComplete, LinkDestroy                                     uintptr
}

func (a *api) table() map[string]*uintptr {
	return map[string]*uintptr{
		"cuInit": &a.Init, "cuDriverGetVersion": &a.DriverGetVersion, "cuGetErrorName": &a.GetErrorName, "cuGetErrorString": &a.GetErrorString,
		"cuDeviceGetCount": &a.DeviceGetCount, "cuDeviceGet": &a.DeviceGet, "cuDeviceGetName": &a.DeviceGetName,
		"cuDeviceGetAttribute": &a.DeviceGetAttribute, "cuDeviceTotalMem_v2": &a.DeviceTotalMem,
		"cuDevicePrimaryCtxRetain": &a.DevicePrimaryCtxRetain, "cuCtxSetCurrent": &a.CtxSetCurrent,
		"cuMemAlloc_v2": &a.MemAlloc, "cuMemFree_v2": &a.MemFree, "cuMemGetInfo_v2": &a.MemGetInfo, "cuMemHostAlloc": &a.MemHostAlloc,
		"cuMemcpyHtoDAsync_v2": &a.MemcpyHtoDAsync, "cuMemcpyDtoHAsync_v2": &a.MemcpyDtoHAsync, "cuMemcpyDtoDAsync_v2": &a.MemcpyDtoDAsync,
		"cuMemsetD8Async": &a.MemsetD8Async, "cuStreamCreate": &a.StreamCreate, "cuStreamSynchronize": &a.StreamSynchronize,
		"cuStreamWaitEvent": &a.StreamWaitEvent, "cuEventCreate": &a.EventCreate, "cuEventRecord": &a.EventRecord, "cuEventQuery": &a.EventQuery,
		"cuEventSynchronize": &a.EventSynchronize, "cuEventElapsedTime": &a.EventElapsedTime, "cuEventDestroy_v2": &a.EventDestroy,
		"cuModuleLoadDataEx": &a.ModuleLoadDataEx, "cuModuleGetFunction": &a.ModuleGetFunction, "cuLaunchKernel": &a.LaunchKernel, "cuFuncSetAttribute": &a.FuncSetAttribute,
		"cuLinkCreate_v2": &a.LinkCreate, "cuLinkAddData_v2": &a.LinkAddData, "cuLinkComplete": &a.LinkComplete, "cuLinkDestroy": &a.LinkDestroy,
	}
}

// graphAPI are the functions of graphs; a driver that lacks one has none of them.
type graphAPI struct {
	GraphCreate, GraphDestroy, GraphAddKernelNode, GraphAddMemcpyNode, GraphInstantiate       uintptr
	GraphExecKernelNodeSetParams, GraphExecMemcpyNodeSetParams, GraphExecDestroy, GraphLaunch uintptr
}

func (a *graphAPI) table() map[string]*uintptr {
	return map[string]*uintptr{
		"cuGraphCreate": &a.GraphCreate, "cuGraphDestroy": &a.GraphDestroy, "cuGraphAddKernelNode": &a.GraphAddKernelNode,
		"cuGraphAddMemcpyNode": &a.GraphAddMemcpyNode, "cuGraphInstantiateWithFlags": &a.GraphInstantiate,
		"cuGraphExecKernelNodeSetParams": &a.GraphExecKernelNodeSetParams, "cuGraphExecMemcpyNodeSetParams": &a.GraphExecMemcpyNodeSetParams,
		"cuGraphExecDestroy": &a.GraphExecDestroy, "cuGraphLaunch": &a.GraphLaunch,
	}
}

// libraryName is the driver's name; its version is that of the binary interface.
const libraryName = "libcuda.so.1"

// folders are looked into after the loader's own search.
var folders = []string{"/usr/local/nvidia/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/wsl/lib", "/usr/local/cuda/compat"}

// Options say how the driver is found and used.
type Options struct {
	// Library is the path of the driver; empty: it is looked for.
	Library string
	// CacheDir keeps compiled code between processes, if it is set. It is made for
	// the user alone, and what is in it is checked before it is used.
	CacheDir string
	// NoBLAS leaves all products to our own kernels; else cuBLASLt is used where it is
	// found and faster. BLAS is its path; empty: it is looked for.
	NoBLAS bool
	BLAS   string
}

// Driver is the installed driver. It implements device.Driver.
type Driver struct {
	opts  Options
	once  sync.Once
	api   api
	graph graphAPI
	err   error
	n     int

	mu   sync.Mutex
	gpus []*GPU
}

// New makes a Driver. Nothing is opened before it is asked for something.
func New(o Options) *Driver { return &Driver{opts: o} }

// open finds and initialises the driver, once.
func (d *Driver) open() error {
	d.once.Do(func() { d.err = d.find() })
	return d.err
}

func (d *Driver) find() error {
	var tried []string
	lib := uintptr(0)
	try := func(path string) bool {
		if strings.Contains(path, "/") {
			if _, err := os.Stat(path); err != nil {
				tried = append(tried, path)
				return false
			}
		}
		h, err := openLibrary(path)
		if err != nil {
			tried = append(tried, fmt.Sprintf("%s (%s)", path, strings.TrimPrefix(err.Error(), path+": ")))
			return false
		}
		lib = h
		return true
	}
	if d.opts.Library != "" {
		try(d.opts.Library)
	} else if !try(libraryName) {
		for _, f := range folders {
			if try(filepath.Join(f, libraryName)) {
				break
			}
		}
	}
	if lib == 0 {
		return fmt.Errorf("no CUDA driver: looked for %s", strings.Join(tried, ", "))
	}
	for name, at := range d.api.table() {
		p, err := symbol(lib, name)
		if err != nil {
			return fmt.Errorf("no CUDA driver: the one found has no %s", name)
		}
		*at = p
	}
	for name, at := range d.graph.table() {
		if p, err := symbol(lib, name); err == nil {
			*at = p
			continue
		}
		d.graph = graphAPI{}
		break
	}
	if err := d.call("cuInit", d.api.Init, 0); err != nil {
		return fmt.Errorf("no CUDA driver: %w", err)
	}
	n := new(int32)
	if err := d.call("cuDeviceGetCount", d.api.DeviceGetCount, ptr(n)); err != nil {
		return err
	}
	d.n = int(*n)
	d.gpus = make([]*GPU, d.n)
	return nil
}

// Count implements device.Driver.
func (d *Driver) Count() (int, error) {
	if err := d.open(); err != nil {
		return 0, err
	}
	return d.n, nil
}

// driverError is a result of the driver that is not success.
type driverError struct {
	code       int
	name, text string
	call       string
}

func (e *driverError) Error() string {
	return fmt.Sprintf("CUDA error: %s (%s, from %s)", e.text, e.name, e.call)
}

// Results that are told apart.
const (
	errOutOfMemory = 2
	errNotReady    = 600
)

// ptr is an address for the driver. What it points to is on the heap: a stack may move
// while the driver has its address. The caller keeps it alive, by a use after the call.
func ptr[T any](p *T) uintptr {
	if escape != nil {
		escape(unsafe.Pointer(p))
	}
	return uintptr(unsafe.Pointer(p))
}

// escape is never set; what may be given to a function that is not known is on the heap.
var escape func(unsafe.Pointer)

// call calls the driver. Pointers among the arguments are ptr's, or of memory that
// does not move.
func (d *Driver) call(name string, f uintptr, a ...uintptr) error {
	r, _, _ := purego.SyscallN(f, a...)
	if int32(r) == 0 {
		return nil
	}
	return d.failure(name, int32(r))
}

func (d *Driver) failure(call string, code int32) error {
	text := func(f uintptr) string {
		p := new(*byte)
		if r, _, _ := purego.SyscallN(f, uintptr(code), ptr(p)); int32(r) != 0 || *p == nil {
			return fmt.Sprintf("error %d", code)
		}
		n := 0
		for *(*byte)(unsafe.Add(unsafe.Pointer(*p), n)) != 0 {
			n++
		}
		return string(unsafe.Slice(*p, n))
	}
	return &driverError{int(code), text(d.api.GetErrorName), text(d.api.GetErrorString), call}
}
