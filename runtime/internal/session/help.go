package session

import (
	"strings"
	"unicode"

	"gosphere/kernel/protocol"
	"gosphere/runtime/cell/magics"
)

// Lines such as ?math.Sqrt, math.Sqrt? or Point?? at the end of a cell ask for help. The result of
// the inspection is shown in the front end's pager. The syntax is unambiguous: question marks occur
// in Go only inside literals and comments, and a literal that extends to the end of the cell is not
// valid Go.

// A question is one such line. Two question marks request the source text as well.
type question struct {
	subject string
	detail  int
}

// cutQuestions separates the questions at the end of a cell from its code. For instance, this cell
// has one line of code and two questions, the second with the source text:
//
//	x := 1
//	?x
//	math.Sqrt??
func cutQuestions(source string) (code string, questions []question) {
	if cellMagic, _ := magics.IsOpen(source); cellMagic {
		return source, nil // the rest of the cell is not Go
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

// questionOf parses a line as a question.
func questionOf(line string) (q question, ok bool) {
	line = strings.TrimSpace(line)
	subject := strings.Trim(line, "?")
	marks := len(line) - len(subject)
	// The marks must all be on one side: ?x? is no question.
	between := len(strings.TrimLeft(line, "?")) == len(subject) || len(strings.TrimRight(line, "?")) == len(subject)
	subject = strings.TrimSpace(subject)
	// A comment that ends in a question mark is not a question.
	if marks < 1 || marks > 2 || !between || subject == "" || strings.ContainsAny(subject, "\"'`/?;=") || subject[0] == '!' || subject[0] == '%' && strings.ContainsAny(subject, " \t") {
		return question{}, false
	}
	return question{subject, marks - 1}, true
}

// blankQuestions replaces the question marks of such lines with spaces, so that the text can be
// read as Go without moving positions.
func blankQuestions(source string) string {
	code, questions := cutQuestions(source)
	if len(questions) == 0 {
		return source
	}
	return code + strings.ReplaceAll(source[len(code):], "?", " ")
}

// onlyGo replaces everything that is not Go with spaces.
func onlyGo(source string) string { return magics.Blank(blankQuestions(source)) }

// answer returns one page with the answers to all questions, or nil if there are none. It is a
// single page because front ends show only the first page of a reply. Subjects about which nothing
// is known are reported on stdout.
func (s *Session) answer(questions []question, publish func(protocol.Content)) []map[string]any {
	var plain, markdown []string
	for _, q := range questions {
		if help := magics.Help(strings.TrimLeft(q.subject, "%")); q.subject[0] == '%' && help != "" {
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

// consoleWord returns exit, quit or help if the cell consists of that word and the session has not
// declared the name. Users of consoles expect these words to work.
func (s *Session) consoleWord(source string) string {
	word := strings.TrimSuffix(strings.TrimSpace(source), "()")
	if word != "exit" && word != "quit" && word != "help" {
		return ""
	}
	// The symbols change while a cell is compiled.
	s.compiling.Lock()
	defer s.compiling.Unlock()
	for _, symbol := range s.checker.Symbols() {
		if symbol.Name == word {
			return ""
		}
	}
	return word
}
