package notebook

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/reeflective/readline"

	"gosphere/kernel/protocol"
)

// A terminal reads cells that are typed. A cell may have any number of lines, pasted text is taken
// unchanged, and history entries are whole cells.
type terminal struct {
	session language
	shell   *readline.Shell
	past    *typedHistory
	count   int
}

// newTerminal returns a terminal whose history holds earlier cells.
func newTerminal(session language, earlier []string) *terminal {
	t := &terminal{session: session, shell: readline.NewShell(), past: &typedHistory{cells: earlier}}
	t.shell.History.Delete()
	t.shell.History.Add("cells", t.past)
	t.shell.Prompt.Primary(func() string { return "\x1b[32m" + t.prompt() + "\x1b[0m" })
	t.shell.AcceptMultiline = func([]rune) bool { return true } // the method enter decides
	t.shell.SyntaxHighlighter = func(line []rune) string { return colored(string(line)) }
	t.shell.Completer = t.complete
	t.shell.Keymap.Register(map[string]func(){"cell-enter": t.enter, "cell-tab": t.tab, "cell-brace": t.brace})
	for _, keymap := range []string{"emacs", "emacs-standard", "vi-insert"} {
		for sequence, command := range map[string]string{
			"\r": "cell-enter", "\n": "cell-enter", "\t": "cell-tab", "}": "cell-brace", ")": "cell-brace",
			"\x1b[A": "up-line-or-history", "\x1b[B": "down-line-or-history", "\x1bOA": "up-line-or-history", "\x1bOB": "down-line-or-history",
		} {
			_ = t.shell.Config.Bind(keymap, sequence, command, false) // fails only for an unknown keymap
		}
	}
	_ = t.shell.Config.Set("enable-bracketed-paste", true)
	_ = t.shell.Config.Set("multiline-column-numbered", false)
	waitForNoReport(t.shell)
	return t
}

// waitForNoReport lets a shell compute the position of the cursor. By default it asks the terminal
// and waits for the answer without a limit, so a terminal that does not answer, and an answer to a
// question of a cell that comes instead, would block all keys.
func waitForNoReport(shell *readline.Shell) { _ = shell.Config.Set("cursor-position-probe", false) }

func (t *terminal) prompt() string { return fmt.Sprintf("In [%d]: ", t.count) }

// Cell reads the next cell.
func (t *terminal) Cell(count int) (string, error) {
	t.count = count
	source, err := t.shell.Readline()
	if errors.Is(err, readline.ErrInterrupt) {
		fmt.Println()
		return "", errDropped
	}
	return source, err
}

// Ask reads an answer. Nothing else may read the terminal at the same time.
func (t *terminal) Ask(prompt string, password bool) (string, error) {
	if password {
		return askOnce(prompt, true, os.Stdin, os.Stdout)
	}
	line := readline.NewShell()
	waitForNoReport(line)
	line.Prompt.Primary(func() string { return prompt })
	_ = line.Config.Set("enable-bracketed-paste", true)
	answer, err := line.Readline()
	if errors.Is(err, readline.ErrInterrupt) {
		return "", errDropped
	}
	return answer, err
}

// enter runs the cell if it is complete or ends with empty lines. Otherwise it starts a new line,
// indented as gofmt would.
func (t *terminal) enter() {
	source := string(*t.shell.Line())
	reply := t.session.IsComplete(protocol.IsCompleteRequest{Code: source})
	if atEnd := strings.TrimSpace(string((*t.shell.Line())[t.shell.Cursor().Pos():])) == ""; reply.Status != "incomplete" || atEnd && endsWithEmptyLines(source) {
		t.shell.Keymap.Commands()["accept-line"]()
		return
	}
	t.shell.Cursor().InsertAt([]rune("\n" + t.indent())...)
}

// endsWithEmptyLines reports whether the last two lines hold only the blanks that indent them.
func endsWithEmptyLines(source string) bool {
	lines := strings.Split(source, "\n")
	return len(lines) > 2 && strings.TrimSpace(lines[len(lines)-1]+lines[len(lines)-2]) == ""
}

// indent returns the indentation for a line after the cursor.
func (t *terminal) indent() string {
	before := string((*t.shell.Line())[:t.shell.Cursor().Pos()])
	return t.session.IsComplete(protocol.IsCompleteRequest{Code: before}).Indent
}

// lead returns the part of the current line before the cursor.
func (t *terminal) lead() string {
	before := string((*t.shell.Line())[:t.shell.Cursor().Pos()])
	return before[strings.LastIndexByte(before, '\n')+1:]
}

// tab indents if only blanks precede the cursor, and completes otherwise.
func (t *terminal) tab() {
	if strings.TrimSpace(t.lead()) == "" {
		t.shell.Cursor().InsertAt('\t')
		return
	}
	t.shell.Keymap.Commands()["menu-complete"]()
}

// brace types a closing brace, one indentation level less than the lines of its block.
func (t *terminal) brace() {
	if lead := t.lead(); strings.HasSuffix(lead, "\t") && strings.TrimSpace(lead) == "" {
		t.shell.Keymap.Commands()["backward-delete-char"]()
	}
	t.shell.Keymap.Commands()["self-insert"]()
}

// complete returns the completions at the cursor, with signatures.
func (t *terminal) complete(line []rune, cursor int) readline.Completions {
	reply := t.session.Complete(protocol.CompleteRequest{Code: string(line), CursorPos: cursor})
	if reply.CursorStart < 0 || reply.CursorStart > cursor {
		return readline.CompleteMessage("no completion")
	}
	// The editor replaces the word before the cursor, back to a blank; the session replaces only
	// the name.
	start := cursor
	for start > 0 && !unicode.IsSpace(line[start-1]) {
		start--
	}
	signatures := map[string]string{}
	if typed, ok := reply.Metadata[protocol.TypedMatches].([]protocol.TypedMatch); ok {
		for _, m := range typed {
			signatures[m.Text] = firstLine(m.Signature, m.Documentation)
		}
	}
	prefix := ""
	if start < reply.CursorStart {
		prefix = string(line[start:reply.CursorStart])
	}
	described := make([]string, 0, 2*len(reply.Matches))
	for _, match := range reply.Matches {
		described = append(described, match, signatures[match])
	}
	return readline.CompleteValuesDescribed(described...).Prefix(prefix).NoSort()
}

// signatureWidth is the maximum width of a signature in a menu.
const signatureWidth = 70

func firstLine(texts ...string) string {
	for _, text := range texts {
		if text, _, _ = strings.Cut(text, "\n"); text != "" {
			if utf8.RuneCountInString(text) > signatureWidth {
				text = string([]rune(text)[:signatureWidth-1]) + "…"
			}
			return text
		}
	}
	return ""
}

// typedHistory holds the cells that the arrow keys recall.
type typedHistory struct{ cells []string }

// Write adds a cell, unless it equals the last one.
func (h *typedHistory) Write(cell string) (int, error) {
	if cell = strings.TrimRight(cell, " \t\n"); cell != "" && (len(h.cells) == 0 || h.cells[len(h.cells)-1] != cell) {
		h.cells = append(h.cells, cell)
	}
	return len(h.cells), nil
}

// GetLine returns a cell by its index from 0.
func (h *typedHistory) GetLine(at int) (string, error) {
	if at < 0 || at >= len(h.cells) {
		return "", fmt.Errorf("no cell %d in the history", at)
	}
	return h.cells[at], nil
}

// Len returns the number of cells.
func (h *typedHistory) Len() int { return len(h.cells) }

// Dump returns the cells.
func (h *typedHistory) Dump() any { return h.cells }
