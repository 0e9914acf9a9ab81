package display

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"html"
	"image"
	_ "image/jpeg" // DecodeConfig reads the size of both formats
	_ "image/png"
	"strings"

	"gosphere/internal/lazyregexp"
	"gosphere/kernel/protocol"
)

// HTML shows a fragment of HTML. Its text form is the text between the tags.
func HTML(page string) {
	publish(protocol.DisplayData{Data: htmlBundle(page), Metadata: map[string]any{}})
}

// Markdown shows formatted text, with formulas between dollar signs.
func Markdown(text string) {
	showText(textMarkdown, text)
}

// LaTeX shows a formula. A text without math delimiters becomes a displayed formula.
func LaTeX(formula string) {
	if !strings.ContainsRune(formula, '$') && !strings.Contains(formula, `\begin{`) && !strings.Contains(formula, `\[`) {
		formula = "$$" + formula + "$$"
	}
	showText(textLaTeX, formula)
}

// SVG shows a drawing in SVG format.
func SVG(drawing string) {
	publish(protocol.DisplayData{Data: protocol.MimeBundle{
		imageSVG:  drawing,
		textPlain: fmt.Sprintf("SVG drawing, %d bytes", len(drawing)),
	}, Metadata: map[string]any{}})
}

// PNG shows a picture in PNG format.
func PNG(picture []byte) {
	showPicture(imagePNG, "PNG", picture)
}

// JPEG shows a picture in JPEG format.
func JPEG(picture []byte) {
	showPicture(imageJPEG, "JPEG", picture)
}

// JSON shows a value as a collapsible tree. A value that cannot be encoded as JSON is shown as text
// with the reason.
func JSON(value any) {
	data := protocol.MimeBundle{}
	// Encoding makes a copy, so that later changes of the value do not reach the message.
	written, err := json.Marshal(value)
	var tree any
	if err == nil {
		err = json.Unmarshal(written, &tree)
	}
	if err != nil {
		data[textPlain] = plainText(value) + "\ndisplay: " + err.Error()
	} else {
		var indented bytes.Buffer
		_ = json.Indent(&indented, written, "", "  ") // fails only for invalid JSON
		data[textPlain] = cut(indented.String())
		data[jsonData] = tree
	}
	publish(protocol.DisplayData{Data: data, Metadata: map[string]any{}})
}

// Table shows rows in columns: a slice of structs, of slices or of maps with string keys (one
// column per key), a map in the order of its keys, a matrix, the fields of a struct, the rows of a
// query, which it closes, a value with the methods Columns, Len and Row, or any slice as one
// column. Front ends can sort a longer table by a click on a heading, search it and page through
// it. The names, if given, are the column headings; Table panics if their number is wrong. Table
// shows any other value as Show does.
func Table(value any, names ...string) {
	defer hold(value)()
	rows, isQuery := value.(*sql.Rows)
	t, ok := (*table)(nil), false
	if isQuery {
		var err error
		if t, err = queryTable(rows); err != nil {
			panic(fmt.Errorf("display: Table: %w", err))
		}
	} else if t, ok = anyTable(value); !ok {
		Show(value)
		return
	}
	if len(names) > 0 {
		if len(names) != t.width {
			panic(fmt.Errorf("display: %d column names for a table of %d columns", len(names), t.width))
		}
		t.columns = names[:min(len(names), columnsShown)]
	}
	publish(protocol.DisplayData{
		Data:     t.bundle(),
		Metadata: map[string]any{},
	})
}

// showText shows a form that is readable as text.
func showText(mime, text string) {
	publish(protocol.DisplayData{
		Data:     protocol.MimeBundle{mime: text, textPlain: text},
		Metadata: map[string]any{},
	})
}

func showPicture(mime, format string, picture []byte) {
	text := fmt.Sprintf("%s picture, %d bytes", format, len(picture))
	if config, _, err := image.DecodeConfig(bytes.NewReader(picture)); err == nil {
		text = fmt.Sprintf("%s picture %d×%d", format, config.Width, config.Height)
	}
	publish(protocol.DisplayData{
		Data:     protocol.MimeBundle{mime: encoded(picture), textPlain: text},
		Metadata: map[string]any{},
	})
}

var (
	invisible = lazyregexp.New(`(?is)<(script|style)\b.*?</(script|style)\s*>|<!--.*?-->`)
	blockEnd  = lazyregexp.New(`(?i)<(br|/p|/div|/tr|/h[1-6]|/li)\b[^>]*>`)
	tag       = lazyregexp.New(`<[^>]*>`)
)

func htmlBundle(page string) protocol.MimeBundle {
	text := invisible.ReplaceAllString(page, "")
	text = blockEnd.ReplaceAllString(text, "\n")
	text = html.UnescapeString(tag.ReplaceAllString(text, ""))
	if text = strings.TrimSpace(text); text == "" {
		text = fmt.Sprintf("HTML, %d bytes", len(page))
	}
	return protocol.MimeBundle{textHTML: page, textPlain: cut(text)}
}
