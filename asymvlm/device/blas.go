package device

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// BLASVariable names the environment variable with the path of a shared library that has cblas_sgemm, such as OpenBLAS,
// whose products take the place of our own.
const BLASVariable = "GOSPHERE_BLAS"

// A blas is a library's product: dst = a·b with a or b transposed, all row by row.
type blas struct {
	path     string
	multiply func(f form, dst, a, b Matrix[float32])
	threads  func(n int) // nil where the library does not say
	least    float64     // multiplications and additions from which on it does a product
}

// A ForeignProduct is dst = a·b with a or b transposed, for somebody else to do.
type ForeignProduct struct {
	Dst, A, B                       Matrix[float32]
	LeftTransposed, RightTransposed bool
}

// GiveProducts has products of at least so many multiplications and additions done by a function, under a name: a card's.
// It is called by one goroutine at a time.
func (c *CPU) GiveProducts(name string, least float64, multiply func(ForeignProduct)) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.blas = &blas{path: name, least: least, multiply: func(f form, dst, a, b Matrix[float32]) {
		multiply(ForeignProduct{dst, a, b, f.leftTransposed, f.rightTransposed})
	}}
}

// UseBLAS makes a library do the products from now on: a shared library with cblas_sgemm, under its own name or those of
// OpenBLAS with 64-bit integers. Small products of all forms are compared with our own first. Only builds with the tag
// blas or gpu can open libraries, since the plain one links statically.
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
		got, want := draw(rows, columns), NewMatrix[float32](rows, columns) // what is there before must not count
		l.multiply(test.form, got, test.a, test.b)
		test.want(want, test.a, test.b)
		for i, value := range want.Values {
			// Sums of 47 products of normal numbers, in whatever order.
			if !(math.Abs(float64(got.Values[i]-value)) <= 1e-4) {
				return fmt.Errorf("its products are wrong: value %d of row %d is %g, want %g", i%columns, i/columns, got.Values[i], value)
			}
		}
	}
	return nil
}

// library does a product by the user's library and then what our own does on the way.
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
