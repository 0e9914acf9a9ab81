package gaussian_test

import (
	"fmt"

	"gosphere/asymvlm/gaussian"
)

// The comparison that ProLIP calls a test of inclusion orders variances: moving the means apart makes it larger.
func ExampleInclusion_Compare() {
	inclusion := gaussian.Inclusion{Form: gaussian.Exact}
	photo := gaussian.Diagonal{Mean: []float64{0}, LogVariance: []float64{0}}
	for _, mean := range []float64{0, 1, 10} {
		caption := gaussian.Diagonal{Mean: []float64{mean}, LogVariance: []float64{1.3863}}
		fmt.Printf("distance %2.0f: H %.2f, inc %.2f\n", mean, inclusion.Compare(photo, caption), inclusion.Log(photo, caption))
	}
	// Output:
	// distance  0: H 0.49, inc -0.75
	// distance  1: H 0.55, inc -0.86
	// distance 10: H 6.05, inc -11.86
}
