package laboratory

import (
	"fmt"
	"slices"
	"strings"

	"gosphere/asymvlm/adapter"
	"gosphere/command/process"
)

// posterior is the flags that say how bayesvlm makes scores and uncertainties of its posterior.
type posterior struct {
	Variance string           `help:"Of bayesvlm: the variance of a cosine, official (as its program), or delta (to first order in the noise)." enum:",official,delta" default:""`
	Predict  string           `help:"Of bayesvlm: what it ranks by: mean of the cosine, probit, or montecarlo (probabilities by draws, some times slower)." enum:",mean,probit,montecarlo" default:""`
	Draws    process.Positive `help:"Draws of --predict montecarlo; 100 without it." placeholder:"N"`
}

// check reports flags that no method of a list takes.
func (p posterior) check(methods []string) error {
	if p != (posterior{}) && !slices.ContainsFunc(methods, adapter.IsOnePass) {
		return fmt.Errorf("--variance, --predict and --draws are of bayesvlm, and not of %s", strings.Join(methods, ", "))
	}
	return nil
}

// over returns options with the flags that were given.
func (p posterior) over(b adapter.BayesOptions) adapter.BayesOptions {
	if p.Variance != "" {
		b.Variance = p.Variance
	}
	if p.Predict != "" {
		b.Prediction, b.Draws = p.Predict, 0
	}
	if p.Draws != 0 {
		b.Draws = int(p.Draws)
	}
	return b
}

// predictionNote tells how scores and uncertainties are made, where it is not as published.
func predictionNote(b adapter.BayesOptions) string {
	var note string
	if b.Variance == adapter.VarianceDelta {
		note += ", delta variance"
	}
	switch b.Prediction {
	case adapter.PredictProbit:
		note += ", probit"
	case adapter.PredictMonteCarlo:
		note += ", Monte Carlo"
		if b.Draws != 0 {
			note += fmt.Sprintf(" with %d draws", b.Draws)
		}
	}
	return note
}
