package cuda

import "gosphere/asymvlm/device"

// StepOf returns the parts of a full step of a work.
func StepOf(work device.Work) ([]Part, error) { return stepOf(work) }

// LimitDraws makes blocks of draws take so many words of the card at most, and the smallest ones go there.
func (d *Device) LimitDraws(words int) { d.leastDraws, d.drawnWords = 1, words }

// LeastDraws is where the card begins to draw.
const LeastDraws = leastDraws
