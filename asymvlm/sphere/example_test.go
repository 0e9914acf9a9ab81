package sphere_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gosphere/asymvlm/embedding"
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

// The output of an adapter is a natural parameter: its norm is the concentration.
func ExampleVonMisesFisherFromNatural() {
	v, err := sphere.VonMisesFisherFromNatural([]float64{3, 0, 4}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Concentration(), v.MeanDirection(nil))
	// Output: 5 [0.6 0 0.8]
}

// The paper's closed form and the exact normalizer differ by a tenth of a percent at the
// concentrations of training.
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
	for i, value := range sphere.Each(nil, exact.LogNormalizerShifted, kappas) {
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

// Embeddings of images that three texts could describe: 1,000 per text, spread around its direction
// according to its concentration.
func ExampleDrawPowerSpherical() {
	texts, err := embedding.MatrixFromRows([][]float64{{1, 0, 0, 0}, {0, 0.6, 0.8, 0}, {0.5, 0.5, 0.5, 0.5}})
	if err != nil {
		fmt.Println(err)
		return
	}
	const draws = 1000
	kappas := []float64{2, 20, 200}
	images, err := sphere.DrawPowerSpherical(texts, kappas, draws, 7)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, kappa := range kappas {
		mean := 0.0
		for r := i * draws; r < (i+1)*draws; r++ {
			for j, value := range images.Row64(r) {
				mean += value * float64(texts.At(i, j)) / draws
			}
		}
		fmt.Printf("κ = %3g: mean cosine %.3f, in closed form %.3f; the first image %.4f\n", kappa, mean, kappa/(3+kappa), images.Row(i*draws))
	}
	// Output:
	// κ =   2: mean cosine 0.410, in closed form 0.400; the first image [0.8627 -0.0589 -0.2476 -0.4371]
	// κ =  20: mean cosine 0.872, in closed form 0.870; the first image [-0.3061 0.5606 0.7581 0.1315]
	// κ = 200: mean cosine 0.984, in closed form 0.985; the first image [0.5705 0.4421 0.5106 0.4673]
}

// A wide and a narrow von Mises–Fisher density: the norm of the mean of many draws approaches the
// mean resultant length.
func ExampleDrawVonMisesFisher() {
	north, err := embedding.MatrixFromRows([][]float64{{0, 0, 1}, {0, 0, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := sphere.DrawVonMisesFisher(north, []float64{1, 50}, 20000, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	exact, err := sphere.MeanResultantLengths(3, []float64{1, 50})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, want := range exact {
		var mean [3]float64
		for r := i * 20000; r < (i+1)*20000; r++ {
			for j, value := range x.Row64(r) {
				mean[j] += value / 20000
			}
		}
		fmt.Printf("the mean has length %.2f, in closed form %.2f\n", math.Hypot(math.Hypot(mean[0], mean[1]), mean[2]), want)
	}
	// Output:
	// the mean has length 0.32, in closed form 0.31
	// the mean has length 0.98, in closed form 0.98
}
