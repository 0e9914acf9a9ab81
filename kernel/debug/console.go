package debug

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/google/go-dap"

	"gosphere/kernel/protocol"
)

// kinds maps kinds of matches to those of the protocol, which has no word for the others. The keys
// are those of protocol.TypedMatch. Clients display an icon for each type.
var kinds = map[string]dap.CompletionItemType{
	"module": "module", "function": "function", "method": "method", "field": "field", "variable": "variable",
	"constant": "value", "struct": "class", "interface": "interface", "class": "class", "keyword": "keyword", "path": "file",
}

// completions returns the completions of text typed into the console. DAP counts columns in UTF-16
// units from 1, Jupyter's completion in code points from 0. Only the language counts in code
// points; this function and target convert.
func completions(a *Adapter, arguments json.RawMessage) (any, error) {
	wanted, err := read[dap.CompletionsArguments](arguments)
	if err != nil {
		return nil, err
	}
	start, line, err := lineOf(wanted.Text, max(wanted.Line, 1))
	if err != nil {
		return nil, err
	}
	units := utf16.Encode([]rune(line))
	if wanted.Column < 1 || wanted.Column > len(units)+1 {
		return nil, fmt.Errorf("completions: column %d of a line of %d letters, want one from 1 to %d", wanted.Column, len(units), len(units)+1)
	}
	before := len([]rune(wanted.Text[:start])) // code points before the line
	cursor := before + len(utf16.Decode(units[:wanted.Column-1]))
	matches, err := a.debuggee.Complete(wanted.FrameId, wanted.Text, cursor)
	if err != nil {
		return nil, err
	}
	targets := []dap.CompletionItem{}
	for _, m := range matches {
		if m.Start >= before { // a string may begin on an earlier line
			targets = append(targets, target(len(targets), m, []rune(wanted.Text), before))
		}
	}
	return dap.CompletionsResponseBody{Targets: targets}, nil
}

// lineOf returns a line of a text, counted from 1, and its byte offset.
func lineOf(text string, number int) (start int, line string, err error) {
	for n := number; n > 1; n-- {
		end := strings.IndexByte(text[start:], '\n')
		if end < 0 {
			return 0, "", fmt.Errorf("completions: there is no line %d", number)
		}
		start += end + 1
	}
	line, _, _ = strings.Cut(text[start:], "\n")
	return start, line, nil
}

// target converts a match, which replaces the code points from Start to End. Before is the number
// of code points preceding its line. Clients sort completions by their sort text, which is the
// place. Start is a column within the line, so a match that begins on an earlier line cannot be
// expressed.
func target(place int, m protocol.TypedMatch, text []rune, before int) dap.CompletionItem {
	length := func(from, to int) int { return len(utf16.Encode(text[min(from, len(text)):min(to, len(text))])) }
	return dap.CompletionItem{Label: m.Text, SortText: fmt.Sprintf("%05d", place), Detail: m.Signature, Type: kinds[m.Type],
		Start: length(before, m.Start) + 1, Length: length(m.Start, m.End)}
}
