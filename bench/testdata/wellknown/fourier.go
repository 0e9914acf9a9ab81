package p

import "math"

// The fast Fourier transform of n numbers, with real and imaginary parts in slices of their own.

func transform(re, im []float64) {
	n := len(re)
	for i, j := 1, 0; i < n; i++ {
		bit := n / 2
		for ; j&bit != 0; bit /= 2 {
			j ^= bit
		}
		j ^= bit
		if i < j {
			re[i], re[j] = re[j], re[i]
			im[i], im[j] = im[j], im[i]
		}
	}
	for size := 2; size <= n; size *= 2 {
		half := size / 2
		turnR, turnI := math.Cos(2*math.Pi/float64(size)), math.Sin(2*math.Pi/float64(size))
		for start := 0; start < n; start += size {
			wR, wI := 1.0, 0.0
			for k := start; k < start+half; k++ {
				r := re[k+half]*wR - im[k+half]*wI
				i := re[k+half]*wI + im[k+half]*wR
				re[k+half], im[k+half] = re[k]-r, im[k]-i
				re[k] += r
				im[k] += i
				wR, wI = wR*turnR-wI*turnI, wR*turnI+wI*turnR
			}
		}
	}
}

func Run(n int) int {
	size := 1
	for size < n {
		size *= 2
	}
	re, im := make([]float64, size), make([]float64, size)
	for i := range re {
		re[i] = float64(i % 13)
	}
	transform(re, im)
	return int(re[0])
}
