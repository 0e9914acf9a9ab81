package p

// The number of n random points that lie in a circle, with the generator xorshift64*.

type source uint64

func (s *source) next() float64 {
	x := *s
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	*s = x
	return float64(uint64(x)*0x2545f4914f6cdd1d>>11) / (1 << 53)
}

func Run(n int) int {
	s := source(88172645463325252)
	inside := 0
	for range n {
		x, y := s.next(), s.next()
		if x*x+y*y < 1 {
			inside++
		}
	}
	return inside
}
