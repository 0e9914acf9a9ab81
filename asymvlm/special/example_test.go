package special_test

import (
	"fmt"

	"gosphere/asymvlm/special"
)

// The expected cosine between a draw and the mean direction of a von Mises–Fisher density with
// concentration 5 in 512 dimensions, and its derivative.
func ExampleBesselI_Ratio() {
	bessel := special.NewBesselI(512./2 - 1)
	fmt.Printf("%.12f %.6g\n", bessel.Ratio(5), bessel.RatioDerivative(5))
	// Output: 0.009764697477 0.00195257
}

// The difference of two values that agree in all of their digits.
func ExampleLogGammaDifference() {
	fmt.Printf("%.10g\n", special.LogGammaDifference(1e9, 1e-9))
	// Output: 2.072326584e-08
}

func ExampleLogSumExp() {
	fmt.Printf("%.4f\n", special.LogSumExp([]float64{1000, 1001, 999}))
	// Output: 1001.4076
}
