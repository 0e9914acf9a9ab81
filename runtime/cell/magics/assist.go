package magics

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Completion is the list of completions of a magic. Start and End are in code points of the cell.
type Completion struct {
	Matches    []string
	Start, End int
}

// Complete returns the completions of the magic at the cursor: its name, or the name of a file. It
// returns false if the cursor is in Go code.
func Complete(source string, cursor int) (c Completion, found bool) {
	l, column, ok := lineAt(source, cursor)
	if !ok {
		return Completion{}, false
	}
	before := []rune(strings.TrimRight(l.text, "\r\n"))[:column]
	text := strings.TrimLeft(string(before), " \t")
	if text == "" {
		return Completion{}, false
	}
	word := text[strings.LastIndexAny(text, " \t")+1:]
	c.Start, c.End = cursor-len([]rune(word)), cursor
	switch {
	case word == text && text[0] == '%':
		c.Matches = names(word)
	case takesFile(firstWord(text)):
		c.Matches = files(word)
	default:
		if _, timed := timing(l.text); timed {
			return Completion{}, false
		}
	}
	return c, true
}

// HelpAt returns the help of the magic at the cursor, or "" if there is none.
func HelpAt(source string, cursor int) string {
	l, _, ok := lineAt(source, cursor)
	if !ok {
		return ""
	}
	if _, timed := timing(l.text); timed {
		word := firstWord(strings.TrimSpace(l.text))
		start := len([]rune(source[:l.offset])) + strings.Index(l.text, word)
		if cursor > start+len(word) {
			return ""
		}
	}
	return Help(strings.TrimLeft(firstWord(strings.TrimSpace(l.text)), "%"))
}

// lineAt returns the magic line at the cursor, and the column of the cursor in it.
func lineAt(source string, cursor int) (l line, column int, found bool) {
	at := 0
	for _, l := range lines(source) {
		length := len([]rune(l.text))
		inside := cursor >= at && (cursor < at+length || cursor == at+length && !strings.HasSuffix(l.text, "\n"))
		if inside {
			return l, min(cursor-at, len([]rune(strings.TrimRight(l.text, "\r\n")))), l.magic
		}
		at += length
	}
	return line{}, 0, false
}

// names returns the commands that begin with a prefix, which includes the sign.
func names(prefix string) []string {
	var list []string
	for _, c := range commands {
		for _, form := range []struct {
			sign    string
			allowed bool
		}{{"%", c.line}, {"%%", c.cell}} {
			if text := form.sign + c.name; form.allowed && strings.HasPrefix(text, prefix) {
				list = append(list, text)
			}
		}
	}
	slices.Sort(list)
	return list
}

func takesFile(word string) bool {
	return slices.Contains([]string{"%cd", "%load", "%save", "%%writefile"}, word) || strings.HasPrefix(word, "!")
}

// mostFiles is the maximum number of files listed.
const mostFiles = 200

// files returns the names of files that begin with a prefix. Folders end in a slash.
func files(prefix string) []string {
	real, err := FileName(prefix)
	if err != nil {
		return nil
	}
	folder, name := filepath.Split(real)
	entries, err := os.ReadDir(filepath.Clean(folder + "."))
	if err != nil {
		return nil
	}
	typed := strings.TrimSuffix(prefix, name)
	var list []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), name) || name == "" && strings.HasPrefix(e.Name(), ".") {
			continue
		}
		text := typed + e.Name()
		if e.IsDir() {
			text += "/"
		}
		if list = append(list, text); len(list) == mostFiles {
			break
		}
	}
	return list
}

// IsOpen reports whether a cell magic accepts more lines. In a console an empty line ends it.
func IsOpen(source string) (cellMagic, open bool) {
	first := strings.TrimSpace(strings.SplitN(strings.TrimLeft(source, " \t\r\n"), "\n", 2)[0])
	if !strings.HasPrefix(first, "%%") {
		return false, false
	}
	if name := firstWord(first); holdsGo(name) {
		return false, false
	}
	return true, !strings.HasSuffix(source, "\n\n") && !strings.HasSuffix(source, "\n")
}
