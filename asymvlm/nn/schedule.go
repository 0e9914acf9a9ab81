package nn

import "math"

// A CosineSchedule lowers the learning rate along half a cosine, once per step, after a warm-up of W steps along a line:
//
//	rate(t) = Initial (t+1)/W                                            for t < W
//	rate(t) = Final + (Initial − Final)(1 + cos(π(t−W)/(Steps−W)))/2     from there on
//
// AsymVLM's program has no warm-up, ProLIP's has one of 10,000 steps. Equal ends make a constant rate.
type CosineSchedule struct {
	Initial, Final float64
	Steps          int // in all, those of the warm-up included
	WarmUp         int // steps, less than Steps; 0 for none
}

// Rate returns the learning rate of the step before which t steps were done. It is Final from t = Steps on.
func (s CosineSchedule) Rate(t int) float64 {
	switch {
	case t >= s.Steps:
		return s.Final
	case t < s.WarmUp:
		return s.Initial * float64(t+1) / float64(s.WarmUp)
	}
	return s.Final + (s.Initial-s.Final)*(1+math.Cos(math.Pi*float64(t-s.WarmUp)/float64(s.Steps-s.WarmUp)))/2
}
