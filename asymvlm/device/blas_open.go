//go:build (blas || gpu) && !windows

package device

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/ebitengine/purego"
)

// Constants of CBLAS.
const (
	rowMajor   = 101
	asItIs     = 111
	transposed = 112
)

// openBLAS opens a shared library and looks up its matrix product. The library is never closed.
func openBLAS(path string) (*blas, error) {
	if strings.ContainsRune(path, os.PathSeparator) {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, errors.New("there is no such file")
		}
	}
	library, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("it is no library that can be opened: %w", err)
	}
	l := &blas{path: path}
	if symbol := find(library, "cblas_sgemm"); symbol != 0 {
		l.multiply = productOf[int32](symbol)
	} else if symbol := find(library, "cblas_sgemm64_", "scipy_cblas_sgemm64_", "cblas_sgemm_64"); symbol != 0 {
		l.multiply = productOf[int64](symbol)
	} else {
		return nil, errors.New("the library has no cblas_sgemm")
	}
	if symbol := find(library, "openblas_set_num_threads", "openblas_set_num_threads64_", "scipy_openblas_set_num_threads64_"); symbol != 0 {
		var set func(int32)
		purego.RegisterFunc(&set, symbol)
		l.threads = func(n int) { set(int32(n)) }
	}
	return l, nil
}

// find returns the address of the first of the symbols that the library exports, or 0.
func find(library uintptr, names ...string) uintptr {
	for _, name := range names {
		if symbol, err := purego.Dlsym(library, name); err == nil {
			return symbol
		}
	}
	return 0
}

// productOf returns a matrix product that calls cblas_sgemm with integers of the given width;
// enumerations are always C's int.
func productOf[Int int32 | int64](symbol uintptr) func(form, Matrix[float32], Matrix[float32], Matrix[float32]) {
	var sgemm func(order, transA, transB int32, m, n, k Int, alpha float32, a *float32, lda Int, b *float32, ldb Int,
		beta float32, c *float32, ldc Int)
	purego.RegisterFunc(&sgemm, symbol)
	return func(f form, dst, a, b Matrix[float32]) {
		left, right, inner := int32(asItIs), int32(asItIs), a.Columns
		if f.leftTransposed {
			left, inner = transposed, a.Rows
		}
		if f.rightTransposed {
			right = transposed
		}
		sgemm(rowMajor, left, right, Int(dst.Rows), Int(dst.Columns), Int(inner), 1, &a.Values[0], Int(a.Columns),
			&b.Values[0], Int(b.Columns), 0, &dst.Values[0], Int(dst.Columns))
	}
}
