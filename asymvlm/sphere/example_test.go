package sphere_test

import (
	"fmt"
	"math/rand/v2"

	"gosphere/asymvlm/sphere"
)

func ExampleNewVonMisesFisher() {
	mu := []float64{0, 0, 1}
	v, err := sphere.NewVonMisesFisher(mu, 5, rand.NewPCG(1, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mean resultant length %.4f\n", v.MeanResultantLength())
	fmt.Printf("log density at the mode %.4f, opposite %.4f\n", v.LogProb(mu), v.LogProb([]float64{0, 0, -1}))
	fmt.Printf("uncertainty %.2f, entropy %.4f\n", v.Uncertainty(), v.Entropy())
	// Output:
	// mean resultant length 0.8001
	// log density at the mode -0.2284, opposite -10.2284
	// uncertainty 0.20, entropy 1.2279
}

// The output of an adapter is a natural parameter: its length is the concentration.
func ExampleVonMisesFisherFromNatural() {
	v, err := sphere.VonMisesFisherFromNatural([]float64{3, 0, 4}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Concentration(), v.MeanDirection(nil))
	// Output: 5 [0.6 0 0.8]
}

// The paper's closed form and the exact normaliser differ by a tenth of a percent where training takes place.
func ExamplePaperLogNormalizers() {
	kappas := []float64{2, 5, 8}
	paper, err := sphere.PaperLogNormalizers(512, kappas)
	if err != nil {
		fmt.Println(err)
		return
	}
	exact, err := sphere.NewVonMisesFisherNormalizer(512)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, value := range sphere.Each(nil, exact.ZeroBased, kappas) {
		fmt.Printf("κ = %g: %.7f, exact %.7f\n", kappas[i], paper[i], value)
	}
	// Output:
	// κ = 2: -0.0039100, exact -0.0039062
	// κ = 5: -0.0244368, exact -0.0244129
	// κ = 8: -0.0625535, exact -0.0624924
}

func ExampleFitVonMisesFisher() {
	v, err := sphere.NewVonMisesFisher([]float64{0.6, 0.8}, 10, rand.NewPCG(3, 4))
	if err != nil {
		fmt.Println(err)
		return
	}
	points := make([][]float64, 20000)
	for i := range points {
		points[i] = v.Rand(nil)
	}
	fitted, err := sphere.FitVonMisesFisher(points, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("κ %.0f, μ %.2f\n", fitted.Concentration(), fitted.MeanDirection(nil))
	// Output: κ 10, μ [0.60 0.80]
}
