package p

// The number of ways to place n queens, with the attacked columns and diagonals as bits.

func place(all, columns, left, right uint) int {
	if columns == all {
		return 1
	}
	count := 0
	for free := all &^ (columns | left | right); free != 0; free &= free - 1 {
		bit := free & -free
		count += place(all, columns|bit, (left|bit)<<1, (right|bit)>>1)
	}
	return count
}

func Run(n int) int { return place(1<<n-1, 0, 0, 0) }
