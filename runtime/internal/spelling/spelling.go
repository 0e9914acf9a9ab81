// Package spelling measures the distance between two spellings of a word.
package spelling

// Distance returns the minimum number of letters to change, insert, delete or swap with a neighbor
// to convert a to b, without edits between swapped letters (optimal string alignment).
func Distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	// Row i of the table has the distances of the first i letters of a to the prefixes of b. A row
	// depends on the two above it, so only three are kept.
	before, previous, current := make([]int, len(to)+1), make([]int, len(to)+1), make([]int, len(to)+1)
	for j := range current {
		current[j] = j
	}
	for i := 1; i <= len(from); i++ {
		before, previous, current = previous, current, before
		current[0] = i
		for j := 1; j <= len(to); j++ {
			change := previous[j-1]
			if from[i-1] != to[j-1] {
				change++
			}
			current[j] = min(change, previous[j]+1, current[j-1]+1)
			// The last two letters are swapped.
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
	}
	return current[len(to)]
}
