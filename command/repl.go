package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"unicode/utf8"

	"github.com/peterh/liner"

	"gosphere/kernel/history"
	"gosphere/kernel/protocol"
)

// Repl is the subcommand that reads cells from a terminal.
type Repl struct {
	History string `help:"SQLite file that keeps the history; \"off\" for none. By default it is that of the kernels."`
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
	showTrainings(false)
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
	past := history.New(history.Options{Path: r.historyPath(), Warn: os.Stderr})
	defer past.Close(lastWrite)
	recall(past, line)
	fmt.Println(Banner() + "; Ctrl-D ends")
	return readCells(&remembering{session, past, 0}, line, os.Stdout, os.Stderr)
}

// historyPath returns where the history is kept, "" for nowhere.
func (r Repl) historyPath() string {
	switch r.History {
	case "":
		return history.Path()
	case "off":
		return ""
	}
	return r.History
}

// recalled is how many earlier cells the arrow keys reach.
const recalled = 1000

// recall hands the cells of earlier sessions to the line editor.
func recall(past *history.Log, line prompter) {
	cells, err := past.Find(protocol.HistoryRequest{HistAccessType: "tail", N: recalled})
	if err != nil {
		return
	}
	for _, c := range cells {
		appendHistory(line, c.Source)
	}
}

// appendHistory hands the lines of a cell to the line editor, which knows no others.
func appendHistory(line prompter, source string) {
	for typed := range strings.Lines(source) {
		if typed = strings.TrimSpace(typed); typed != "" {
			line.AppendHistory(typed)
		}
	}
}

// remembering is a language whose cells go into the history.
type remembering struct {
	language
	past  *history.Log
	count int
}

// BindInput hands on what asks the user.
func (r *remembering) BindInput(ask func(prompt string, password bool) (string, error)) {
	if s, ok := r.language.(answerable); ok {
		s.BindInput(ask)
	}
}

// Execute runs a cell and remembers it with its value.
func (r *remembering) Execute(ctx context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) protocol.ExecuteReply {
	var value string
	reply := r.language.Execute(ctx, request, func(content protocol.Content) {
		if result, ok := content.(protocol.ExecuteResult); ok {
			value, _ = result.Data["text/plain"].(string)
		}
		publish(content)
	})
	r.count++
	r.past.Add(history.Cell{Line: r.count, Source: request.Code, Output: value})
	return reply
}

// A prompter reads one line after a prompt; liner.State is one.
type prompter interface {
	Prompt(prompt string) (string, error)
	AppendHistory(line string)
}

// readCells runs cells until the input ends.
func readCells(session language, line prompter, stdout, stderr io.Writer) error {
	askBetween(session, line)
	out := newOutputs(stdout, stderr)
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
		appendHistory(line, source)
		request := protocol.ExecuteRequest{Code: source, StoreHistory: true, AllowStdin: true}
		reply := session.Execute(context.Background(), request, out.show)
		_ = out.stdout.Break() // of a progress bar whose cell was interrupted
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
