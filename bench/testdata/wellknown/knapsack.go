package p

// The value of the best selection of 60 items with a total weight of at most n.

func Run(n int) int {
	best := make([]int, n+1)
	for item := 1; item <= 60; item++ {
		weight, value := item*7%23+3, item*13%37+1
		for w := n; w >= weight; w-- {
			if v := best[w-weight] + value; v > best[w] {
				best[w] = v
			}
		}
	}
	return best[n]
}
