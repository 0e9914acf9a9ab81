package notebook

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"gosphere/internal/command/process"
)

// An answerable session accepts a function that answers the questions of its cells and a reader
// that serves as standard input of a program.
type answerable interface {
	BindInput(ask func(prompt string, password bool) (string, error))
	ReadInput(input io.Reader)
}

// readProcessInput lets the cells of a Go file read the standard input of the process.
func readProcessInput(session any, input io.Reader, output io.Writer) {
	if s, ok := session.(answerable); ok {
		s.ReadInput(input)
		s.BindInput(func(prompt string, password bool) (string, error) {
			return askOnce(prompt, password, input, output)
		})
	}
}

// askOnce reads an answer from a terminal that nothing else reads at the moment, or a line from
// another input.
func askOnce(prompt string, password bool, input io.Reader, output io.Writer) (string, error) {
	fmt.Fprint(output, prompt)
	if input == os.Stdin && password && process.IsTerminal(os.Stdin) {
		answer, err := term.ReadPassword(int(os.Stdin.Fd()))
		fmt.Fprintln(output)
		return string(answer), err
	}
	// Reads byte by byte, so that input after the line is left to the program.
	var answer strings.Builder
	for one := make([]byte, 1); ; {
		n, err := input.Read(one)
		if n > 0 && one[0] != '\n' {
			answer.WriteByte(one[0])
		}
		switch {
		case n > 0 && one[0] == '\n', err == io.EOF && answer.Len() > 0:
			return strings.TrimSuffix(answer.String(), "\r"), nil
		case err != nil:
			return "", err
		}
	}
}

// askBetween answers questions of cells from the reader of the cells: nothing else may read the
// terminal, and in a pipe the answers follow the cell that asks.
func askBetween(session any, input reader) {
	s, ok := session.(interface {
		BindInput(ask func(prompt string, password bool) (string, error))
	})
	if !ok {
		return
	}
	interrupts, _ := session.(interface{ Interrupt() })
	s.BindInput(func(prompt string, password bool) (answer string, err error) {
		answer, err = input.Ask(prompt, password)
		if errors.Is(err, errDropped) && interrupts != nil {
			interrupts.Interrupt() // Ctrl-C, which the terminal treats as end of the line
		}
		return answer, err
	})
}
