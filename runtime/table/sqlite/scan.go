package sqlite

import (
	"path/filepath"
	"slices"
	"strings"

	"gosphere/runtime/table"
)

// rewrite replaces $name by a quoted name where it is one of a table, and quotes the names of files
// after from and join. It returns the statements and the files.
func rewrite(statements string, tables map[string]*table.Table) (text string, files []string) {
	var out strings.Builder
	before := "" // the last word
	for rest := statements; rest != ""; {
		n := tokenLength(rest)
		token := rest[:n]
		rest = rest[n:]
		name := strings.Trim(token, `'"`)
		switch {
		case token[0] == '$' && tables[token[1:]] != nil:
			token = quoted(token[1:])
		case (token[0] == '\'' || token[0] == '"') && (before == "from" || before == "join") && isFile(name) && tables[name] == nil:
			if !slices.Contains(files, name) {
				files = append(files, name)
			}
			token = quoted(name)
		}
		out.WriteString(token)
		if strings.TrimSpace(token) != "" && !strings.HasPrefix(token, "--") && !strings.HasPrefix(token, "/*") {
			before = strings.ToLower(token)
		}
	}
	return out.String(), files
}

// isFile reports whether a name is one of a file that table.Read reads.
func isFile(name string) bool {
	ending := strings.ToLower(filepath.Ext(name))
	if ending == ".gz" || ending == ".zst" || ending == ".zip" {
		ending = strings.ToLower(filepath.Ext(name[:len(name)-len(ending)]))
	}
	return slices.Contains([]string{".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx"}, ending)
}

// tokenLength returns the length of the token at the beginning of a text: a comment, a text in
// quotes, a word, a variable, or a byte.
func tokenLength(text string) int {
	switch c := text[0]; {
	case strings.HasPrefix(text, "--"):
		if end := strings.IndexByte(text, '\n'); end >= 0 {
			return end
		}
		return len(text)
	case strings.HasPrefix(text, "/*"):
		if end := strings.Index(text[2:], "*/"); end >= 0 {
			return end + 4
		}
		return len(text)
	case c == '\'' || c == '"' || c == '`' || c == '[':
		closing := c
		if c == '[' {
			closing = ']'
		}
		if end := strings.IndexByte(text[1:], closing); end >= 0 {
			return end + 2
		}
		return len(text)
	case isWord(c) || c == '$':
		n := 1
		for n < len(text) && isWord(text[n]) {
			n++
		}
		return n
	}
	return 1
}

func isWord(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80
}
