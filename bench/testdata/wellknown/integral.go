package p

import "math"

// Simpson's rule with n intervals, for functions that are values.

func simpson(f func(float64) float64, a, b float64, n int) float64 {
	h := (b - a) / float64(n)
	sum := f(a) + f(b)
	for i := 1; i < n; i++ {
		if i%2 == 1 {
			sum += 4 * f(a+float64(i)*h)
		} else {
			sum += 2 * f(a+float64(i)*h)
		}
	}
	return sum * h / 3
}

func Run(n int) int {
	sum := 0.0
	for k := range 3 {
		c := float64(k)
		sum += simpson(func(x float64) float64 { return math.Sqrt(x+c) * (1 - x*x) }, 0, 1, n)
	}
	return int(sum * 1e9)
}
