package gaussian_test

import (
	"fmt"

	"gosphere/asymvlm/gaussian"
)

// ProLIP's test of inclusion only orders variances: moving the means apart makes it larger.
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

// A text with an uncertain embedding and an image with a certain one.
func ExampleCosine() {
	image := gaussian.Moments{Mean: []float64{3, 4}, Variance: []float64{0, 0}}
	text := gaussian.Moments{Mean: []float64{1, 0}, Variance: []float64{0.01, 0.01}}
	cosine, err := gaussian.Cosine(image, text)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mean %.3f, variance %.4f, to first order %.4f\n", cosine.Mean, cosine.Variance, cosine.DeltaVariance)
	// Output: mean 0.594, variance 0.0098, to first order 0.0064
}

func ExampleKeepClosest() {
	unit := func(mean, logVariance float64) gaussian.Diagonal {
		return gaussian.Diagonal{Mean: []float64{mean}, LogVariance: []float64{logVariance}}
	}
	images := []gaussian.Diagonal{unit(0, -3), unit(0, -3), unit(0, 2), unit(0, -5)}
	texts := []gaussian.Diagonal{unit(0.1, -3), unit(3, -3), unit(0, -3), unit(0, -5)}
	kept, err := gaussian.KeepClosest(images, texts, 0.5)
	fmt.Println(kept, err)
	// Output: [3 0] <nil>
}
