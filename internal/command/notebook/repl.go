package notebook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"

	"gosphere/internal/command/cells"
	"gosphere/internal/command/process"
	"gosphere/kernel/history"
	"gosphere/kernel/history/disk"
	"gosphere/kernel/protocol"
)

// Repl is the subcommand that reads cells from a terminal.
type Repl struct {
	History string `help:"SQLite file for the history, or \"off\" for none (default: the history file of the kernels)."`

	process.Compute
}

// language is the part of a session that the terminal needs.
type language interface {
	Execute(context.Context, protocol.ExecuteRequest, func(protocol.Content)) protocol.ExecuteReply
	Complete(protocol.CompleteRequest) protocol.CompleteReply
	IsComplete(protocol.IsCompleteRequest) protocol.IsCompleteReply
	Interrupt()
}

// Help describes the keys.
func (Repl) Help() string {
	return "Enter runs a complete cell and continues an incomplete one; two empty lines end it. Tab completes, or indents; Ctrl-R searches " +
		"the history, whose entries are whole cells; Ctrl-C discards the cell, or interrupts it while it runs; exit, quit or Ctrl-D ends the program. " +
		"Terminals that support images (kitty, iTerm2, WezTerm, foot and others) show pictures; elsewhere they are written to files, which the desktop's viewer opens. Set " + ImagesVariable +
		" to kitty, iterm, sixel, open or none to choose. Where TERM is dumb, lines are read without editing."
}

// Run reads cells until the end of the input. Ctrl-C interrupts a running cell, or discards the
// cell being typed.
func (r Repl) Run() error {
	session, err := cells.NewSession(false)
	if err != nil {
		return err
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	// This goroutine forwards Ctrl-C to the running cell. It ends with the process.
	go func() {
		for range interrupts {
			session.Interrupt()
		}
	}()
	if !process.IsTerminal(os.Stdin) {
		return readCells(session, &pipe{input: os.Stdin, complete: session.IsComplete}, os.Stdout, os.Stderr)
	}
	past := disk.New(disk.Options{Path: r.historyPath(), Warn: os.Stderr})
	defer past.Close(writeTime)
	fmt.Println(process.Banner() + "\nTab completes, Ctrl-R searches, Ctrl-C interrupts, Ctrl-D exits; help has more")
	remembered := &remembering{session, past, 0}
	if isDumb(os.Getenv, runtime.GOOS) {
		return readCells(remembered, &pipe{input: os.Stdin, complete: session.IsComplete, prompts: os.Stdout}, os.Stdout, os.Stderr)
	}
	return readCells(remembered, newTerminal(remembered, recall(past)), os.Stdout, os.Stderr)
}

// isDumb reports whether the terminal has no cursor to address, such as a shell in Emacs. The
// editor would wait forever for the cursor's position. Terminals of Windows do not set TERM.
func isDumb(environment func(string) string, system string) bool {
	kind := environment("TERM")
	return kind == "dumb" || kind == "" && system != "windows"
}

// historyPath returns the path of the history file, or "" for none.
func (r Repl) historyPath() string {
	switch r.History {
	case "":
		return disk.Path()
	case "off":
		return ""
	}
	return r.History
}

// recalled is the number of earlier cells that the arrow keys recall.
const recalled = 1000

// recall returns the cells of earlier sessions, newest last.
func recall(past *disk.Log) []string {
	cells, err := past.Find(protocol.HistoryRequest{HistAccessType: "tail", N: recalled})
	if err != nil {
		return nil
	}
	var sources []string
	for _, c := range cells {
		sources = append(sources, c.Source)
	}
	return sources
}

// remembering is a language that records its cells in the history.
type remembering struct {
	language
	past  *disk.Log
	count int
}

// BindInput forwards the function that asks the user to the language.
func (r *remembering) BindInput(ask func(prompt string, password bool) (string, error)) {
	if s, ok := r.language.(answerable); ok {
		s.BindInput(ask)
	}
}

// Interrupt stops the running cell.
func (r *remembering) Interrupt() {
	if s, ok := r.language.(interface{ Interrupt() }); ok {
		s.Interrupt()
	}
}

// Execute runs a cell and records it with its value.
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

// A reader reads cells and answers to their questions.
type reader interface {
	// Cell reads the next cell. It returns io.EOF at the end of the input and errDropped for a
	// discarded cell.
	Cell(count int) (source string, err error)
	// Ask reads one line. It returns errDropped for Ctrl-C.
	Ask(prompt string, password bool) (answer string, err error)
}

// errDropped is the error of a reader for Ctrl-C.
var errDropped = errors.New("interrupted")

// writeTime bounds the wait at exit for the history file, which another program may hold.
const writeTime = 100 * time.Millisecond

// readCells runs cells until the input ends.
func readCells(session language, input reader, stdout, stderr io.Writer) error {
	askBetween(session, input)
	out := newOutputs(stdout, stderr)
	if _, typed := input.(*terminal); typed {
		out.images, out.way, out.viewer = true, imageProtocol(os.Getenv), viewer(os.Getenv, runtime.GOOS)
	}
	for count := 1; ; count++ {
		source, err := input.Cell(count)
		switch {
		case errors.Is(err, errDropped):
			count--
			continue
		case errors.Is(err, io.EOF):
			if p, piped := input.(*pipe); !piped || p.prompts != nil {
				fmt.Fprintln(stdout) // the prompt is on this line
			}
			return nil
		case err != nil:
			return err
		}
		if strings.TrimSpace(source) == "" {
			count--
			continue
		}
		request := protocol.ExecuteRequest{Code: source, StoreHistory: true, AllowStdin: true}
		reply := session.Execute(context.Background(), request, out.show)
		_ = out.stdout.Break() // ends the line of a progress bar whose cell was interrupted
		for _, payload := range reply.Payload {
			switch data, isPage := payload["data"].(protocol.MimeBundle); {
			case isPage && payload["source"] == "page":
				fmt.Fprintln(stdout, process.PlainText(data))
			case payload["source"] == "ask_exit":
				return nil
			}
		}
	}
}

// pipe reads lines from an input that is not a terminal, or from a terminal without editing.
type pipe struct {
	input    io.Reader
	complete func(protocol.IsCompleteRequest) protocol.IsCompleteReply
	prompts  io.Writer // a terminal, or nil
	rest     []byte
	ended    bool
}

// Cell reads lines until they form a complete cell. The end of the input ends an incomplete one, as
// do two empty lines of a terminal.
func (p *pipe) Cell(count int) (string, error) {
	prompt := fmt.Sprintf("In [%d]: ", count)
	p.show(prompt)
	source, err := p.line()
	if err != nil {
		return "", err
	}
	for p.complete(protocol.IsCompleteRequest{Code: source}).Status == "incomplete" && (p.prompts == nil || !strings.HasSuffix(source, "\n\n")) {
		p.show(fmt.Sprintf("%*s", len(prompt), "...: "))
		next, err := p.line()
		if errors.Is(err, io.EOF) {
			break // the next call returns the end of the input
		}
		if err != nil {
			return "", err
		}
		source += "\n" + next
	}
	return source, nil
}

// Ask reads the next line, or a password from a terminal without showing it.
func (p *pipe) Ask(prompt string, password bool) (string, error) {
	if p.prompts != nil && password {
		return askOnce(prompt, true, os.Stdin, p.prompts)
	}
	p.show(prompt)
	return p.line()
}

// show prints a prompt on a terminal.
func (p *pipe) show(prompt string) {
	if p.prompts != nil {
		fmt.Fprint(p.prompts, prompt)
	}
}

// line reads the next line.
func (p *pipe) line() (string, error) {
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
