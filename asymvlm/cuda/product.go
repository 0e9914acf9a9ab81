package cuda

import (
	"errors"

	"gosphere/asymvlm/device"
)

// A buffer is memory of the card that grows with what is wanted.
type buffer struct {
	address Address
	words   int
}

// tileSide is that of the tiles of our own product; product.cu has the same.
const tileSide = 64

// Launch returns the product as a start of our own kernel, for cards without cuBLAS.
func (p Product) Launch() Launch {
	of := map[bool]uint64{true: 1}
	return Launch{Kernel: "product", Grid: Size{tiles(p.Rows, tileSide) * tiles(p.Columns, tileSide), 1}, Block: Size{tileSide, 1},
		Arguments: []uint64{uint64(p.Dst), uint64(p.A), uint64(p.B), uint64(p.Rows), uint64(p.Inner), uint64(p.Columns),
			of[p.LeftTransposed], of[p.RightTransposed], of[p.Add]}}
}

// leastWork is the multiplications and additions from which on a product is worth the way to the card and back.
const leastWork = 2 * 512 * 512 * 512

// multiply does a product of matrices in the processor's memory. It panics with a *device.LostError where the card fails.
func (d *Device) multiply(f device.ForeignProduct) {
	p := Product{Rows: f.Dst.Rows, Inner: f.A.Columns, Columns: f.Dst.Columns,
		LeftTransposed: f.LeftTransposed, RightTransposed: f.RightTransposed}
	if f.LeftTransposed {
		p.Inner = f.A.Rows
	}
	var err error
	for i, m := range []device.Matrix[float32]{f.Dst, f.A, f.B} {
		err = errors.Join(err, d.sides[i].grow(d.driver, m.Rows*m.Columns))
	}
	p.Dst, p.A, p.B = d.sides[0].address, d.sides[1].address, d.sides[2].address
	for _, step := range []func() error{
		func() error { return d.driver.Write(p.A, f.A.Values[:f.A.Rows*f.A.Columns]) },
		func() error { return d.driver.Write(p.B, f.B.Values[:f.B.Rows*f.B.Columns]) },
		func() error { return d.driver.Multiply(p) },
		func() error { return d.driver.Read(f.Dst.Values[:f.Dst.Rows*f.Dst.Columns], p.Dst) },
	} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		panic(&device.LostError{Cause: err})
	}
}

// grow makes a buffer large enough.
func (b *buffer) grow(driver Driver, words int) error {
	if words <= b.words {
		return nil
	}
	if b.words > 0 {
		if err := driver.Free(b.address); err != nil {
			return err
		}
	}
	*b = buffer{}
	address, err := driver.Allocate(4 * words)
	if err == nil {
		*b = buffer{address, words}
	}
	return err
}
