package p

import "strings"

// Text that is built by appending n times, reversed as runes, changed and split.

func Run(n int) int {
	s := ""
	for i := range n {
		s += "xyz"[i%3 : i%3+1]
	}
	runes := []rune(s)
	for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	count := 0
	for _, r := range strings.ToUpper(string(runes)) {
		if r == 'Y' {
			count++
		}
	}
	for _, part := range strings.Split(s, "z") {
		count += len(part)
	}
	return count
}
