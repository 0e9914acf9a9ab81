package notebook

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"gosphere/command/process"
)

// An answerable session can be told who answers the questions of its cells, and what a
// program that it runs reads as its standard input.
type answerable interface {
	BindInput(ask func(prompt string, password bool) (string, error))
	ReadInput(input io.Reader)
}

// readProcessInput gives the cells of a Go file the process's own input.
func readProcessInput(session any, input io.Reader, output io.Writer) {
	if s, ok := session.(answerable); ok {
		s.ReadInput(input)
		s.BindInput(func(prompt string, password bool) (string, error) {
			return askOnce(prompt, password, input, output)
		})
	}
}

// askOnce asks on a terminal that is read in no other way at the moment, or reads a line.
func askOnce(prompt string, password bool, input io.Reader, output io.Writer) (string, error) {
	fmt.Fprint(output, prompt)
	if input == os.Stdin && password && process.IsTerminal(os.Stdin) {
		answer, err := term.ReadPassword(int(os.Stdin.Fd()))
		fmt.Fprintln(output)
		return string(answer), err
	}
	// Byte by byte, so that what follows the line is left to the program.
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

// askBetween lets cells ask with what reads the cells: nothing else may read the terminal,
// and a pipe has the answers behind the cell that wants them.
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
			interrupts.Interrupt() // Ctrl-C; the terminal takes it for the line
		}
		return answer, err
	})
}
