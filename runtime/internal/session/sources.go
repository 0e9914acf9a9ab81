package session

import "sync"

// mostSources is the number of recent cells that %save can reach.
const mostSources = 10_000

// sources holds the texts of the most recent cells.
type sources struct {
	mu    sync.Mutex // guards the following fields
	first int        // execution count of texts[0]
	texts []string
}

// add stores the text of a cell. It drops the oldest tenth at once when there are too many, so that
// it need not copy the list for every cell. Cells of several shells may begin in another order than
// that of their numbers.
func (l *sources) add(number int, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.texts) == 0 {
		l.first = number
	}
	switch at := number - l.first; {
	case at < 0: // dropped, or before the first cell that began
		return
	case at < len(l.texts):
		l.texts[at] = text
		return
	default:
		l.texts = append(append(l.texts, make([]string, at-len(l.texts))...), text)
	}
	if len(l.texts) > mostSources {
		l.texts = append([]string(nil), l.texts[mostSources/10:]...)
		l.first += mostSources / 10
	}
}

// find returns the text of the cell with an execution count. ok is false for a cell that has not
// run yet, or has been dropped.
func (l *sources) find(number int) (text string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := number - l.first; i >= 0 && i < len(l.texts) {
		return l.texts[i], true
	}
	return "", false
}
