package p

// Forty generations of Conway's game on a torus with n rows.

func step(now, next [][]bool) {
	n := len(now)
	for y, row := range now {
		for x, alive := range row {
			around := 0
			for dy := n - 1; dy <= n+1; dy++ {
				for dx := n - 1; dx <= n+1; dx++ {
					if (dy != n || dx != n) && now[(y+dy)%n][(x+dx)%n] {
						around++
					}
				}
			}
			next[y][x] = around == 3 || alive && around == 2
		}
	}
}

func Run(n int) int {
	now, next := make([][]bool, n), make([][]bool, n)
	for y := range now {
		now[y], next[y] = make([]bool, n), make([]bool, n)
		for x := range now[y] {
			now[y][x] = (x*x+3*y)%5 < 2
		}
	}
	for range 40 {
		step(now, next)
		now, next = next, now
	}
	alive := 0
	for _, row := range now {
		for _, a := range row {
			if a {
				alive++
			}
		}
	}
	return alive
}
