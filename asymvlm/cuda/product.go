package cuda

import (
	"errors"
	"fmt"

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

// multiply does a product of matrices in the processor's memory. It panics with a *device.LostError where the card fails,
// and with another error that tells the sizes where it has too little memory.
func (d *Device) multiply(f device.ForeignProduct) {
	p := Product{Rows: f.Dst.Rows, Inner: f.A.Columns, Columns: f.Dst.Columns,
		LeftTransposed: f.LeftTransposed, RightTransposed: f.RightTransposed}
	if f.LeftTransposed {
		p.Inner = f.A.Rows
	}
	err := d.room(p)
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
	switch {
	case err == nil:
	case errors.Is(err, device.ErrMemory):
		panic(fmt.Errorf("cuda: a product of %d×%d×%d wants %s of %s; a smaller batch or the device %s helps: %w",
			p.Rows, p.Inner, p.Columns, size(4*(p.Rows*p.Columns+p.Rows*p.Inner+p.Inner*p.Columns)), d.driver.Name(), device.NameCPU, err))
	default:
		panic(&device.LostError{Cause: err})
	}
}

// room makes the buffers large enough for a product. Where the card has too little memory, what earlier products left is given
// back first; where it still has, everything is, so that others find it.
func (d *Device) room(p Product) error {
	words := [3]int{p.Rows * p.Columns, p.Rows * p.Inner, p.Inner * p.Columns}
	grow := func() (err error) {
		for i := range d.sides {
			if err == nil {
				err = d.sides[i].grow(d.driver, words[i])
			}
		}
		return err
	}
	err := grow()
	if errors.Is(err, device.ErrMemory) {
		if err = d.empty(); err == nil {
			err = grow()
		}
	}
	if !errors.Is(err, device.ErrMemory) {
		return err
	}
	var short *MemoryError
	if errors.As(err, &short) {
		for _, side := range d.sides { // free as soon as it is given back
			short.Free += 4 * side.words
		}
	}
	if failed := d.empty(); failed != nil {
		return failed
	}
	return err
}

// empty gives the buffers of products back.
func (d *Device) empty() (err error) {
	for i := range d.sides {
		err = errors.Join(err, d.sides[i].free(d.driver))
	}
	return err
}

// grow makes a buffer large enough.
func (b *buffer) grow(driver Driver, words int) error {
	if words <= b.words {
		return nil
	}
	if err := b.free(driver); err != nil {
		return err
	}
	address, err := driver.Allocate(4 * words)
	if err == nil {
		*b = buffer{address, words}
	}
	return err
}

// free gives the memory back.
func (b *buffer) free(driver Driver) error {
	old := *b
	*b = buffer{}
	if old.words == 0 {
		return nil
	}
	return driver.Free(old.address)
}
