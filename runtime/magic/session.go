package magic

import (
	"fmt"
	"slices"
	"strings"

	"gosphere/runtime/internal/guard/limits"
)

// listVariables implements %vars.
func listVariables(i invocation) error {
	h, err := host()
	if err != nil {
		return err
	}
	wanted := strings.Fields(i.arguments)
	var rows [][]string
	found := map[string]bool{}
	list, reason := h.Variables()
	unread := false
	for _, v := range list {
		if len(wanted) == 0 || slices.Contains(wanted, v.Name) {
			found[v.Name], unread = true, unread || v.Unread
			rows = append(rows, []string{v.Name, v.Type, v.Size, oneLine(v.Value)})
		}
	}
	for _, name := range wanted {
		if !found[name] {
			return fmt.Errorf("no variable %s", name)
		}
	}
	if len(rows) == 0 {
		say("no variables")
		return nil
	}
	text := columns(append([][]string{{"name", "type", "size", "value"}}, rows...))
	if unread {
		text += "Only values of numbers and bools are shown: " + reason + ".\n"
	}
	say(text)
	return nil
}

// listModules implements %modules.
func listModules(invocation) error {
	h, err := host()
	if err != nil {
		return err
	}
	rows, err := h.Modules()
	if err != nil {
		return err
	}
	if len(rows) < 2 {
		say("no modules: add one with %require MODULE@VERSION or in a go.mod next to the notebook")
		return nil
	}
	say(columns(rows))
	return nil
}

// valueWidth is the maximum number of characters of a value that %vars shows.
const valueWidth = 60

func oneLine(text string) string {
	text, _, _ = strings.Cut(text, " // ") // the size has its own column
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > valueWidth {
		text = string(r[:valueWidth-1]) + "…"
	}
	return text
}

// columns formats rows as columns.
func columns(rows [][]string) string {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for j, text := range row {
			width[j] = max(width[j], len([]rune(text)))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var l strings.Builder
		for j, text := range row {
			l.WriteString(text + strings.Repeat(" ", width[j]-len([]rune(text))+2))
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

// limitMemory implements %limit.
func limitMemory(i invocation) error {
	h, err := host()
	if err != nil {
		return err
	}
	if i.arguments != "" {
		size, err := limits.ParseSize(i.arguments)
		if err != nil || size == 0 {
			return fmt.Errorf("invalid size %q, want a size such as 2GB", i.arguments)
		}
		if used := limits.Used(); size < used {
			return fmt.Errorf("limit %s is too small: %s are in use", sizeText(uint64(size)), sizeText(uint64(used)))
		}
		h.LimitMemory(size)
	}
	say("memory limit " + sizeText(uint64(h.MemoryLimit())) + ", in use " + sizeText(uint64(limits.Used())))
	return nil
}

// version implements %version.
func version(invocation) error {
	h, err := host()
	if err != nil {
		return err
	}
	say(h.Version())
	return nil
}

// runTests implements %test.
func runTests(i invocation) error {
	h, err := host()
	if err != nil {
		return err
	}
	arguments, err := words(i.arguments)
	if err != nil {
		return err
	}
	return h.Test(arguments)
}

// words splits a line at blanks outside quotes.
func words(line string) (list []string, err error) {
	word, quote, begun := "", rune(0), false
	for _, r := range line {
		switch {
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case r == quote:
			quote = 0
		case quote == 0 && (r == ' ' || r == '\t'):
			if begun {
				list = append(list, word)
			}
			word, begun = "", false
		default:
			word, begun = word+string(r), true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("%c is not closed", quote)
	}
	if begun {
		list = append(list, word)
	}
	return list, nil
}
