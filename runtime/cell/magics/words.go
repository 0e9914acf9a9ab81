package magics

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A Variable is a variable of the session.
type Variable struct {
	Name, Type string
	Size       string // such as "length 3" or "2×5"; empty for a scalar
	Value      string // beginning of the value; empty if it cannot be read now
	Unread     bool   // goroutines may be writing it
}

// Split splits a line into the name of the command and its arguments.
func Split(line string) (name, arguments string) {
	line = strings.TrimSpace(line)
	if cut := strings.IndexAny(line, " \t"); cut >= 0 {
		return line[:cut], strings.TrimSpace(line[cut:])
	}
	return line, ""
}

// FileName returns a file name without its quotes and with ~ replaced by the home directory.
func FileName(text string) (string, error) {
	if n := len(text); n > 1 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		text = text[1 : n-1]
	}
	if text == "~" || strings.HasPrefix(text, "~/") {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		text = filepath.Join(home, text[1:])
	}
	if strings.ContainsRune(text, 0) {
		return "", fmt.Errorf("%q is not a file name", text)
	}
	return text, nil
}
