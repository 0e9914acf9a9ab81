package magics

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// sqlCall returns the call for %%sql: SQL, or Query if the result has a name.
func (e *expander) sqlCall(i int, arguments, body string) error {
	connection, name, named := strings.Cut(" "+arguments, " as ")
	connection, name = strings.TrimSpace(connection), strings.TrimSpace(name)
	if named && !token.IsIdentifier(name) {
		return e.fail(i, fmt.Sprintf("%%%%sql CONNECTION as NAME: %q is not a valid name", name))
	}
	if !token.IsIdentifier(connection) { // the name of a *sql.DB is passed as it is
		connection = strconv.Quote(connection)
	}
	arguments = "(" + connection + ", " + strconv.Quote(body)
	for _, variable := range sqlVariables(body) {
		arguments += ", " + strconv.Quote(variable) + ", " + variable
	}
	arguments += ")"
	if named {
		e.text.WriteString(e.declared(name, "Query") + arguments)
		return nil
	}
	e.text.WriteString(e.function("SQL") + arguments)
	return nil
}

// sqlVariables returns the variables of cells that statements name, as in $sales, each once.
func sqlVariables(text string) (names []string) {
	for len(text) > 0 {
		n := 1
		switch {
		case strings.HasPrefix(text, "--"):
			n = len(lineOf(text))
		case strings.HasPrefix(text, "/*"):
			if n = len(text); strings.Contains(text[2:], "*/") {
				n = strings.Index(text[2:], "*/") + 4
			}
		case text[0] == '\'' || text[0] == '"' || text[0] == '`':
			n = sqlQuoted(text)
		case text[0] == '$':
			for n < len(text) && (token.IsIdentifier(text[1:n+1]) || n > 1 && text[n] >= 0x80) {
				n++
			}
			quote := n < len(text) && text[n] == '$' // as in $body$ of PostgreSQL
			if name := text[1:n]; token.IsIdentifier(name) && !quote && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		text = text[n:]
	}
	return names
}

// LastStatement returns the last of several statements of SQL without surrounding comments, or ""
// if there is none.
func LastStatement(text string) string {
	var last, current strings.Builder
	closeStatement := func() {
		if strings.TrimSpace(current.String()) != "" {
			last.Reset()
			last.WriteString(current.String())
		}
		current.Reset()
	}
	for len(text) > 0 {
		n := 1
		switch {
		case strings.HasPrefix(text, "--"):
			text = text[len(lineOf(text)):]
			continue
		case strings.HasPrefix(text, "/*"):
			end := strings.Index(text[2:], "*/")
			if end < 0 {
				end = len(text) - 4
			}
			text = text[min(len(text), end+4):]
			continue
		case text[0] == '\'' || text[0] == '"' || text[0] == '`':
			n = sqlQuoted(text)
		case text[0] == ';':
			closeStatement()
			text = text[1:]
			continue
		}
		current.WriteString(text[:n])
		text = text[n:]
	}
	closeStatement()
	return strings.TrimSpace(last.String())
}

func lineOf(text string) string {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return text[:end]
	}
	return text
}

// sqlQuoted returns the length of the quoted text at the beginning of a text. A doubled quote
// begins another quoted text.
func sqlQuoted(text string) int {
	if end := strings.IndexByte(text[1:], text[0]); end >= 0 {
		return end + 2
	}
	return len(text)
}
