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
