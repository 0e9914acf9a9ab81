package session

import (
	"strings"
	"unicode"

	"gosphere/kernel/protocol"
	"gosphere/runtime/magic"
)

// Lines such as ?math.Sqrt, math.Sqrt? or Point?? at the end of a cell ask for help: what an
// inspection tells is shown in the front end's pager. No Go has a question mark outside
// texts and comments, and a text that reaches the end of the cell is no Go either, so that
// nothing else can be meant.

// A question is one such line. Two marks ask for the source text as well.
type question struct {
	subject string
	detail  int
}

// cutQuestions splits the questions off the end of a cell.
func cutQuestions(source string) (code string, questions []question) {
	if cellMagic, _ := magic.IsOpen(source); cellMagic {
		return source, nil // what stands there is no Go
	}
	for {
		trimmed := strings.TrimRightFunc(source, unicode.IsSpace)
		at := strings.LastIndexByte(trimmed, '\n') + 1
		q, ok := questionOf(trimmed[at:])
		if !ok {
			return source, questions
		}
		source, questions = source[:at], append([]question{q}, questions...)
	}
}

// questionOf reads a line as a question.
func questionOf(line string) (q question, ok bool) {
	line = strings.TrimSpace(line)
	subject := strings.Trim(line, "?")
	marks := len(line) - len(subject)
	between := len(strings.TrimLeft(line, "?")) == len(subject) || len(strings.TrimRight(line, "?")) == len(subject)
	subject = strings.TrimSpace(subject)
	// A comment may end in a question mark; it is not asked about.
	if marks < 1 || marks > 2 || !between || subject == "" || strings.ContainsAny(subject, "\"'`/?;=") || subject[0] == '!' || subject[0] == '%' && strings.ContainsAny(subject, " \t") {
		return question{}, false
	}
	return question{subject, marks - 1}, true
}

// blankQuestions replaces the question marks of such lines by spaces, for those who look at
// the Go of a cell.
func blankQuestions(source string) string {
	code, questions := cutQuestions(source)
	if len(questions) == 0 {
		return source
	}
	return code + strings.ReplaceAll(source[len(code):], "?", " ")
}

// onlyGo replaces all that is no Go by spaces.
func onlyGo(source string) string { return magic.Blank(blankQuestions(source)) }

// answer returns one page with the answers to all questions, because front ends show only
// the first page of a reply; nil for no questions. What nothing is known about is printed.
func (s *Session) answer(questions []question, publish func(protocol.Content)) []map[string]any {
	var plain, markdown []string
	for _, q := range questions {
		if help := magic.Help(strings.TrimLeft(q.subject, "%")); q.subject[0] == '%' && help != "" {
			plain, markdown = append(plain, help), append(markdown, help)
			continue
		}
		found := s.assistant.Inspect(q.subject, len([]rune(q.subject)), q.detail)
		if !found.Found {
			publish(protocol.Stream{Name: "stdout", Text: "nothing is known about " + q.subject + "\n"})
			continue
		}
		plain, markdown = append(plain, found.Plain), append(markdown, found.Markdown)
	}
	if len(plain) == 0 {
		return nil
	}
	return []map[string]any{{"source": "page", "start": 0, "data": protocol.MimeBundle{
		"text/plain": strings.Join(plain, "\n\n"), "text/markdown": strings.Join(markdown, "\n\n---\n\n"),
	}}}
}

// consoleWord returns exit, quit or help where a cell is nothing else and the session has not declared the name: people type them
// in consoles.
func (s *Session) consoleWord(source string) string {
	word := strings.TrimSuffix(strings.TrimSpace(source), "()")
	if word != "exit" && word != "quit" && word != "help" {
		return ""
	}
	s.compiling.Lock()
	defer s.compiling.Unlock()
	for _, symbol := range s.checker.Symbols() {
		if symbol.Name == word {
			return ""
		}
	}
	return word
}
