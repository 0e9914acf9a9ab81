// Package calibration measures whether an uncertainty can be acted on: how much better retrieval gets when uncertain
// queries are left unanswered (selective.go), whether confidences are the frequencies they claim to be
// (reliability.go), and whether a learned concentration is that of the data (concentration.go).
//
//	coverage, err := calibration.RiskCoverage(hits, uncertainty)
//	fmt.Println(coverage.AURC, coverage.Excess)
//
//	fit, err := calibration.RefitConcentration(512, kappas, cosines)
//	fmt.Println(fit.Scale)    // κ of the data over κ as learned
//
// The last is needed because AsymVLM's κ is an order and not a density's concentration: the loss sees τκ, with the
// temperature τ, while the normalizer is that of κ.
package calibration
