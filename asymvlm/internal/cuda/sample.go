package cuda

import (
	"errors"
	"fmt"

	"gosphere/asymvlm/device"
)

// leastDraws is the number of normal numbers from which sampling is worth the transfers to and from
// the GPU.
const leastDraws = 1 << 14

// mostWords bounds the GPU memory of a sampling operation: larger matrices are processed in blocks
// of rows. A single row may take more.
const mostWords = 1 << 26

// A drawing holds GPU memory for the duration of one operation, and performs its steps until the
// first error.
type drawing struct {
	driver    Driver
	err       error
	allocated []Address
	words     int // requested in total
}

// take allocates memory.
func (d *drawing) take(words int) (address Address) {
	d.words += words
	if d.err == nil {
		if address, d.err = d.driver.Allocate(4 * words); d.err == nil {
			d.allocated = append(d.allocated, address)
		}
	}
	return address
}

// write copies numbers to the GPU.
func (d *drawing) write(to Address, values []float32) {
	if d.err == nil {
		d.err = d.driver.Write(to, values)
	}
}

func (d *drawing) read(values []float32, from Address) {
	if d.err == nil {
		d.err = d.driver.Read(values, from)
	}
}

// run launches a kernel, with arguments as in a script.
func (d *drawing) run(kernel string, grid, block Size, arguments ...any) {
	if d.err == nil {
		d.err = d.driver.Launch(launch(kernel, grid, block, arguments))
	}
}

// rows launches a kernel with a block for each row.
func (d *drawing) rows(kernel string, rows int, arguments ...any) {
	d.run(kernel, Size{rows, 1}, Size{rowThreads, 1}, arguments...)
}

// end frees the memory and returns the error, if any: too little memory, or a *device.LostError for
// all others.
func (d *drawing) end() error {
	err := d.err
	for _, address := range d.allocated {
		if failed := d.driver.Free(address); failed != nil && err == nil {
			err = failed
		}
	}
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, device.ErrMemory):
		return &device.LostError{Cause: err}
	}
	return fmt.Errorf("cuda: the draws want %.2f GB of %s; the device %s helps: %w", 4*float64(d.words)/1e9, d.driver.Name(), device.NameCPU, err)
}

// origin returns the last four arguments of sampling kernels: the seed, and the first row and
// sample.
func origin(from device.Origin) []any {
	return []any{int(uint32(from.Seed)), int(from.Seed >> 32), from.Row, from.Draw}
}

// MeanSoftmax computes the mean over samples of the softmax of uncertain logits, in blocks of rows
// on the GPU.
func (d *Device) MeanSoftmax(dst device.Matrix[float32], logits device.UncertainLogits[float32], draws int, from device.Origin) error {
	rows, columns := dst.Rows, dst.Columns
	if float64(rows)*float64(columns)*float64(draws) < float64(d.leastDraws) {
		return d.CPU.MeanSoftmax(dst, logits, draws, from)
	}
	if err := device.CheckLogits(dst, logits, draws, from); err != nil {
		return err
	}
	block := max(1, min(rows, d.drawnWords/(4*columns)))
	on := drawing{driver: d.driver}
	result, scratch, means, deviations := on.take(block*columns), on.take(block*columns), on.take(block*columns), on.take(block*columns)
	for first := 0; first < rows && on.err == nil; first += block {
		some := min(block, rows-first)
		cut := func(m device.Matrix[float32]) []float32 { return m.Values[first*columns : (first+some)*columns] }
		on.write(means, cut(logits.Means))
		on.write(deviations, cut(logits.Deviations))
		here := from
		here.Row += first
		on.rows("mean_softmax", some, append([]any{result, scratch, means, deviations, logits.Scale, columns, draws}, origin(here)...)...)
		on.read(cut(dst), result)
	}
	return on.end()
}

// DrawSphere samples unit vectors on the GPU, in blocks of mean directions, or in blocks of samples
// around one mean direction.
func (d *Device) DrawSphere(dst device.Matrix[float32], law device.Law, means device.Matrix[float32], concentrations []float32, from device.Origin) error {
	if dst.Rows*dst.Columns < d.leastDraws {
		return d.CPU.DrawSphere(dst, law, means, concentrations, from)
	}
	_, draws, err := device.CheckSphere(dst, law, means, concentrations, from)
	if err != nil {
		return err
	}
	columns, power := dst.Columns, 0
	if law == device.PowerSpherical {
		power = 1
	}
	ofMean := min(draws, max(1, d.drawnWords/(2*columns)))
	block := max(1, min(means.Rows, d.drawnWords/(2*columns*ofMean)))
	on := drawing{driver: d.driver}
	result, cosines := on.take(block*ofMean*columns), on.take(2*block*ofMean)
	directions, kappas := on.take(block*columns), on.take(block)
	for first := 0; first < means.Rows && on.err == nil; first += block {
		some := min(block, means.Rows-first)
		on.write(directions, means.Values[first*columns:(first+some)*columns])
		on.write(kappas, concentrations[first:first+some])
		for draw := 0; draw < draws && on.err == nil; draw += ofMean { // once if there are several means
			each, here := min(ofMean, draws-draw), from
			here.Row, here.Draw = here.Row+first, here.Draw+draw
			rows, at := some*each, (first*draws+draw)*columns
			on.run("draw_cosines", Size{tiles(rows, rowThreads), 1}, Size{rowThreads, 1},
				append([]any{cosines, kappas, rows, each, columns, power}, origin(here)...)...)
			on.rows("draw_around", rows, append([]any{result, directions, cosines, each, columns}, origin(here)...)...)
			on.read(dst.Values[at:at+rows*columns], result)
		}
	}
	return on.end()
}
