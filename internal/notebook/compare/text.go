package compare

import (
	"slices"
	"strings"
)

const (
	contextLines = 2    // lines shown around a change
	mostLines    = 2000 // longer texts are compared line by line, without detecting moved lines
	mostShown    = 60   // lines per difference
	mostRemarks  = 8    // numbers listed below a change
	widest       = 200  // characters shown of a line
)

// Text compares two texts and returns the lines of their difference, or none if they agree.
func Text(stored, fresh string, t Tolerances) []string {
	if stored == fresh {
		return nil
	}
	a, b := lines(t.without(stored)), lines(t.without(fresh))
	steps := align(a, b, &t)
	if !slices.ContainsFunc(steps, func(s step) bool { return s.kind != ' ' }) {
		return nil
	}
	return show(steps, &t)
}

// lines splits a text into lines. A newline at the end does not start another line.
func lines(text string) []*line {
	if text == "" {
		return nil
	}
	var list []*line
	for part := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		list = append(list, &line{text: part})
	}
	return list
}

// A step is a line of a difference: kept (' '), only stored ('-') or only new ('+').
type step struct {
	kind byte
	*line
}

// align returns a longest common subsequence of lines, where lines are common if they agree within
// the tolerances.
func align(a, b []*line, t *Tolerances) []step {
	var steps []step
	for len(a) > 0 && len(b) > 0 {
		if !equalLines(a[0], b[0], t) {
			break
		}
		steps = append(steps, step{' ', b[0]})
		a, b = a[1:], b[1:]
	}
	var tail []step
	for len(a) > 0 && len(b) > 0 {
		if !equalLines(a[len(a)-1], b[len(b)-1], t) {
			break
		}
		tail = append(tail, step{' ', b[len(b)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	slices.Reverse(tail)
	return slices.Concat(steps, middle(a, b, t), tail)
}

// middle aligns the lines between equal beginnings and ends.
func middle(a, b []*line, t *Tolerances) []step {
	var steps []step
	if len(a)*len(b) > mostLines*mostLines/4 || len(a) == 0 || len(b) == 0 {
		for _, line := range a {
			steps = append(steps, step{'-', line})
		}
		for _, line := range b {
			steps = append(steps, step{'+', line})
		}
		return steps
	}
	// common[i][j] is the length of the longest common subsequence of a[i:] and b[j:].
	common := make([][]int, len(a)+1)
	same := make([][]bool, len(a))
	common[len(a)] = make([]int, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		common[i], same[i] = make([]int, len(b)+1), make([]bool, len(b))
		for j := len(b) - 1; j >= 0; j-- {
			same[i][j] = equalLines(a[i], b[j], t)
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if same[i][j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && same[i][j]:
			steps = append(steps, step{' ', b[j]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			steps = append(steps, step{'-', a[i]})
			i++
		default:
			steps = append(steps, step{'+', b[j]})
			j++
		}
	}
	return steps
}

// show returns the changes with some lines of context, and below each group of changes remarks on
// the numbers that differ too much.
func show(steps []step, t *Tolerances) []string {
	near := make([]bool, len(steps))
	for i, s := range steps {
		if s.kind != ' ' {
			for k := max(0, i-contextLines); k <= min(len(steps)-1, i+contextLines); k++ {
				near[k] = true
			}
		}
	}
	var shown []string
	var old, now []*line
	flush := func() {
		shown = append(shown, remarks(old, now, t)...)
		old, now = nil, nil
	}
	for i, s := range steps {
		switch {
		case !near[i]:
			if i == 0 || near[i-1] {
				flush()
				shown = append(shown, "~ …")
			}
			continue
		case s.kind == '-':
			old = append(old, s.line)
		case s.kind == '+':
			now = append(now, s.line)
		default:
			flush()
		}
		shown = append(shown, string(s.kind)+" "+shortened(s.text))
	}
	flush()
	if left := len(shown) - mostShown; left > 0 {
		shown = append(shown[:mostShown], "~ and "+plural(left, "more line"))
	}
	return shown
}

// remarks lists the numbers that differ too much in lines that otherwise agree.
func remarks(old, now []*line, t *Tolerances) []string {
	var list []string
	for i := range min(len(old), len(now)) {
		_, apart := differ(old[i], now[i], t, true)
		for _, remark := range apart {
			list = append(list, "~ "+remark)
		}
	}
	if left := len(list) - mostRemarks; left > 0 {
		list = append(list[:mostRemarks], "~ and "+plural(left, "more number"))
	}
	return list
}

// shortened truncates a line to fit on a screen.
func shortened(line string) string {
	if letters := []rune(line); len(letters) > widest {
		return string(letters[:widest]) + "…"
	}
	return line
}
