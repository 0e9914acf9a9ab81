package printer

import (
	"strings"
	"unicode/utf8"

	"gosphere/internal/lazyregexp"
)

// barLine matches the line of a progress bar as written by package display, with its parts: the
// bar, the index of the task, the task, the steps done, the rate, and the rest.
var barLine = lazyregexp.New(`^\[(#*)(·*)\] (\[\d+/\d+\] )?([^:]*: )(\d+ of \d+)(, [0-9.]+/s|, [0-9:]+ each)?(.*)$`)

// shortBar is the number of characters of a bar on a narrow line.
const shortBar = 8

// narrow removes parts from the line of a progress bar, the least important first, until it fits:
// the task, which is printed above, the rate, which follows from the remaining time, most of the
// bar, and all of it. It returns other lines unchanged.
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
