package nn

import "math"

// A CosineSchedule lowers the learning rate along half a cosine, once per step and without warm-up:
//
//	rate(t) = Final + (Initial − Final)(1 + cos(πt/Steps))/2
//
// Equal ends make a constant rate.
type CosineSchedule struct {
	Initial, Final float64
	Steps          int
}

// Rate returns the learning rate of the step before which t steps were done. It is Final from t = Steps on.
func (s CosineSchedule) Rate(t int) float64 {
	if t >= s.Steps {
		return s.Final
	}
	return s.Final + (s.Initial-s.Final)*(1+math.Cos(math.Pi*float64(t)/float64(s.Steps)))/2
}
