package cuda

import "gosphere/asymvlm/device"

// StepOf returns the parts of a full training step.
func StepOf(work device.TrainingPlan) ([]Part, error) { return stepOf(work) }

// LimitDraws limits the GPU memory of sampling operations to the given number of words, and moves
// even the smallest ones to the GPU.
func (d *Device) LimitDraws(words int) { d.leastDraws, d.drawnWords = 1, words }

// LeastDraws is the smallest sampling operation on the GPU.
const LeastDraws = leastDraws
