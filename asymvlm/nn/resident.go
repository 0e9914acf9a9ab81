package nn

import "gosphere/asymvlm/device"

// Work describes the learner to a device that runs whole training steps: all fields of
// device.TrainingPlan except the data set. side is the side with the network, Texts if both have
// one. ok is false for learners that must use single operations: user-defined losses, whose Go
// code no GPU can run, fixed temperatures and their logarithms, BayesVLM, which minimizes no loss, and residual
// networks. Parameters and Memory share the learner's memory.
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
	// The GPU's update has no way to exclude a parameter, and only SigmoidLog has a logarithm there.
	if l.fixed != nil || l.architecture.LogTemperature {
		return work, Texts, false
	}
	work = device.TrainingPlan{Objective: l.architecture.Objective, Widths: l.architecture.sizes(), Factor: 1}
	d := l.architecture.Dimension
	switch o := l.objective.(type) {
	case *asymmetric[F]:
		work.Likelihood, work.Factor = l.architecture.Likelihood, float32(o.factor)
		if o.bias == nil {
			work.Objective = Contrastive
		}
		return work, o.side, o.custom == nil && !o.residual
	case *symmetric[F]:
		return work, Texts, o.custom == nil
	case *frozen[F]:
		return work, Texts, o.custom == nil
	case *reconstruction[F]:
		work.Widths = []int{d, l.architecture.Hidden, l.architecture.Hidden, d}
		return work, Texts, o.custom == nil
	case *bottleneck[F]:
		work.Widths = []int{d, d / 2, d}
		return work, Texts, o.custom == nil
	case *ensemble[F]:
		work.Widths = []int{d, d / 2, d}
		return work, Texts, o.members[0].custom == nil
	}
	return work, Texts, false
}

// Seen converts the values that a device returned for a step to a StepResult, or to a
// *NotFiniteError as Step would return.
func (l *learner[F]) Seen(s device.SeenStep) (StepResult, error) {
	result := StepResult{Loss: s.Loss, Temperature: s.Temperature, MeanConcentration: s.Concentration}
	loss, gradient := NotFiniteError{"the loss", s.Loss}, NotFiniteError{"the gradient of the outputs", s.Gradient}
	switch l.objective.(type) {
	case *frozen[F]:
		result.MeanConcentration = 1 / s.Concentration
		return result, firstNotFinite(NotFiniteError{"the scale", s.Temperature}, NotFiniteError{"the mean variance", s.Concentration},
			loss, gradient)
	case *reconstruction[F]:
		result.MeanConcentration = 1 / s.Concentration
		return result, firstNotFinite(loss, NotFiniteError{"an output", s.Slope}, gradient, NotFiniteError{"the mean variance", s.Concentration})
	case *bottleneck[F], *ensemble[F]:
		return result, firstNotFinite(NotFiniteError{"iota", s.Temperature}, loss, NotFiniteError{"the gradient of iota", s.Slope}, gradient)
	}
	return result, firstNotFinite(NotFiniteError{"the temperature", s.Temperature},
		NotFiniteError{"the mean concentration", s.Concentration}, loss, NotFiniteError{"the gradient of the temperature", s.Slope}, gradient)
}
