//go:build gpu && linux

package gpu

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
	"gorgonia.org/cu"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
)

// Environment variables.
const (
	LibraryVariable   = "GOSPHERE_CUBLAS"         // the path of libcublas, or "none" for the built-in matmul kernel
	PrecisionVariable = "GOSPHERE_CUDA_PRECISION" // fp32, or tf32 for matrix products with 10 mantissa bits on tensor cores
)

// none is the value of LibraryVariable that disables cuBLAS.
const none = "none"

// libraries are the file names of cuBLAS, newest first; all versions have the required functions.
var libraries = []string{"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"}

// workspaceBytes is NVIDIA's recommendation for Hopper. With a workspace, cuBLAS allocates no
// memory while a step is recorded, and its results are the same in every run.
const workspaceBytes = 32 << 20

// A blas is cuBLAS on the GPU's stream.
type blas struct {
	handle    uintptr
	one, zero float32
	create    func(handle *uintptr) int32
	destroy   func(handle uintptr) int32
	setStream func(handle, stream uintptr) int32
	setMode   func(handle uintptr, mode int32) int32
	setMemory func(handle uintptr, workspace uintptr, bytes uint64) int32
	version   func(handle uintptr, version *int32) int32
	sgemm     func(handle uintptr, left, right, m, n, k int32, alpha *float32, a uintptr, lda int32, b uintptr, ldb int32,
		beta *float32, c uintptr, ldc int32) int32
}

// openProducts opens the first cuBLAS that multiplies correctly on this GPU, and returns a
// description of the matmul implementation. If there is none, the built-in kernel is used.
func (c *card) openProducts() (string, error) {
	precision, mode := "fp32", int32(0) // CUBLAS_DEFAULT_MATH: float32 throughout
	switch wanted := os.Getenv(PrecisionVariable); wanted {
	case "", "fp32":
	case "tf32":
		precision, mode = wanted, 3 // CUBLAS_TF32_TENSOR_OP_MATH
	default:
		return "", messagef("%s=%s, want fp32 or tf32", PrecisionVariable, wanted)
	}
	missing := "no cuBLAS is found"
	var opened []string // why the libraries that were found are not used
	named := os.Getenv(LibraryVariable)
	for _, path := range candidates(named) {
		library, err := load(path)
		if err == nil {
			var version string
			if version, err = c.openBLAS(path, library, mode); err == nil {
				return precision + " by cuBLAS " + version, nil
			}
			if err := c.dropBLAS(); err != nil {
				return "", err
			}
			opened = append(opened, err.Error())
		}
		switch {
		case errors.Is(err, cu.OutOfMemory), errors.Is(err, device.ErrMemory):
			return "", err
		case named != "":
			return "", messagef("%s=%s: %v", LibraryVariable, named, err)
		}
	}
	if named == none {
		missing = LibraryVariable + "=" + none
	} else if len(opened) > 0 {
		missing = strings.Join(opened, "; ")
	}
	if precision != "fp32" {
		return "", messagef("%s=%s wants cuBLAS, and %s; install it, or name the file in %s", PrecisionVariable, precision, missing, LibraryVariable)
	}
	return precision + " by a kernel of our own: " + missing, nil
}

// candidates returns the paths to try for cuBLAS: the named file, or the names that the loader
// resolves followed by files in the folders of NVIDIA's packages, newest first.
func candidates(named string) []string {
	switch named {
	case "":
	case none:
		return nil
	default:
		return []string{named}
	}
	found := slices.Clone(libraries)
	for _, name := range libraries {
		for _, folder := range folders() {
			files, _ := filepath.Glob(filepath.Join(folder, name)) // the patterns are constant and valid
			found = append(found, files...)
		}
	}
	return found
}

// folders returns patterns of folders that may contain cuBLAS: toolkits, and wheels of the current
// Python.
func folders() []string {
	var all []string
	for _, root := range []string{os.Getenv("CUDA_HOME"), os.Getenv("CUDA_PATH"), "/usr/local/cuda", "/usr/local/cuda-*", "/opt/cuda"} {
		if root != "" {
			all = append(all, filepath.Join(root, "lib64"), filepath.Join(root, "targets", "*-linux", "lib"))
		}
	}
	pythons := []string{os.Getenv("VIRTUAL_ENV"), os.Getenv("CONDA_PREFIX")}
	if python, err := exec.LookPath("python3"); err == nil {
		for range 8 { // one of an environment may be behind links, and is a link itself
			pythons = append(pythons, filepath.Dir(filepath.Dir(python)))
			next, err := os.Readlink(python)
			if err != nil {
				break
			}
			if !filepath.IsAbs(next) {
				next = filepath.Join(filepath.Dir(python), next)
			}
			python = next
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		pythons = append(pythons, filepath.Join(home, ".local"))
	}
	for _, root := range pythons {
		if root == "" {
			continue
		}
		all = append(all, filepath.Join(root, "lib"))
		for _, packages := range []string{"site-packages", "dist-packages"} {
			wheels := filepath.Join(root, "lib", "python3*", packages, "nvidia")
			all = append(all, filepath.Join(wheels, "cu[0-9]*", "lib"), filepath.Join(wheels, "cublas", "lib"))
		}
	}
	return all
}

// load opens a shared library. If the loader does not find its dependency from the same package,
// load opens that first.
func load(path string) (uintptr, error) {
	library, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil && filepath.IsAbs(path) {
		light := filepath.Join(filepath.Dir(path), strings.Replace(filepath.Base(path), "libcublas.", "libcublasLt.", 1))
		if _, failed := purego.Dlopen(light, purego.RTLD_NOW|purego.RTLD_LOCAL); failed == nil {
			return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
		}
	}
	return library, err
}

// openBLAS initializes a library and returns its version. It rejects a library that starts but does
// not multiply correctly, such as a cuBLAS older than the GPU.
func (c *card) openBLAS(path string, library uintptr, mode int32) (version string, err error) {
	b := &blas{one: 1}
	c.blas = b
	for name, function := range map[string]any{"cublasCreate_v2": &b.create, "cublasSetStream_v2": &b.setStream, "cublasSetMathMode": &b.setMode,
		"cublasDestroy_v2": &b.destroy, "cublasSetWorkspace_v2": &b.setMemory, "cublasGetVersion_v2": &b.version, "cublasSgemm_v2": &b.sgemm} {
		symbol, err := purego.Dlsym(library, name)
		if err != nil {
			return "", fmt.Errorf("%s has no %s; version 11 or later is needed", path, name)
		}
		purego.RegisterFunc(function, symbol)
	}
	var number int32
	for _, step := range []func() int32{
		func() int32 { return b.create(&b.handle) },
		func() int32 { return b.version(b.handle, &number) },
		func() int32 { return b.setStream(b.handle, c.handle()) },
		func() int32 { return b.setMode(b.handle, mode) },
	} {
		if code := step(); code != 0 {
			return "", fmt.Errorf("%s does not start: %w", path, blasStatus(code))
		}
	}
	// Set the workspace after the stream, because setting a stream resets it.
	workspace, err := c.allocate(workspaceBytes)
	if err != nil {
		return "", err
	}
	if code := b.setMemory(b.handle, uintptr(workspace), workspaceBytes); code != 0 {
		return "", fmt.Errorf("%s takes no workspace: %w", path, blasStatus(code))
	}
	if err := c.prove(); err != nil {
		return "", fmt.Errorf("%s does not multiply: %w", path, err)
	}
	return versionOf(number), nil
}

// versionOf formats the result of cublasGetVersion: version 11 uses thousands for the major
// version, later ones ten thousands.
func versionOf(number int32) string {
	if number < 100_000 {
		return fmt.Sprintf("11.%d.%d", (number-11_000)/100, number%100)
	}
	return fmt.Sprintf("%d.%d.%d", number/10_000, number/100%100, number%100)
}

// dropBLAS closes a rejected library and frees its memory. All buffers belong to cuBLAS at that
// point.
func (c *card) dropBLAS() error {
	err := c.blas.close()
	c.blas = nil
	for buffer := range c.buffers {
		err = errors.Join(err, c.free(buffer))
	}
	return err
}

// prove multiplies small integers, whose sums are exact in any precision.
func (c *card) prove() error {
	const side = 16
	var values, want [side * side]float32
	for i := range values {
		values[i] = float32(i*7%11 - 5)
	}
	for i := range want {
		for k := range side {
			want[i] += values[i/side*side+k] * values[k*side+i%side]
		}
	}
	bytes := 4 * len(values)
	from, err := c.allocate(2 * bytes)
	if err != nil {
		return err
	}
	to := from + cu.DevicePtr(bytes)
	p := cuda.Product{Dst: cuda.Address(to), A: cuda.Address(from), B: cuda.Address(from), Rows: side, Inner: side, Columns: side}
	got := values
	for _, step := range []func() error{
		func() error { return c.send(from, unsafe.Pointer(&values), len(values)) },
		func() error { return c.multiply(p) },
		func() error { return c.fetch(unsafe.Pointer(&got), to, len(got)) },
		func() error { return c.free(from) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	if got != want {
		return errors.New("its results are wrong")
	}
	return nil
}

// multiply enqueues a matrix product.
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
	code := b.sgemm(b.handle, operation(p.LeftTransposed), operation(p.RightTransposed), int32(p.M), int32(p.N), int32(p.K),
		&b.one, uintptr(p.A), int32(p.LeadingA), uintptr(p.B), int32(p.LeadingB), keep, uintptr(p.C), int32(p.LeadingC))
	if code != 0 {
		return fmt.Errorf("a product of %d×%d×%d fails in cuBLAS: %w", p.M, p.K, p.N, blasStatus(code))
	}
	return nil
}

func (b *blas) close() error {
	if b == nil || b.handle == 0 {
		return nil
	}
	if code := b.destroy(b.handle); code != 0 {
		return fmt.Errorf("cuBLAS does not end: %w", blasStatus(code))
	}
	return nil
}

// blasStatus converts a cuBLAS status to an error, with the names of cublas_api.h.
func blasStatus(code int32) error {
	if code == 3 {
		return cu.OutOfMemory // CUBLAS_STATUS_ALLOC_FAILED
	}
	name := map[int32]string{1: "not initialized", 7: "invalid value", 8: "not made for this GPU", 11: "memory cannot be reached",
		13: "execution failed", 14: "internal error", 15: "not supported", 16: "no license"}[code]
	if name == "" {
		name = "unknown"
	}
	return fmt.Errorf("status %d, %s", code, name)
}
