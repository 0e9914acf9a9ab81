package p

import (
	"sort"
	"strconv"
	"strings"
)

// The most frequent of n words, found byte by byte and counted in a map.

func Run(n int) int {
	var b strings.Builder
	seed := uint32(31)
	for range n {
		seed = seed*1664525 + 1013904223
		b.WriteString("token")
		b.WriteString(strconv.Itoa(int(seed>>15) % 1009))
		b.WriteByte(" .\n"[seed>>30%3])
	}
	text, counts, from := b.String(), map[string]int{}, -1
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch inside := 'a' <= c && c <= 'z' || '0' <= c && c <= '9'; {
		case inside && from < 0:
			from = i
		case !inside && from >= 0:
			counts[text[from:i]]++
			from = -1
		}
	}
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool {
		if counts[names[i]] != counts[names[j]] {
			return counts[names[i]] > counts[names[j]]
		}
		return names[i] < names[j]
	})
	return counts[names[0]]*10000 + len(names)
}
