// Package emulated has an NVIDIA GPU that the CPU emulates, for programs whose tests need one.
package emulated

import (
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/internal/cuda/emulate"
)

// Offer makes an emulated GPU the device cuda of this process. Its memory is limited to a number of
// bytes, or unlimited if that is 0. Release takes the device away again; no training may use it
// then.
func Offer(limit int) (release func(), err error) {
	driver := emulate.New()
	driver.Limit = limit
	card, err := cuda.New(driver)
	if err != nil {
		return nil, err
	}
	device.OfferCUDA(func() (device.Device, error) { return card, nil })
	return func() {
		device.OfferCUDA(nil)
		card.Close()
	}, nil
}
