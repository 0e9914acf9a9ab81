package p

// Ten rounds of k-means with eight centers on n points in the plane.

type place struct{ x, y float64 }

func far(a, b place) float64 {
	dx, dy := a.x-b.x, a.y-b.y
	return dx*dx + dy*dy
}

func Run(n int) int {
	points := make([]place, n)
	seed := uint32(9)
	next := func() float64 {
		seed = seed*1664525 + 1013904223
		return float64(seed>>8) / (1 << 24)
	}
	for i := range points {
		points[i] = place{next() + float64(i%4), next() + float64(i%2)}
	}
	centers := append([]place(nil), points[:8]...)
	for range 10 {
		sums, counts := make([]place, 8), make([]int, 8)
		for _, p := range points {
			best := 0
			for k := 1; k < len(centers); k++ {
				if far(p, centers[k]) < far(p, centers[best]) {
					best = k
				}
			}
			sums[best].x += p.x
			sums[best].y += p.y
			counts[best]++
		}
		for k, c := range counts {
			if c > 0 {
				centers[k] = place{sums[k].x / float64(c), sums[k].y / float64(c)}
			}
		}
	}
	return int(centers[3].x * 1e6)
}
