package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/peterh/liner"

	"gosphere/kernel/protocol"
)

// Repl is the subcommand that reads cells from a terminal.
type Repl struct {
	History string `help:"File that keeps the history." type:"path"`
}

// language is the part of a session that the terminal needs.
type language interface {
	Execute(context.Context, protocol.ExecuteRequest, func(protocol.Content)) protocol.ExecuteReply
	Complete(protocol.CompleteRequest) protocol.CompleteReply
	IsComplete(protocol.IsCompleteRequest) protocol.IsCompleteReply
	Interrupt()
}

// Run reads cells until the end of the input. Ctrl-C interrupts a running cell, or drops the cell being typed.
func (r Repl) Run() error {
	session, err := newSession()
	if err != nil {
		return err
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	// Forwards Ctrl-C to the running cell; ends with the process.
	go func() {
		for range interrupts {
			session.Interrupt()
		}
	}()
	if !isTerminal(os.Stdin) {
		return readCells(session, &pipe{input: os.Stdin}, os.Stdout, os.Stderr)
	}
	line := liner.NewLiner()
	defer line.Close()
	line.SetCtrlCAborts(true)
	line.SetMultiLineMode(true)
	line.SetWordCompleter(completer(session))
	path := r.historyPath()
	if file, err := os.Open(path); err == nil {
		line.ReadHistory(file)
		file.Close()
	}
	fmt.Println(Banner() + "; Ctrl-D ends")
	err = readCells(session, line, os.Stdout, os.Stderr)
	if file, ferr := os.Create(path); ferr == nil {
		line.WriteHistory(file)
		file.Close()
	}
	return err
}

// historyPath returns where the history is kept: the flag, or a file in the user's configuration folder.
func (r Repl) historyPath() string {
	if r.History != "" {
		return r.History
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		return os.DevNull
	}
	folder = filepath.Join(folder, "gosphere")
	os.MkdirAll(folder, 0o700)
	return filepath.Join(folder, "history")
}

// A prompter reads one line after a prompt; liner.State is one.
type prompter interface {
	Prompt(prompt string) (string, error)
	AppendHistory(line string)
}

// readCells runs cells until the input ends.
func readCells(session language, line prompter, stdout, stderr io.Writer) error {
	askBetween(session, line)
	for count := 1; ; count++ {
		source, err := readCell(session, line, count)
		switch {
		case errors.Is(err, liner.ErrPromptAborted):
			count--
			continue
		case errors.Is(err, io.EOF):
			if _, piped := line.(*pipe); !piped {
				fmt.Fprintln(stdout) // the prompt stands there
			}
			return nil
		case err != nil:
			return err
		}
		if strings.TrimSpace(source) == "" {
			count--
			continue
		}
		for typed := range strings.Lines(source) {
			// One by one: a file of history has one entry on a line, and joined lines would be no Go.
			if typed = strings.TrimSpace(typed); typed != "" {
				line.AppendHistory(typed)
			}
		}
		request := protocol.ExecuteRequest{Code: source, StoreHistory: true, AllowStdin: true}
		reply := session.Execute(context.Background(), request, func(content protocol.Content) { printContent(content, stdout, stderr) })
		for _, payload := range reply.Payload {
			if data, ok := payload["data"].(protocol.MimeBundle); ok && payload["source"] == "page" {
				fmt.Fprintln(stdout, plainText(data))
			}
		}
	}
}

// readCell reads lines until they make a complete cell. At a terminal an empty line ends an incomplete one as it is, and
// lines are indented; from a pipe they come as they are, and only its end ends an incomplete cell.
func readCell(session language, line prompter, count int) (string, error) {
	prompt := fmt.Sprintf("In [%d]: ", count)
	continuation := strings.Repeat(" ", len(prompt)-5) + "...: "
	_, piped := line.(*pipe)
	source, err := line.Prompt(prompt)
	if err != nil {
		return "", err
	}
	for {
		reply := session.IsComplete(protocol.IsCompleteRequest{Code: source})
		if reply.Status != "incomplete" {
			return source, nil
		}
		// liner refuses prompts that hold tabs.
		next, err := line.Prompt(continuation + strings.ReplaceAll(reply.Indent, "\t", "    "))
		switch {
		case piped && errors.Is(err, io.EOF):
			return source, nil // the next call meets the end again
		case err != nil:
			return "", err
		case piped:
			source += "\n" + next
			continue
		case strings.TrimSpace(next) == "":
			return source, nil
		}
		source += "\n" + reply.Indent + next
	}
}

// printContent shows one output in the terminal.
func printContent(content protocol.Content, stdout, stderr io.Writer) {
	switch content := content.(type) {
	case protocol.Stream:
		if content.Name == "stderr" {
			io.WriteString(stderr, content.Text)
			return
		}
		io.WriteString(stdout, content.Text)
	case protocol.ExecuteResult:
		fmt.Fprintf(stdout, "Out[%d]: %s\n", content.ExecutionCount, plainText(content.Data))
	case protocol.DisplayData:
		fmt.Fprintln(stdout, plainText(content.Data))
	case protocol.UpdateDisplayData:
		fmt.Fprint(stdout, "\r", plainText(content.Data))
	case protocol.Error:
		fmt.Fprintln(stderr, strings.Join(content.Traceback, "\n"))
	}
}

// plainText returns the text form of a bundle; a picture is named, since a terminal cannot show it.
func plainText(data protocol.MimeBundle) string {
	if text, ok := data["text/plain"].(string); ok {
		return text
	}
	text, err := json.Marshal(data)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// completer adapts the session's completion to liner, which counts bytes.
func completer(session language) liner.WordCompleter {
	return func(line string, position int) (head string, completions []string, tail string) {
		cursor := utf8.RuneCountInString(line[:position])
		reply := session.Complete(protocol.CompleteRequest{Code: line, CursorPos: cursor})
		runes := []rune(line)
		if reply.CursorStart < 0 || reply.CursorEnd > len(runes) || reply.CursorStart > reply.CursorEnd {
			return line[:position], nil, line[position:]
		}
		return string(runes[:reply.CursorStart]), reply.Matches, string(runes[reply.CursorEnd:])
	}
}

// isTerminal tells whether a person may sit at the other end of a file.
func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// pipe reads lines where there is no terminal.
type pipe struct {
	input io.Reader
	rest  []byte
	ended bool
}

// Prompt reads the next line; prompts are not printed into a pipe.
func (p *pipe) Prompt(string) (string, error) {
	for {
		if line, rest, found := strings.Cut(string(p.rest), "\n"); found {
			p.rest = []byte(rest)
			return strings.TrimSuffix(line, "\r"), nil
		}
		if p.ended {
			line := string(p.rest)
			p.rest = nil
			if line == "" {
				return "", io.EOF
			}
			return line, nil
		}
		buffer := make([]byte, 4096)
		n, err := p.input.Read(buffer)
		p.rest = append(p.rest, buffer[:n]...)
		p.ended = err != nil
	}
}

// AppendHistory does nothing: a pipe has no history.
func (p *pipe) AppendHistory(string) {}
