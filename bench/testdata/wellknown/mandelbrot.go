package p

// The number of points of an n by n grid that stay in Mandelbrot's set for 100 steps.

func Run(n int) int {
	inside := 0
	for py := range n {
		for px := range n {
			cx, cy := float64(px)*3/float64(n)-2, float64(py)*2/float64(n)-1
			x, y, steps := 0.0, 0.0, 0
			for ; steps < 100 && x*x+y*y <= 4; steps++ {
				x, y = x*x-y*y+cx, 2*x*y+cy
			}
			if steps == 100 {
				inside++
			}
		}
	}
	return inside
}
