package printer

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// The parts of the line of a progress bar, as package display writes it: the bar, which of several tasks, the task, how many
// steps are done, the rate, and the rest.
var barLine = regexp.MustCompile(`^\[(#*)(·*)\] (\[\d+/\d+\] )?([^:]*: )(\d+ of \d+)(, [0-9.]+/s|, [0-9:]+ each)?(.*)$`)

// shortBar is the number of letters of a bar for which there is little room.
const shortBar = 8

// narrow takes the parts of a progress bar's line away that one misses least until it fits: the task, whose name stands above,
// the rate, which the remaining time tells as well, most of the bar, and all of it. Other lines stay as they are.
func narrow(text string, columns int) string {
	fits := func() bool { return utf8.RuneCountInString(text) <= columns }
	parts := barLine.FindStringSubmatch(text)
	if parts == nil || parts[1]+parts[2] == "" || fits() {
		return text
	}
	done, all := len(parts[1]), len(parts[1])+utf8.RuneCountInString(parts[2])
	short := done * shortBar / all
	bars := []string{
		"[" + parts[1] + parts[2] + "] ",
		"[" + strings.Repeat("#", short) + strings.Repeat("·", shortBar-short) + "] ",
		"",
	}
	which, count, rate, rest := parts[3], parts[5], parts[6], parts[7]
	text = bars[0] + which + count + rate + rest
	for _, bar := range bars {
		if fits() {
			break
		}
		text = bar + which + count + rest
	}
	return text
}
