package cuda

import (
	"errors"

	"gosphere/asymvlm/device"
)

// A Device combines a GPU and a CPU. Trainings with the losses of methodOf run entirely on the
// GPU. Of the operations on CPU memory, the GPU performs large matrix products and large sampling
// operations, for which the transfers pay off, and the CPU performs all others.
type Device struct {
	*device.CPU
	driver Driver
	sides  [3]buffer // buffers of matrix products: the result and both factors; used by one operation at a time

	leastDraws, drawnWords int // equal to the constants except in tests
}

var _ device.Trainer = (*Device)(nil)

// New loads the kernels into a GPU and returns its device. The device owns the driver, even if New
// returns an error.
func New(driver Driver) (*Device, error) {
	if err := driver.Load(Kernels); err != nil {
		return nil, errors.Join(err, driver.Close())
	}
	d := &Device{CPU: device.NewCPU(0), driver: driver, leastDraws: leastDraws, drawnWords: mostWords}
	d.GiveProducts(driver.Name(), leastWork, d.multiply)
	return d, nil
}

// Name describes the GPU.
func (d *Device) Name() string { return "cuda (" + d.driver.Name() + ")" }

// Close releases the GPU.
func (d *Device) Close() {
	d.CPU.Close()
	_ = d.driver.Close() // nothing can be done about a failure at this point
}

// Train copies the data of a training to the GPU.
func (d *Device) Train(work device.TrainingPlan) (device.DeviceTraining, error) {
	t, err := newTraining(d.driver, work)
	if err != nil {
		return nil, err
	}
	return t, nil
}
