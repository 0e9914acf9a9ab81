package export

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	chromahtml "github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
)

// formatter writes classes; the style sheet is in the page.
var formatter = chromahtml.New(chromahtml.WithClasses(true), chromahtml.ClassPrefix("go-"), chromahtml.TabWidth(4))

// lexer colours Go.
var lexer = chroma.Coalesce(lexers.Get("go"))

// codeStyle returns the style sheet of coloured code.
func codeStyle() string {
	var written strings.Builder
	if err := formatter.WriteCSS(&written, styles.Get("github")); err != nil {
		return "" // code without colours
	}
	return written.String() + ".go-chroma, .go-bg { background: none; }\n"
}

// codeHTML writes the source of a code cell.
func codeHTML(source string) (string, error) {
	tokens, err := lexer.Tokenise(nil, strings.TrimRight(source, "\n"))
	if err != nil {
		return "", err
	}
	var written strings.Builder
	written.WriteString("<div class=\"source\">")
	if err := formatter.Format(&written, styles.Get("github"), tokens); err != nil {
		return "", err
	}
	return written.String() + "</div>\n", nil
}
