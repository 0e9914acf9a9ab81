package sphere

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// FitPowerSpherical returns the maximum likelihood power spherical density of the points, which
// must be unit vectors of one dimension. μ maximizes Σ log(1 + μ·x), independently of κ, and is
// found by ascent from the direction of the mean. κ then solves
//
//	d/dκ log c(κ) + mean log(1 + μ·x) = 0,
//
// which has one solution because log c is concave. It returns the errors of FitVonMisesFisher, and
// an error if a point is opposite to the mean, where the density vanishes. As with
// FitVonMisesFisher, κ is biased upwards for few points in many dimensions; see DebiasedResultant.
func FitPowerSpherical(points [][]float64, src rand.Source) (*PowerSpherical, error) {
	start, err := FitVonMisesFisher(points, nil) // checks the points and finds the direction of the mean
	if err != nil {
		return nil, err
	}
	mu := start.MeanDirection(nil)
	if start.Concentration() == 0 {
		return NewPowerSpherical(mu, 0, src)
	}
	for i, x := range points {
		if 1+dot(mu, x) < 1e-12 {
			return nil, fmt.Errorf("sphere: point %d is opposite to the mean, where no such density can be", i)
		}
	}
	level := climb(mu, points)
	normalizer, err := NewPowerSphericalNormalizer(len(mu))
	if err != nil {
		return nil, err
	}
	return NewPowerSpherical(mu, powerConcentration(normalizer, level), src)
}

// climb moves mu to the maximum of the mean of log(1 + μ·x) on the sphere and returns that maximum.
// It takes steps along the gradient across μ, halved until the value rises and doubled afterward.
func climb(mu []float64, points [][]float64) float64 {
	level := func(mu []float64) float64 {
		sum := 0.0
		for _, x := range points {
			sum += math.Log1p(max(dot(mu, x), -1))
		}
		return sum / float64(len(points))
	}
	here, step := level(mu), 1.0
	gradient, next := make([]float64, len(mu)), make([]float64, len(mu))
	for range 500 {
		clear(gradient)
		for _, x := range points {
			weight := 1 / (1 + dot(mu, x)) / float64(len(points))
			for j, value := range x {
				gradient[j] += weight * value
			}
		}
		radial := dot(gradient, mu)
		for j := range gradient {
			gradient[j] -= radial * mu[j]
		}
		if length(gradient) < 1e-13 {
			break
		}
		risen := false
		for ; step > 1e-12 && !risen; step /= 2 {
			for j := range next {
				next[j] = mu[j] + step*gradient[j]
			}
			scaled(next, 1/length(next), next)
			if there := level(next); there > here {
				here, risen = there, true
				copy(mu, next)
			}
		}
		if !risen {
			break
		}
		step *= 4 // the loop has halved the step once more than needed
	}
	return here
}

// powerConcentration returns the κ at which the derivative of log c is −level, by bisection between
// doubled bounds.
func powerConcentration(n *PowerSphericalNormalizer, level float64) float64 {
	rises := func(kappa float64) bool { return n.Derivative(kappa)+level > 0 }
	if !rises(0) {
		return 0
	}
	low, high := 0.0, 1.0
	for rises(high) && high < 1e15 {
		low, high = high, 2*high
	}
	for {
		middle := low + (high-low)/2
		if middle == low || middle == high {
			return middle
		}
		if rises(middle) {
			low = middle
		} else {
			high = middle
		}
	}
}

// DebiasedResultant returns a mean resultant length with most of its bias removed. For n
// independent points whose mean has the norm r, it is
//
//	√((n r² − 1)/(n − 1)),  0 where that is negative,
//
// whose square has the expectation A². The r of few points in many dimensions is too large (about
// 1/√n for uniform points), and so is any κ fitted to it. Together with Concentration it yields a κ
// that can be compared between samples of different sizes:
//
//	kappa := normalizer.Concentration(sphere.DebiasedResultant(r, n))
//
// The result is NaN for n < 2 and for r outside 0 … 1.
func DebiasedResultant(r float64, n int) float64 {
	if n < 2 || !(r >= 0 && r <= 1) {
		return math.NaN()
	}
	return math.Sqrt(max((float64(n)*r*r-1)/float64(n-1), 0))
}
