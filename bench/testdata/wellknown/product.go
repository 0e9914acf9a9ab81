package p

// The product of two matrices with n rows.

func Run(n int) int {
	a, b := make([][]float64, n), make([][]float64, n)
	for i := range a {
		a[i], b[i] = make([]float64, n), make([]float64, n)
		for j := range a[i] {
			a[i][j], b[i][j] = float64(i+j)/10, float64(i-j)/7
		}
	}
	trace := 0.0
	for i := range a {
		row := make([]float64, n)
		for k, x := range a[i] {
			for j, y := range b[k] {
				row[j] += x * y
			}
		}
		trace += row[i]
	}
	return int(trace)
}
