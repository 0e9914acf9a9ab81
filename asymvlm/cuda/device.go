package cuda

import (
	"errors"

	"gosphere/asymvlm/device"
)

// A Device is a card with a processor: whole trainings of the objectives in methodOf stay on the card; of the operations on the
// processor's memory it takes the large products and many draws, which are worth the way there and back, and leaves all else to
// the processor.
type Device struct {
	*device.CPU
	driver Driver
	sides  [3]buffer // of products: the result and both factors; used by one operation at a time

	leastDraws, drawnWords int // the constants but in tests
}

var _ device.Trainer = (*Device)(nil)

// New loads the kernels into a card. The device owns the driver from here on, also where there is an error.
func New(driver Driver) (*Device, error) {
	if err := driver.Load(Kernels); err != nil {
		return nil, errors.Join(err, driver.Close())
	}
	d := &Device{CPU: device.NewCPU(0), driver: driver, leastDraws: leastDraws, drawnWords: mostWords}
	d.GiveProducts(driver.Name(), leastWork, d.multiply)
	return d, nil
}

// Name tells the card.
func (d *Device) Name() string { return "cuda (" + d.driver.Name() + ")" }

// Close gives the card back.
func (d *Device) Close() {
	d.CPU.Close()
	_ = d.driver.Close() // nothing can be done about a card that fails now
}

// Train copies a training's work to the card.
func (d *Device) Train(work device.Work) (device.Residence, error) {
	t, err := newTraining(d.driver, work)
	if err != nil {
		return nil, err
	}
	return t, nil
}
