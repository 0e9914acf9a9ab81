package calibration_test

import (
	"fmt"

	"gosphere/asymvlm/calibration"
)

func ExampleRiskCoverage() {
	hits := []bool{true, true, false, true, false}
	uncertainty := []float64{0.1, 0.2, 0.3, 0.4, 0.5}
	coverage, err := calibration.RiskCoverage(hits, uncertainty)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("AURC %.3f, excess %.3f, answers at a risk of a quarter: %.0f %%\n",
		coverage.AURC, coverage.Excess, 100*coverage.AtRisk(0.25))
	// Output: AURC 0.197, excess 0.067, answers at a risk of a quarter: 80 %
}

// Answers that claim a confidence of 0.9 and are right in two of three cases, and answers that
// claim 0.55 and are right about as often.
func ExampleNewReliability() {
	hits := []bool{true, true, false, true, false}
	confidence := []float64{0.9, 0.9, 0.9, 0.55, 0.55}
	reliability, err := calibration.NewReliability(hits, confidence, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, count := range reliability.Count {
		if count > 0 {
			fmt.Printf("%d answers: confidence %.2f, accuracy %.2f\n", count, reliability.Confidence[i], reliability.Accuracy[i])
		}
	}
	fmt.Printf("expected calibration error %.2f\n", reliability.ECE)
	// Output:
	// 2 answers: confidence 0.55, accuracy 0.50
	// 3 answers: confidence 0.90, accuracy 0.67
	// expected calibration error 0.16
}

// Concentrations as learned by AsymVLM, and cosines of 0.3 with the images: the data are far more
// concentrated.
func ExampleRefitConcentration() {
	kappas := []float64{3, 5, 7}
	cosines := []float64{0.25, 0.3, 0.35}
	fit, err := calibration.RefitConcentration(512, kappas, cosines)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("κ of the data is %.1f times as large\n", fit.Scale)
	// Output: κ of the data is 32.8 times as large
}
