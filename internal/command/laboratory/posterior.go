package laboratory

import (
	"fmt"
	"slices"
	"strings"

	"gosphere/asymvlm/adapter"
	"gosphere/internal/command/process"
)

// posterior holds the flags that select how bayesvlm computes scores and uncertainties from its
// posterior.
type posterior struct {
	Variance string           `help:"bayesvlm: variance of a cosine, official (as in its reference implementation) or delta (to first order in the noise)." enum:",official,delta" default:""`
	Predict  string           `help:"bayesvlm: ranking by mean (of the cosine), probit, or montecarlo (probabilities by sampling, several times slower)." enum:",mean,probit,montecarlo" default:""`
	Draws    process.Positive `help:"Number of samples for --predict montecarlo (default: 100)." placeholder:"N"`
}

// check returns an error for flags that no method of a list reads.
func (p posterior) check(methods []string) error {
	if p != (posterior{}) && !slices.ContainsFunc(methods, adapter.IsOnePass) {
		return fmt.Errorf("--variance, --predict and --draws apply to bayesvlm, not to %s", strings.Join(methods, ", "))
	}
	return nil
}

// over returns options with the flags that were given.
func (p posterior) over(b adapter.Posterior) adapter.Posterior {
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

// ordering is the flag that says what methods with Gaussians or concentrations rank by.
type ordering struct {
	Ranking string `help:"Rank by the cosine of means or directions (default of methods with Gaussians and of residual adapters), by the likelihood (default of other methods with concentrations), or pfe, pcmepp and prolip by csd (the closed-form sampled distance, as the programs of PCME++ and ProLIP do)." enum:",cosine,likelihood,csd" default:""`
}

// check reports the flag where no method of a list takes it.
func (r ordering) check(methods []string) error {
	if r.Ranking != "" && !slices.ContainsFunc(methods, readsRanking) {
		return fmt.Errorf("--ranking applies to methods with Gaussians or concentrations, not to %s", strings.Join(methods, ", "))
	}
	return nil
}

// readsRanking reports whether a method reads the option Ranking.
func readsRanking(method string) bool {
	options, err := adapter.PaperOptions(method)
	return err == nil && options.Reads("Ranking")
}

// predictionNote describes how scores and uncertainties are computed, if not as published.
func predictionNote(o adapter.Options) string {
	b, note := o.Posterior, ""
	switch {
	case o.Ranking == adapter.RankCSD:
		note += ", ranked by the sampled distance"
	case o.Ranking == adapter.RankCosine && adapter.IsProbabilistic(o.Method):
		note += ", ranked by the cosine"
	case o.Ranking == adapter.RankLikelihood:
		note += ", ranked by the likelihood"
	}
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
