package p

// Twenty steps of page rank on a graph of n pages with five links each.

func Run(n int) int {
	links := make([][]int, n)
	seed := uint32(23)
	for i := range links {
		for range 5 {
			seed = seed*1664525 + 1013904223
			links[i] = append(links[i], int(seed>>10)%n)
		}
	}
	rank := make([]float64, n)
	for i := range rank {
		rank[i] = 1 / float64(n)
	}
	for range 20 {
		next := make([]float64, n)
		for i, to := range links {
			share := rank[i] / float64(len(to))
			for _, j := range to {
				next[j] += share
			}
		}
		for i := range next {
			next[i] = 0.15/float64(n) + 0.85*next[i]
		}
		rank = next
	}
	best := 0
	for i, r := range rank {
		if r > rank[best] {
			best = i
		}
	}
	return best
}
