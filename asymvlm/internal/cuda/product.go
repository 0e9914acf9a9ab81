package cuda

import (
	"errors"
	"fmt"

	"gosphere/asymvlm/device"
)

// A buffer is GPU memory that grows as needed.
type buffer struct {
	address Address
	words   int
}

// tileSide is the side of the tiles of the built-in matmul kernel, as in product.cu.
const tileSide = 64

// Launch returns the product as a launch of the built-in kernel, for GPUs without cuBLAS.
func (p Product) Launch() Launch {
	of := map[bool]uint64{true: 1}
	return Launch{Kernel: "product", Grid: Size{tiles(p.Rows, tileSide) * tiles(p.Columns, tileSide), 1}, Block: Size{tileSide, 1},
		Arguments: []uint64{uint64(p.Dst), uint64(p.A), uint64(p.B), uint64(p.Rows), uint64(p.Inner), uint64(p.Columns),
			of[p.LeftTransposed], of[p.RightTransposed], of[p.Add]}}
}

// leastWork is the number of multiplications and additions from which a matrix product is worth the
// transfers to and from the GPU.
const leastWork = 2 * 512 * 512 * 512

// multiply performs a product of matrices in CPU memory. It panics with a *device.LostError if the
// GPU fails, and with an error that names the sizes if it has too little memory.
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

// room makes the buffers large enough for a product. If the GPU has too little memory, room first
// frees the buffers of earlier products. If there is still too little, it frees all buffers, so
// that others can use the memory.
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
		for _, side := range d.sides { // free once they are released
			short.Free += 4 * side.words
		}
	}
	if failed := d.empty(); failed != nil {
		return failed
	}
	return err
}

// empty frees the buffers of products.
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

// free frees the memory.
func (b *buffer) free(driver Driver) error {
	old := *b
	*b = buffer{}
	if old.words == 0 {
		return nil
	}
	return driver.Free(old.address)
}
