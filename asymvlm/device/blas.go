package device

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// BLASVariable is the environment variable that names a shared library with cblas_sgemm, such as
// OpenBLAS, to use for matrix products instead of the built-in kernels.
const BLASVariable = "GOSPHERE_BLAS"

// A blas is the matrix product of a library: dst = a·b with a or b transposed, row-major.
type blas struct {
	path     string
	multiply func(f form, dst, a, b Matrix[float32])
	threads  func(n int) // nil if the library has no such function
	least    float64     // smallest number of multiplications and additions for which it is used
}

// A ForeignProduct describes a product dst = a·b, with a or b transposed, to be computed outside
// this package.
type ForeignProduct struct {
	Dst, A, B                       Matrix[float32]
	LeftTransposed, RightTransposed bool
}

// GiveProducts sets a function that computes products of at least least multiplications and
// additions, for example on a GPU, and its name. The function is called by one goroutine at a time.
func (c *CPU) GiveProducts(name string, least float64, multiply func(ForeignProduct)) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.blas = &blas{path: name, least: least, multiply: func(f form, dst, a, b Matrix[float32]) {
		multiply(ForeignProduct{dst, a, b, f.leftTransposed, f.rightTransposed})
	}}
}

// UseBLAS makes a shared library compute the following matrix products. The library must export
// cblas_sgemm, under that name or those of OpenBLAS with 64-bit integers. UseBLAS first compares
// small products of all forms with the reference. Only builds with the tag blas or gpu can open
// libraries, because the default build is static.
func (c *CPU) UseBLAS(path string) error {
	if c.kernel.paired {
		return fmt.Errorf("device: %s=%s: products of a library are in float32, not in %s", BLASVariable, path, BFloat16)
	}
	library, err := openBLAS(path)
	if err == nil {
		err = library.check()
	}
	if err != nil {
		return fmt.Errorf("device: %s=%s: %w", BLASVariable, path, err)
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if library.threads != nil {
		library.threads(c.threads)
	}
	c.blas = library
	return nil
}

// check compares products of odd sizes with the reference.
func (l *blas) check() error {
	source := rand.New(rand.NewPCG(1, 1))
	draw := func(rows, columns int) Matrix[float32] {
		m := NewMatrix[float32](rows, columns)
		for i := range m.Values {
			m.Values[i] = float32(source.NormFloat64())
		}
		return m
	}
	const rows, inner, columns = 33, 47, 29
	reference := Reference[float32]{}
	for _, test := range []struct {
		form form
		a, b Matrix[float32]
		want func(dst, a, b Matrix[float32])
	}{
		{form{}, draw(rows, inner), draw(inner, columns), reference.Product},
		{form{leftTransposed: true}, draw(inner, rows), draw(inner, columns), reference.ProductLeftTransposed},
		{form{rightTransposed: true}, draw(rows, inner), draw(columns, inner), reference.ProductRightTransposed},
	} {
		got, want := draw(rows, columns), NewMatrix[float32](rows, columns) // existing values must not affect the result
		l.multiply(test.form, got, test.a, test.b)
		test.want(want, test.a, test.b)
		for i, value := range want.Values {
			// Sums of 47 products of normal numbers, in any order.
			if !(math.Abs(float64(got.Values[i]-value)) <= 1e-4) {
				return fmt.Errorf("its products are wrong: value %d of row %d is %g, want %g", i%columns, i/columns, got.Values[i], value)
			}
		}
	}
	return nil
}

// library computes a product with the user's library, and then the sums and the ending.
func (t *productTask) library(f form) {
	t.cpu.blas.multiply(f, t.dst, t.left.matrix, t.right.matrix)
	if len(t.left.sums) > 0 {
		for i := range t.left.matrix.Rows {
			t.cpu.unit.add(t.left.sums, t.left.matrix.Row(i))
		}
	}
	t.round = endingRows
	t.cpu.run(t, (t.dst.Rows+rowBlock-1)/rowBlock)
}
