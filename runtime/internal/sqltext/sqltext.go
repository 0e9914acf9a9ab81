// Package sqltext divides statements of SQL into tokens and finds the tables, variables and files
// that they name. It knows the forms that databases share and reports no errors: what a statement
// means is decided by the database.
//
// Read sqltext.go, then names.go.
package sqltext

import (
	"go/token"
	"strings"
	"unicode/utf8"
)

// A Problem is a mistake in statements.
type Problem struct {
	At            int // offset in bytes
	Message, Hint string
}

// A Kind is the kind of a token.
type Kind int

// The kinds of tokens.
const (
	Space Kind = iota
	Comment
	Word     // a name or keyword without quotes, or a number
	Variable // $name, :name or @name
	Text     // in single quotes, or between dollar signs as in PostgreSQL
	Quoted   // a name in double quotes, backticks or square brackets
	Sign     // any other character
)

// A Token is a part of a text. The texts of all tokens make up the whole.
type Token struct {
	Kind Kind
	Text string
	At   int // offset in bytes
}

// Name returns a name without its quotes, and a variable without its sign.
func (t Token) Name() string {
	switch t.Kind {
	case Variable:
		return t.Text[1:]
	case Text, Quoted:
		text, quote := t.Text[1:], t.Text[:1]
		if quote == "[" {
			return strings.TrimSuffix(text, "]")
		}
		return strings.ReplaceAll(strings.TrimSuffix(text, quote), quote+quote, quote)
	}
	return t.Text
}

// Is reports whether a token is one of the keywords, which are in lower case.
func (t Token) Is(words ...string) bool {
	for _, word := range words {
		if t.Kind == Word && strings.EqualFold(t.Text, word) {
			return true
		}
	}
	return false
}

// Tokens returns the tokens of a text.
func Tokens(text string) []Token {
	var list []Token
	for at := 0; at < len(text); {
		kind, n := next(text[at:])
		list = append(list, Token{kind, text[at : at+n], at})
		at += n
	}
	return list
}

// next returns the kind and length of the token at the beginning of a text.
func next(text string) (Kind, int) {
	switch c := text[0]; {
	case strings.ContainsRune(" \t\r\n", rune(c)):
		return Space, len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	case strings.HasPrefix(text, "--"):
		return Comment, through(text, 2, "\n", false)
	case strings.HasPrefix(text, "/*"):
		return Comment, through(text, 2, "*/", true)
	case c == '\'':
		return Text, quotedLength(text)
	case c == '"' || c == '`':
		return Quoted, quotedLength(text)
	case c == '[':
		return Quoted, through(text, 1, "]", true)
	case strings.HasPrefix(text, "::"): // a conversion of PostgreSQL
		return Sign, 2
	case c == '$' || c == ':' || c == '@':
		n := wordLength(text[1:]) + 1
		if c == '$' && n < len(text) && text[n] == '$' && (n == 1 || token.IsIdentifier(text[1:n])) {
			if end := strings.Index(text[n+1:], text[:n+1]); end >= 0 { // $body$ … $body$
				return Text, n + 1 + end + n + 1
			}
			return Sign, n + 1
		}
		if token.IsIdentifier(text[1:n]) {
			return Variable, n
		}
		return Sign, n
	}
	if n := wordLength(text); n > 0 {
		return Word, n
	}
	_, n := utf8.DecodeRuneInString(text)
	return Sign, n
}

// through returns the length of a text up to a closing text that is searched from an offset. The
// length includes it if with is set.
func through(text string, from int, closing string, with bool) int {
	end := strings.Index(text[from:], closing)
	if end < 0 {
		return len(text)
	}
	if with {
		end += len(closing)
	}
	return from + end
}

// quotedLength returns the length of the quoted text at the beginning of a text, in which a doubled
// quote is one that does not end it.
func quotedLength(text string) int {
	for i := 1; i < len(text); i++ {
		if text[i] != text[0] {
			continue
		}
		if i+1 == len(text) || text[i+1] != text[0] {
			return i + 1
		}
		i++
	}
	return len(text)
}

// wordLength returns the length of the word at the beginning of a text.
func wordLength(text string) int {
	n := 0
	for n < len(text) && isWord(text[n]) {
		n++
	}
	return n
}

func isWord(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80
}

// Meaningful returns the tokens that are neither space nor comments.
func Meaningful(tokens []Token) []Token {
	var list []Token
	for _, t := range tokens {
		if t.Kind != Space && t.Kind != Comment {
			list = append(list, t)
		}
	}
	return list
}

// Statements returns the meaningful tokens of each statement of a text. Statements without tokens
// are left out. The semicolons in the body of a trigger do not end it.
func Statements(text string) (list [][]Token) {
	var current []Token
	for _, t := range Meaningful(Tokens(text)) {
		if t.Text == ";" && !inTrigger(current) {
			if len(current) > 0 {
				list = append(list, current)
			}
			current = nil
			continue
		}
		current = append(current, t)
	}
	if len(current) > 0 {
		list = append(list, current)
	}
	return list
}

// inTrigger reports whether a statement is a trigger whose body has not ended.
func inTrigger(statement []Token) bool {
	n := len(statement)
	if n < 3 || !statement[0].Is("create") {
		return false
	}
	at := 1
	if statement[1].Is("temp", "temporary") {
		at = 2
	}
	return statement[at].Is("trigger") && !statement[n-1].Is("end")
}

// Source returns the text of tokens within the text that they are from.
func Source(text string, tokens []Token) string {
	last := tokens[len(tokens)-1]
	return text[tokens[0].At : last.At+len(last.Text)]
}

// Last returns the last statement of a text without comments, or "".
func Last(text string) string {
	statements := Statements(text)
	if len(statements) == 0 {
		return ""
	}
	tokens := statements[len(statements)-1]
	end := tokens[len(tokens)-1].At + len(tokens[len(tokens)-1].Text)
	var out strings.Builder
	for _, t := range Tokens(text) {
		if t.At >= tokens[0].At && t.At < end && t.Kind != Comment {
			out.WriteString(t.Text)
		}
	}
	return out.String()
}
