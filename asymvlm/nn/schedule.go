package nn

import "math"

// A CosineSchedule lowers the learning rate along half a cosine, once per step, after a linear
// warm-up of W steps:
//
//	rate(t) = Initial (t+1)/W                                            for t < W
//	rate(t) = Final + (Initial − Final)(1 + cos(π(t−W)/(Steps−W)))/2     from there on
//
// AsymVLM's reference implementation has no warm-up, ProLIP's has one of 10,000 steps. If Initial
// and Final are equal, the rate is constant after the warm-up.
type CosineSchedule struct {
	Initial, Final float64
	Steps          int // total, including the warm-up
	WarmUp         int // number of steps, less than Steps; 0 for none
}

// Rate returns the learning rate of the step that follows t completed steps. It is Final for t ≥
// Steps.
func (s CosineSchedule) Rate(t int) float64 {
	switch {
	case t >= s.Steps:
		return s.Final
	case t < s.WarmUp:
		return s.Initial * float64(t+1) / float64(s.WarmUp)
	}
	return s.Final + (s.Initial-s.Final)*(1+math.Cos(math.Pi*float64(t-s.WarmUp)/float64(s.Steps-s.WarmUp)))/2
}
