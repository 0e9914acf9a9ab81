//go:build gpu && linux

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ebitengine/purego"
	"gorgonia.org/cu"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/nn"
)

// The tests use a simulated GPU: asymvlm/internal/cuda/testdriver/parity.sh compiles its driver and
// runs them with its folder in LD_LIBRARY_PATH.
var played struct {
	begin    func(call, status int32, bytes uint64)
	said     func() int32
	name     func(call int32) string
	wrongs   func() int32
	wrong    func(call int32) string
	underWay func() int32
	bytes    func() uint64
}

const gigabyte = 1 << 30

// Driver status codes.
const (
	outOfMemory  = 2
	invalidPTX   = 218
	launchFailed = 719
)

func TestMain(m *testing.M) {
	library, err := purego.Dlopen("libcuda.so.1", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err == nil {
		_, err = purego.Dlsym(library, "played_begin")
	}
	if err != nil {
		fmt.Println("no card is played here; make played runs these tests")
		os.Exit(0)
	}
	purego.RegisterLibFunc(&played.begin, library, "played_begin")
	purego.RegisterLibFunc(&played.said, library, "played_said")
	purego.RegisterLibFunc(&played.name, library, "played_name")
	purego.RegisterLibFunc(&played.wrongs, library, "played_wrongs")
	purego.RegisterLibFunc(&played.wrong, library, "played_wrong")
	purego.RegisterLibFunc(&played.underWay, library, "played_under_way")
	purego.RegisterLibFunc(&played.bytes, library, "played_bytes")
	if c, err := open(); err == nil { // opens the driver before calls are counted
		_ = c.Close()
	}
	os.Exit(m.Run())
}

// calls returns the driver calls since the GPU was opened.
func calls() []string {
	names := make([]string, played.said())
	for i := range names {
		names[i] = played.name(int32(i))
	}
	return names
}

// legal fails the test if the driver rejected a call that must never be made, apart from injected
// failures.
func legal(t *testing.T, what string) {
	t.Helper()
	for i := range played.wrongs() {
		t.Errorf("%s: %s", what, played.wrong(i))
	}
}

// brief counts repetitions and removes common prefixes of names.
func brief(names []string) string {
	var short []string
	for i := 0; i < len(names); {
		next := i
		for next < len(names) && names[next] == names[i] {
			next++
		}
		text := strings.TrimSuffix(strings.TrimPrefix(names[i], "cu"), "_v2")
		if next > i+1 {
			text = fmt.Sprintf("%d %s", next-i, text)
		}
		short, i = append(short, text), next
	}
	return strings.Join(short, ", ")
}

// problem returns a small training of PCME++, which has matrix products of all forms, and its work.
func problem(t *testing.T) (*nn.Learner, device.TrainingPlan) {
	t.Helper()
	l, err := nn.NewLearner(device.Reference[float32]{}, nn.Architecture{Dimension: 4, Hidden: 5, HiddenLayers: 1, Objective: nn.PCMEPP,
		Optimizer: nn.AdamW}, 3)
	if err != nil {
		t.Fatal(err)
	}
	work, _, _ := l.Work()
	for i := range work.Parameters {
		work.Parameters[i] = float32(math.Sin(float64(i))) / 2
	}
	work.Stretch, work.AnchorStretch = 1, 1
	for _, m := range []*device.Matrix[float32]{&work.Adapted, &work.Anchors} {
		*m = device.NewMatrix[float32](6, 4)
		for i := range m.Values {
			m.Values[i] = float32(math.Cos(float64(3*i + len(work.AdaptedOf))))
		}
		work.AdaptedOf, work.AnchorOf = []int{0, 1, 2, 3, 4, 5}, []int{0, 1, 2, 3, 4, 5}
	}
	return l, work
}

// rate is the rate of all steps.
var rate = device.Rate{Rate: 0.01, Momentum: 0.9, WeightDecay: 1e-2}

// whole runs a training of two steps on the simulated GPU, the last three pairs first, and copies
// its parameters back.
func whole(work device.TrainingPlan, parameters []float32, memory [][]float32) (err error) {
	driver, err := open()
	if err != nil {
		return err
	}
	ops, err := cuda.New(driver)
	if err != nil {
		return err
	}
	defer ops.Close()
	residence, err := ops.Train(work)
	if err != nil {
		return err
	}
	defer residence.Close()
	if err := residence.Order([]int{5, 4, 3, 2, 1, 0}); err != nil {
		return err
	}
	steps := []device.PlannedStep{{From: 0, Rows: 3, Rate: rate, Adam: device.NewAdamStep(rate, 1)}, {From: 3, Rows: 3, Rate: rate, Adam: device.NewAdamStep(rate, 2)}}
	seen, err := residence.Steps(context.Background(), steps)
	if err != nil {
		return err
	}
	if len(seen) != 2 {
		return fmt.Errorf("%d steps", len(seen))
	}
	return residence.Save(parameters, memory)
}

func vectors(work device.TrainingPlan) ([]float32, [][]float32) {
	return slices.Clone(work.Parameters), [][]float32{make([]float32, len(work.Parameters)), make([]float32, len(work.Parameters))}
}

// The complete list of driver calls, from the first to the last.
func TestTheDriverIsAskedInThisOrder(t *testing.T) {
	_, work := problem(t)
	played.begin(0, 0, gigabyte)
	parameters, memory := vectors(work)
	if err := whole(work, parameters, memory); err != nil {
		t.Fatal(err)
	}
	all := calls()
	begin, end := slices.Index(all, "cuStreamBeginCapture_v2"), slices.Index(all, "cuStreamEndCapture")
	if begin < 0 || end < begin {
		t.Fatalf("no step is recorded: %s", brief(all))
	}
	before, captured, after := brief(all[:begin]), all[begin+1:end], brief(all[end+1:])
	const start = "DeviceGetCount, DeviceGet, DeviceGetName, 2 DeviceGetAttribute, DeviceTotalMem, DevicePrimaryCtxRetain, CtxSetCurrent, StreamCreate, 2 EventCreate, " +
		"blasCreate, blasGetVersion, blasSetStream, blasSetMathMode, MemAlloc, blasSetWorkspace, MemAlloc, MemcpyHtoDAsync, StreamSynchronize, " +
		"blasSgemm, MemcpyDtoHAsync, StreamSynchronize, MemFree, ModuleLoadData, "
	if !strings.HasPrefix(before, start) {
		t.Errorf("a card begins with %s, want %s", before, start)
	}
	for _, name := range captured {
		if !slices.Contains([]string{"cuLaunchKernel", "cublasSgemm_v2"}, name) {
			t.Errorf("%s while a step is recorded", name)
		}
	}
	launches, products := count(captured, "cuLaunchKernel"), count(captured, "cublasSgemm_v2")
	functions, limits := count(all[:begin], "cuModuleGetFunction"), count(all[:begin], "cuFuncGetAttribute")
	costs, err := cuda.Budget(work)
	if err != nil {
		t.Fatal(err)
	}
	if launches+products != len(costs) || functions != 10 || limits != 10 {
		t.Errorf("%d starts of %d kernels and %d products are recorded, want %d parts of 10 kernels", launches, functions, products, len(costs))
	}
	if all[begin-1] != "cuStreamSynchronize" {
		t.Errorf("before a step is recorded the stream is not waited for, but asked for %s", all[begin-1])
	}
	const steps = "GraphInstantiateWithFlags, GraphDestroy, MemcpyHtoDAsync, StreamSynchronize, MemcpyHtoDAsync, StreamSynchronize, " +
		"EventSynchronize, GraphLaunch, EventRecord, EventSynchronize, GraphLaunch, EventRecord, StreamSynchronize, " +
		"MemcpyDtoHAsync, StreamSynchronize, MemcpyDtoHAsync, StreamSynchronize, " +
		"MemcpyDtoHAsync, StreamSynchronize, MemcpyDtoHAsync, StreamSynchronize, MemcpyDtoHAsync, StreamSynchronize, GraphExecDestroy, "
	if !strings.HasPrefix(after, steps) {
		t.Errorf("two steps are\n%s, want\n%s", after, steps)
	}
	const finish = "MemFree, blasDestroy, MemFree, ModuleUnload, 2 EventDestroy, StreamDestroy, DevicePrimaryCtxRelease"
	if !strings.HasSuffix(after, finish) {
		t.Errorf("a card ends with %s, want %s", after, finish)
	}
	if count(all, "cuMemAlloc_v2") != count(all, "cuMemFree_v2") {
		t.Errorf("%d buffers are taken, %d given back", count(all, "cuMemAlloc_v2"), count(all, "cuMemFree_v2"))
	}
	if most := played.underWay(); most != 2 {
		t.Errorf("%d recordings are under way at once, want 2", most)
	}
	legal(t, "a training")
}

func count(names []string, name string) int {
	n := 0
	for _, other := range names {
		if other == name {
			n++
		}
	}
	return n
}

// Whichever call fails, the error reports it, the parameters are not changed, the GPU is released,
// and no other call is made.
func TestAnErrorOfAnyCallIsToldAndTouchesNothing(t *testing.T) {
	_, work := problem(t)
	played.begin(0, 0, gigabyte)
	parameters, memory := vectors(work)
	if err := whole(work, parameters, memory); err != nil {
		t.Fatal(err)
	}
	all := calls()
	cleaning := slices.Index(all, "cuGraphExecDestroy") // from here on everything is saved
	blas, proved := slices.Index(all, "cublasCreate_v2")+1, slices.Index(all, "cuModuleLoadData")+1
	for call := 1; call <= len(all); call++ {
		for _, status := range []int32{launchFailed, outOfMemory} {
			if takes := slices.Contains([]string{"cuMemAlloc_v2", "cuDevicePrimaryCtxRetain", "cuModuleLoadData"}, all[call-1]); status == outOfMemory && !takes {
				continue
			}
			played.begin(int32(call), status, gigabyte)
			parameters, memory := vectors(work)
			err := whole(work, parameters, memory)
			what := fmt.Sprintf("call %d, %s, with status %d", call, all[call-1], status)
			if call > cleaning {
				if err != nil {
					t.Errorf("%s, after everything was saved: %v", what, err)
				}
				continue
			}
			if call >= blas && call < proved && status != outOfMemory { // the training falls back to the built-in matmul kernel
				if err != nil || !slices.Contains(calls()[call:], "cuGraphLaunch") {
					t.Errorf("%s, while cuBLAS begins: error %v", what, err)
				}
				continue
			}
			if err == nil {
				t.Errorf("%s: no error", what)
				continue
			}
			if !slices.Equal(parameters, work.Parameters) || memory[0][0] != 0 || memory[1][0] != 0 {
				t.Errorf("%s: parameters or memory changed", what)
			}
			if text := err.Error(); !strings.Contains(text, "the GPU failed: ") && !strings.Contains(text, "too little free memory") {
				t.Errorf("%s: error %v", what, err)
			}
			asked := calls()
			if created := slices.Contains(asked[:min(call-1, len(asked))], "cuDevicePrimaryCtxRetain"); created != (asked[len(asked)-1] == "cuDevicePrimaryCtxRelease_v2") {
				t.Errorf("%s: ends with %s", what, asked[len(asked)-1])
			}
			if left := played.bytes(); left != 0 {
				t.Errorf("%s: %d bytes are left", what, left)
			}
			if status == outOfMemory {
				continue
			}
			for _, name := range asked[call:] {
				if !regexp.MustCompile("Destroy|Release|Unload|MemFree|EndCapture").MatchString(name) {
					t.Errorf("%s: the lost card is asked for %s", what, name)
				}
			}
		}
	}
}

// Too little memory for any buffer is reported with the required size, and all buffers are freed;
// the GPU remains usable.
func TestTooLittleMemoryIsToldAndTheCardGoesOn(t *testing.T) {
	_, work := problem(t)
	played.begin(0, 0, workspaceBytes+2048)
	driver, err := open()
	if err != nil {
		t.Fatal(err)
	}
	ops, err := cuda.New(driver)
	if err != nil {
		t.Fatal(err)
	}
	defer ops.Close()
	_, err = ops.Train(work)
	for _, want := range []string{"cuda: the training wants 0.00 GB of played card, compute capability 9.0, 1 GiB, fp32 by cuBLAS 12.4.5, ", "a smaller batch or the device cpu helps: ",
		"the GPU has too little free memory: ", " bytes wanted in one piece, ", " bytes free"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	if left := played.bytes(); left != workspaceBytes {
		t.Errorf("%d bytes are left, want those of cuBLAS", left)
	}
	func() {
		defer func() {
			err, _ := recover().(error)
			const want = "1.44 MB wanted in one piece, 2048 bytes free"
			if lost := new(device.LostError); err == nil || errors.As(err, &lost) || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("a product panics with %v, want %s", err, want)
			}
		}()
		m := device.NewMatrix[float32](600, 600)
		ops.Product(device.NewMatrix[float32](600, 600), m, m)
	}()
	a, err := driver.Allocate(400)
	if err != nil {
		t.Fatal(err)
	}
	want, got := []float32{1, 2, 3}, make([]float32, 3)
	if err := errors.Join(driver.Write(a, want), driver.Read(got, a), driver.Free(a)); err != nil || !slices.Equal(got, want) {
		t.Errorf("the card gives back %v, error %v", got, err)
	}
}

func TestEveryRefusalOfTheDriverHasItsSentence(t *testing.T) {
	for want, err := range map[string]error{
		"the GPU has too little free memory":                                  cu.OutOfMemory,
		"there is no NVIDIA driver on this machine: libcuda.so.1 cannot be":   cu.NotInitialized,
		"the NVIDIA driver sees no GPU; see nvidia-smi":                       cu.NoDevice,
		"the NVIDIA driver is older than the kernels, which need version 52":  cu.InvalidPtx,
		"the NVIDIA driver has no code for this GPU":                          cu.NoBinaryForGpu,
		"the GPU failed: LaunchFailed":                                        cu.LaunchFailed,
		"the GPU failed: UnknownErrorCode:12345":                              status(12345),
		"the NVIDIA driver is older than the kernels, which need version":     status(222),
		"the NVIDIA driver's compiler, libnvidia-ptxjitcompiler.so.1, cannot": status(221),
		"the NVIDIA driver must not compile kernels":                          status(223),
		"libcuda.so.1 is the toolkit's stub":                                  status(34),
		"the GPU belongs to another process":                                  status(46),
		"the NVIDIA driver has no first GPU":                                  status(101),
		"the GPU's memory has an error":                                       status(214),
		"the machine's NVIDIA services are not ready":                         status(802),
		"the NVIDIA driver's libraries and the kernel's module are":           status(803),
		"the libraries of CUDA's forward compatibility do not know":           status(804),
		"the NVIDIA driver does not reach the MPS server":                     status(805),
		"the GPU failed: something else":                                      errors.New("something else"),
	} {
		if got := sentence(err); got == nil || !strings.HasPrefix(got.Error(), want) {
			t.Errorf("%v is told as %v, want %s", err, got, want)
		}
		if got := sentence(fmt.Errorf("at some place: %w", err)); got == nil || strings.HasPrefix(want, "the GPU failed") != strings.Contains(got.Error(), "at some place") {
			t.Errorf("%v within another is told as %v", err, got)
		}
	}
	if err := sentence(fmt.Errorf("at some place: %w", messagef("a sentence"))); err.Error() != "at some place: a sentence" {
		t.Errorf("a sentence is told as %v", err)
	}
	if sentence(nil) != nil || status(0) != nil {
		t.Error("no error has a sentence")
	}
}

func TestMachinesWithoutAFitCardAreTold(t *testing.T) {
	for _, test := range [][3]string{
		{"PLAYED_CARDS", "0", "the NVIDIA driver sees no GPU"},
		{"PLAYED_MAJOR", "7", "the GPU played card has compute capability 7.0, and the kernels need 7.5"},
		{LibraryVariable, "/nowhere/libcublas.so", "GOSPHERE_CUBLAS=/nowhere/libcublas.so: /nowhere/libcublas.so: "},
		{LibraryVariable, "libc.so.6", "GOSPHERE_CUBLAS=libc.so.6: libc.so.6 has no cublas"},
		{PrecisionVariable, "fp16", "GOSPHERE_CUDA_PRECISION=fp16, want fp32 or tf32"},
	} {
		t.Setenv(test[0], test[1])
		played.begin(0, 0, gigabyte)
		if _, err := open(); err == nil || !strings.HasPrefix(err.Error(), test[2]) || errors.Is(err, device.ErrNoCard) != (test[0] == "PLAYED_CARDS") {
			t.Errorf("%s=%s: error %v, want %s", test[0], test[1], err, test[2])
		}
		asked := calls()
		if slices.Contains(asked, "cuDevicePrimaryCtxRetain") != slices.Contains(asked, "cuDevicePrimaryCtxRelease_v2") {
			t.Errorf("%s=%s: the context is left behind: %s", test[0], test[1], brief(asked))
		}
		os.Unsetenv(test[0])
	}
}

// If the driver rejects the module, the error is reported when the device is created, and the GPU
// is released.
func TestAModuleThatTheDriverDoesNotTakeIsToldAtTheStart(t *testing.T) {
	played.begin(0, 0, gigabyte)
	driver, err := open()
	if err != nil {
		t.Fatal(err)
	}
	played.begin(1, invalidPTX, gigabyte)
	if _, err := cuda.New(driver); err == nil || !strings.Contains(err.Error(), "older than the kernels, which need version 520") {
		t.Errorf("error %v", err)
	}
	if asked := calls(); asked[len(asked)-1] != "cuDevicePrimaryCtxRelease_v2" {
		t.Errorf("the driver is asked %s", brief(asked))
	}
}

func TestThePrecisionIsToldAndSet(t *testing.T) {
	for variable, want := range map[string]string{"": "fp32", "fp32": "fp32", "tf32": "tf32"} {
		t.Setenv(PrecisionVariable, variable)
		played.begin(0, 0, gigabyte)
		c, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if name := c.Name(); name != "played card, compute capability 9.0, 1 GiB, "+want+" by cuBLAS 12.4.5" {
			t.Errorf("%q gives %s", variable, name)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
