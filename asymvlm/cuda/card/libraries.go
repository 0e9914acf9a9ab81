//go:build gpu && linux

package card

import (
	"fmt"
	"os"
	"strings"

	"github.com/ebitengine/purego"
	"gorgonia.org/cu"

	"gosphere/asymvlm/cuda"
)

// Variables of the environment.
const (
	LibraryVariable   = "GOSPHERE_CUBLAS"         // the path of a libcublas, where the loader does not find one
	PrecisionVariable = "GOSPHERE_CUDA_PRECISION" // fp32, or tf32 for products of 10 bits on tensor cores
)

// libraries are the names of cuBLAS, the newest first; all have the functions that are used here.
var libraries = []string{"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"}

// A blas is cuBLAS on the card's stream.
type blas struct {
	precision string
	handle    uintptr
	one, zero float32
	destroy   func(handle uintptr) int32
	setMemory func(handle uintptr, workspace uintptr, bytes uint64) int32
	sgemm     func(handle uintptr, left, right, m, n, k int32, alpha *float32, a uintptr, lda int32, b uintptr, ldb int32,
		beta *float32, c uintptr, ldc int32) int32
}

// openBLAS opens the library. Errors name what was looked for.
func openBLAS(stream uintptr) (*blas, error) {
	names := libraries
	if path := os.Getenv(LibraryVariable); path != "" {
		names = []string{path}
	}
	b := &blas{one: 1, precision: "fp32"}
	mode := int32(0) // CUBLAS_DEFAULT_MATH: float32 throughout
	switch wanted := os.Getenv(PrecisionVariable); wanted {
	case "", "fp32":
	case "tf32":
		b.precision, mode = wanted, 3 // CUBLAS_TF32_TENSOR_OP_MATH
	default:
		return nil, fmt.Errorf("%s=%s, want fp32 or tf32", PrecisionVariable, wanted)
	}
	var library uintptr
	var reasons []string
	for _, name := range names {
		var err error
		if library, err = purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL); err == nil {
			break
		}
		reasons = append(reasons, err.Error())
	}
	if library == 0 {
		return nil, fmt.Errorf("cuBLAS is not found (%s); install it, or name the file in %s", strings.Join(reasons, "; "), LibraryVariable)
	}
	var create func(handle *uintptr) int32
	var setStream func(handle, stream uintptr) int32
	var setMode func(handle uintptr, mode int32) int32

	for name, function := range map[string]any{"cublasCreate_v2": &create, "cublasSetStream_v2": &setStream, "cublasSetMathMode": &setMode,
		"cublasDestroy_v2": &b.destroy, "cublasSetWorkspace_v2": &b.setMemory, "cublasSgemm_v2": &b.sgemm} {
		symbol, err := purego.Dlsym(library, name)
		if err != nil {
			return nil, fmt.Errorf("cuBLAS has no %s; version 11 or later is needed", name)
		}
		purego.RegisterFunc(function, symbol)
	}
	status := create(&b.handle)
	if status == 0 {
		status = setStream(b.handle, stream)
	}
	if status == 0 {
		status = setMode(b.handle, mode)
	}
	if status != 0 {
		_ = b.close() // the first error tells more
		return nil, fmt.Errorf("cuBLAS does not start: status %d", status)
	}
	return b, nil
}

// use gives the library memory to work in; without it, it would take some when it wants it.
func (b *blas) use(workspace cu.DevicePtr) error {
	if status := b.setMemory(b.handle, uintptr(workspace), workspaceBytes); status != 0 {
		return fmt.Errorf("cuBLAS takes no workspace: status %d", status)
	}
	return nil
}

// multiply puts a product into the stream.
func (b *blas) multiply(p cuda.ColumnMajorProduct) error {
	operation := func(transposed bool) int32 {
		if transposed {
			return 1
		}
		return 0
	}
	keep := &b.zero
	if p.Add {
		keep = &b.one
	}
	status := b.sgemm(b.handle, operation(p.LeftTransposed), operation(p.RightTransposed), int32(p.M), int32(p.N), int32(p.K),
		&b.one, uintptr(p.A), int32(p.LeadingA), uintptr(p.B), int32(p.LeadingB), keep, uintptr(p.C), int32(p.LeadingC))
	if status != 0 {
		return fmt.Errorf("a product of %d×%d×%d fails in cuBLAS: status %d", p.M, p.K, p.N, status)
	}
	return nil
}

func (b *blas) close() error {
	if b == nil || b.handle == 0 {
		return nil
	}
	if status := b.destroy(b.handle); status != 0 {
		return fmt.Errorf("cuBLAS does not end: status %d", status)
	}
	return nil
}

// graphs are the functions of the driver for recordings, which gorgonia.org/cu lacks.
type graphs struct {
	begin       func(stream uintptr, mode int32) int32
	end         func(stream uintptr, graph *uintptr) int32
	instantiate func(runnable *uintptr, graph uintptr, flags uint64) int32
	start       func(runnable, stream uintptr) int32
	forget      func(graph uintptr) int32
	release     func(runnable uintptr) int32
}

func openGraphs() (*graphs, error) {
	library, err := purego.Dlopen("libcuda.so.1", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, err
	}
	g := &graphs{}
	for name, function := range map[string]any{
		"cuStreamBeginCapture_v2": &g.begin, "cuStreamEndCapture": &g.end, "cuGraphInstantiateWithFlags": &g.instantiate,
		"cuGraphLaunch": &g.start, "cuGraphDestroy": &g.forget, "cuGraphExecDestroy": &g.release,
	} {
		symbol, err := purego.Dlsym(library, name)
		if err != nil {
			return nil, fmt.Errorf("the NVIDIA driver has no %s; update it", name)
		}
		purego.RegisterFunc(function, symbol)
	}
	return g, nil
}

// A graph is work of the stream that can be played.
type graph struct {
	card     *card
	runnable uintptr
}

// Record captures the work that a function puts into the stream.
func (c *card) Record(work func() error) (cuda.Recording, error) {
	// CU_STREAM_CAPTURE_MODE_RELAXED: the first step to be recorded is the first that is wanted at all, and the driver loads a
	// kernel, ours or one of cuBLAS, when it is first wanted. The stricter modes forbid that.
	const relaxed = 2
	if err := c.do(func() error { return c.graphs.check("begin", c.graphs.begin(c.handle(), relaxed)) }); err != nil {
		return nil, err
	}
	failed := work()
	g := &graph{card: c}
	err := c.do(func() error {
		var captured uintptr
		if err := c.graphs.check("end", c.graphs.end(c.handle(), &captured)); err != nil {
			return err
		}
		if err := c.graphs.check("instantiate", c.graphs.instantiate(&g.runnable, captured, 0)); err != nil {
			return err
		}
		return c.graphs.check("forget", c.graphs.forget(captured))
	})
	if failed != nil {
		return nil, failed
	}
	return g, err
}

// Replay puts the work of a recording into the stream, when the recording before the last one has been done.
func (c *card) Replay(r cuda.Recording) error {
	return c.do(func() error {
		end := c.ends[c.replays%len(c.ends)]
		c.replays++
		if err := end.Synchronize(); err != nil { // returns at once before the event was first recorded
			return err
		}
		if err := c.graphs.launch(r.(*graph), c.handle()); err != nil {
			return err
		}
		return end.Record(c.stream)
	})
}

func (g *graphs) launch(recorded *graph, stream uintptr) error {
	return g.check("launch", g.start(recorded.runnable, stream))
}

// Release forgets a recording.
func (g *graph) Release() error {
	return g.card.do(func() error { return g.card.graphs.check("release", g.card.graphs.release(g.runnable)) })
}

// check names the step of a recording that failed.
func (*graphs) check(step string, status int32) error {
	if status != 0 {
		return fmt.Errorf("a recorded step fails to %s: status %d", step, status)
	}
	return nil
}
