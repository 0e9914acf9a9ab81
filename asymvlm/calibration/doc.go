// Package calibration measures whether an uncertainty can be acted on: how much better retrieval
// becomes if uncertain queries are not answered (selective.go), whether confidences match
// frequencies (reliability.go), and whether a learned concentration is that of the data
// (concentration.go).
//
//	coverage, err := calibration.RiskCoverage(hits, uncertainty)
//	fmt.Println(coverage.AURC, coverage.Excess)
//
//	fit, err := calibration.RefitConcentration(512, kappas, cosines)
//	fmt.Println(fit.Scale)    // κ of the data over κ as learned
//
// The last is needed because AsymVLM's κ provides an order, but is not the concentration of a
// density: the loss uses τκ, with the temperature τ, together with the normalizer of κ.
package calibration
