package nn

import "gosphere/asymvlm/device"

// Work describes the learner to a device that runs whole training steps: all fields of
// device.TrainingPlan except the data set. side is the side with the network, Texts if both have
// one. ok is false for learners that must use single operations: user-defined losses, whose Go code
// no GPU can run, fixed temperatures and their logarithms, BayesVLM, which minimizes no loss, and
// residual networks. Parameters and Memory share the learner's memory.
func (l *learner[F]) Work() (work device.TrainingPlan, side Side, ok bool) {
	parameters, single := any(l.parameters).([]float32)
	work, side, ok = l.workOf()
	if !ok || !single {
		return device.TrainingPlan{}, Texts, false
	}
	work.Batch, work.Parameters = l.batch, parameters
	switch l.architecture.Optimizer {
	case SGD, "":
		work.Optimizer = string(SGD)
	case AdamW, AdamP:
		work.Optimizer = string(l.architecture.Optimizer)
	default:
		return device.TrainingPlan{}, Texts, false
	}
	for _, memory := range l.memory {
		work.Memory = append(work.Memory, any(memory).([]float32))
	}
	return work, side, true
}

// workOf describes the objective.
func (l *learner[F]) workOf() (work device.TrainingPlan, side Side, ok bool) {
	o, able := l.objective.(resident)
	// The GPU's update has no way to exclude a parameter, and only SigmoidLog has a logarithm there.
	if !able || l.fixed != nil || l.architecture.LogTemperature {
		return work, Texts, false
	}
	work = device.TrainingPlan{Widths: l.architecture.sizes(), Factor: 1}
	side, ok = o.work(&work, l.architecture)
	return work, side, ok
}

// Seen converts the values that a device returned for a step to a StepResult, or to a
// *NotFiniteError as Step would return.
func (l *learner[F]) Seen(s device.SeenStep) (StepResult, error) {
	return l.objective.(resident).seen(s)
}
