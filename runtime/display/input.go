package display

import (
	"fmt"
	"io"
	"os"
	"strings"

	"gosphere/internal/host"
)

// Prompt asks the user for a line and waits for the answer, which is returned without the end of
// the line. If no one can answer, as in a notebook that runs without a front end, it returns an
// error immediately.
func Prompt(text string) (string, error) { return ask(text, false) }

// Password is like Prompt for a secret: the front end does not echo the answer. In a compiled
// program the terminal echoes it.
func Password(text string) (string, error) { return ask(text, true) }

func ask(text string, password bool) (string, error) {
	if h, ok := host.Of[interface {
		Ask(prompt string, password bool) (string, error)
	}](); ok {
		answer, err := h.Ask(text, password)
		if err != nil {
			return "", fmt.Errorf("display: asking %q: %w", text, err)
		}
		return answer, nil
	}
	_ = fallbackPrinter().Text(text)
	answer, err := readLine(os.Stdin)
	if err != nil {
		return "", fmt.Errorf("display: asking %q: %w", text, err)
	}
	return answer, nil
}

// readLine reads a line byte by byte, so that later input is left to other readers.
func readLine(input io.Reader) (string, error) {
	var line strings.Builder
	for one := make([]byte, 1); ; {
		n, err := input.Read(one)
		if n > 0 && one[0] != '\n' {
			line.WriteByte(one[0])
		}
		switch {
		case n > 0 && one[0] == '\n', err == io.EOF && line.Len() > 0:
			return strings.TrimSuffix(line.String(), "\r"), nil
		case err != nil:
			return "", err
		}
	}
}
