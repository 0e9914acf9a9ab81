package nn

import "gosphere/asymvlm/device"

// Work describes the learner to a device that trains by itself: everything of device.Work but the data set. ok is false
// for what only the operations do: all but the contrastive loss of a likelihood with gradient descent or AdamW. Parameters
// and Memory are the learner's own.
func (l *learner[F]) Work() (work device.Work, side Side, ok bool) {
	a, asymmetric := l.objective.(*asymmetric[F])
	parameters, single := any(l.parameters).([]float32)
	if !asymmetric || !single || a.custom != nil || a.bias != nil || a.logarithmic {
		return work, Texts, false
	}
	work = device.Work{Likelihood: l.architecture.Likelihood, Widths: l.architecture.sizes(), Batch: l.batch,
		Factor: float32(a.factor), Parameters: parameters}
	switch l.architecture.Optimizer {
	case SGD, "":
		work.Optimizer = string(SGD)
	case AdamW:
		work.Optimizer = string(AdamW)
	default:
		return work, Texts, false
	}
	for _, memory := range l.memory {
		work.Memory = append(work.Memory, any(memory).([]float32))
	}
	return work, a.side, true
}

// Seen turns what a device saw into the result of a step, or into a *NotFiniteError like that of Step.
func Seen(s device.SeenStep) (StepResult, error) {
	return StepResult{Loss: s.Loss, Temperature: s.Temperature, MeanConcentration: s.Concentration},
		firstNotFinite(notFinite(s)...)
}

// notFinite names what the contrastive loss looks at.
func notFinite(s device.SeenStep) []NotFiniteError {
	return []NotFiniteError{
		{"the temperature", s.Temperature}, {"the mean concentration", s.Concentration}, {"the loss", s.Loss},
		{"the gradient of the temperature", s.Slope}, {"the gradient of the outputs", s.Gradient},
	}
}
