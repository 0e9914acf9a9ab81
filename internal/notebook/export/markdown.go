package export

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"mime"
	"net/url"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	goldhtml "github.com/yuin/goldmark/renderer/html"

	"gosphere/internal/lazyregexp"
	"gosphere/internal/notebook/mathml"
	"gosphere/internal/userfile"
	"gosphere/kernel/nbformat"
)

// converter converts Markdown to HTML. It keeps HTML in text cells, which notebooks may contain.
var converter = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()), goldmark.WithRendererOptions(goldhtml.WithUnsafe()))

// markdownHTML returns a text cell as HTML.
func markdownHTML(cell *nbformat.Cell, options Options) (string, error) {
	text, formulas := withoutFormulas(cell.Source)
	var written bytes.Buffer
	if err := converter.Convert([]byte(text), &written); err != nil {
		return "", fmt.Errorf("cell %s: %w", cell.ID, err)
	}
	page := mark.ReplaceAllStringFunc(sanitized(embedPictures(written.String(), cell, options.Folder), options), func(found string) string {
		parts := mark.FindStringSubmatch(found)
		n, err := strconv.Atoi(parts[2])
		if err != nil || n >= len(formulas) {
			return found
		}
		text := parts[1] + formulas[n].html() + parts[3]
		if formulas[n].display || parts[1]+parts[3] == "" {
			return text
		}
		return `<span class="unbroken">` + text + "</span>"
	})
	return page, nil
}

// A formula is LaTeX between dollar signs.
type formula struct {
	text    string
	display bool
}

// html returns the formula as MathML, or as text if part of it has no MathML form.
func (f formula) html() string {
	markup, err := mathml.Convert(f.text, f.display)
	if err != nil {
		return `<code class="tex">` + html.EscapeString(f.text) + "</code>"
	}
	return markup
}

// mark matches the placeholder of a formula during the conversion, which uses private-use
// characters, with the punctuation around it. Browsers break lines between a formula and its
// punctuation.
var mark = lazyregexp.New("([(\\[]?)\uE000(\\d+)\uE001([.,;:!?)\\]’]*)")

// withoutFormulas replaces formulas outside code by marks.
func withoutFormulas(source string) (text string, formulas []formula) {
	var written strings.Builder
	put := func(inside string, display bool) {
		fmt.Fprintf(&written, "\uE000%d\uE001", len(formulas))
		formulas = append(formulas, formula{strings.TrimSpace(inside), display})
	}
	for i := 0; i < len(source); {
		rest := source[i:]
		switch {
		case (strings.HasPrefix(rest, "```") || strings.HasPrefix(rest, "~~~")) && (i == 0 || source[i-1] == '\n'):
			n := fenced(rest)
			written.WriteString(rest[:n])
			i += n
		case rest[0] == '`':
			n := coded(rest)
			written.WriteString(rest[:n])
			i += n
		case strings.HasPrefix(rest, `\$`):
			written.WriteString(`\$`)
			i += 2
		case strings.HasPrefix(rest, "$$"):
			end := strings.Index(rest[2:], "$$")
			if end < 0 {
				written.WriteString("$$")
				i += 2
				continue
			}
			put(rest[2:2+end], true)
			i += end + 4
		case rest[0] == '$':
			end := inlineEnd(rest)
			if end < 0 {
				written.WriteByte('$')
				i++
				continue
			}
			put(rest[1:end], false)
			i += end + 1
		default:
			written.WriteByte(rest[0])
			i++
		}
	}
	return written.String(), formulas
}

// fenced returns the length of a fenced code block.
func fenced(rest string) int {
	ticks := len(rest) - len(strings.TrimLeft(rest, rest[:1]))
	end := strings.Index(rest[ticks:], "\n"+rest[:ticks])
	if end < 0 {
		return len(rest)
	}
	return ticks + end + 1 + ticks
}

// coded returns the length of a code span between equally long runs of backticks, or of the opening
// run if it is not closed.
func coded(rest string) int {
	ticks := len(rest) - len(strings.TrimLeft(rest, "`"))
	for at := ticks; at < len(rest); {
		next := strings.IndexByte(rest[at:], '`')
		if next < 0 {
			break
		}
		at += next
		n := len(rest[at:]) - len(strings.TrimLeft(rest[at:], "`"))
		if at += n; n == ticks {
			return at
		}
	}
	return ticks
}

// inlineEnd returns the offset of the dollar sign that ends a formula. It returns -1 if the first
// one is a plain dollar sign: it precedes a blank, or no other one follows in its paragraph.
func inlineEnd(rest string) int {
	if len(rest) < 2 || rest[1] == ' ' || rest[1] == '\n' {
		return -1
	}
	for i := 1; i < len(rest); i++ {
		switch {
		case rest[i] == '\\':
			i++
		case strings.HasPrefix(rest[i:], "\n\n"):
			return -1
		case rest[i] == '$':
			if rest[i-1] == ' ' || i+1 < len(rest) && rest[i+1] >= '0' && rest[i+1] <= '9' {
				return -1
			}
			return i
		}
	}
	return -1
}

// pictureSource matches the source of a picture in HTML.
var pictureSource = lazyregexp.New(`(<img[^>]*\ssrc=")([^"]*)(")`)

// embedPictures embeds attachments of the cell and files next to the notebook in the page.
func embedPictures(page string, cell *nbformat.Cell, folder string) string {
	return pictureSource.ReplaceAllStringFunc(page, func(found string) string {
		parts := pictureSource.FindStringSubmatch(found)
		place := html.UnescapeString(parts[2])
		if data := attached(cell, unescaped(place)); data != "" {
			return parts[1] + data + parts[3]
		}
		if strings.Contains(place, ":") || strings.HasPrefix(place, "/") {
			return found
		}
		kind := mime.TypeByExtension(path.Ext(place))
		if !strings.HasPrefix(kind, "image/") { // a notebook of unknown origin could otherwise embed any file
			return found
		}
		picture, err := userfile.ReadFile(filepath.Join(folder, filepath.FromSlash(unescaped(place))), userfile.Picture)
		if err != nil {
			return found
		}
		return parts[1] + "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(picture) + parts[3]
	})
}

// unescaped returns a path as it was before the Markdown converter escaped it as a URL, with blanks
// instead of %20.
func unescaped(place string) string {
	if plain, err := url.PathUnescape(place); err == nil {
		return plain
	}
	return place
}
