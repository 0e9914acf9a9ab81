package export

import (
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"

	"gosphere/internal/lazyregexp"
	"gosphere/kernel/nbformat"
)

// pictureKinds are the MIME types of bitmaps.
var pictureKinds = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// framesPage is the beginning of the HTML of display.Frames: predrawn frames with a script that
// shows one of them.
const framesPage = `<div class="gosphere-frames">`

// colors matches the escape sequences of terminals: those that end in a letter, those for the title
// and for links, which end in a bell or a string terminator, and single characters.
var colors = lazyregexp.New("\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?|[PX^_][^\x1b]*(\x1b\\\\)?|.)?")

// settled returns a printed text as a terminal finally shows it: without colors, and after carriage
// returns and backspaces have overwritten earlier text.
func settled(text string) string {
	text = strings.ReplaceAll(colors.ReplaceAllString(text, ""), "\r\n", "\n")
	if !strings.ContainsAny(text, "\r\b") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		var shown []rune
		at := 0
		for _, letter := range line {
			switch {
			case letter == '\r':
				at = 0
			case letter == '\b':
				at = max(0, at-1)
			case at < len(shown):
				shown[at] = letter
				at++
			default:
				shown = append(shown, letter)
				at++
			}
		}
		lines[i] = string(shown)
	}
	return strings.Join(lines, "\n")
}

// unknown lists the forms of an output none of which can be exported, such as a widget without
// text.
func unknown(o *nbformat.Output) string {
	kinds := slices.DeleteFunc(slices.Sorted(maps.Keys(o.Data)), func(kind string) bool { return textOf(o, kind) == "" && kind == "text/plain" })
	if len(kinds) == 0 {
		return ""
	}
	return "(an output as " + strings.Join(kinds, ", ") + ", which is not shown here)"
}

// textOf returns the text of an output in a MIME type, or "" if it is not text.
func textOf(o *nbformat.Output, kind string) string {
	text, _ := o.Data[kind].(string)
	return text
}

// outputHTML returns an output in its best form as HTML.
func outputHTML(o *nbformat.Output, options Options) string {
	class := "output"
	switch o.Type {
	case nbformat.Stream:
		if o.Name == "stderr" {
			class += " stderr"
		}
		return wrapped(class, "<pre>"+html.EscapeString(strings.TrimRight(settled(o.Text), "\n"))+"</pre>")
	case nbformat.ErrorOutput:
		return wrapped(class+" error", "<pre>"+html.EscapeString(colors.ReplaceAllString(strings.Join(o.Traceback, "\n"), ""))+"</pre>")
	}
	if isPicture(o) {
		class += " pictured"
	}
	return wrapped(class, dataHTML(o, options))
}

func wrapped(class, markup string) string {
	return "<div class=\"" + class + "\">" + markup + "</div>\n"
}

func dataHTML(o *nbformat.Output, options Options) string {
	plain := textOf(o, "text/plain")
	if page := textOf(o, "text/html"); strings.HasPrefix(page, framesPage) {
		return sanitized(page, options) // its picture is only one frame
	}
	if markup := chartHTML(o); markup != "" {
		return markup
	}
	if svg := textOf(o, "image/svg+xml"); svg != "" {
		return drawing(svg, plain, options)
	}
	for _, kind := range pictureKinds {
		if data := textOf(o, kind); encoded.MatchString(data) {
			return fmt.Sprintf(`<img src="data:%s;base64,%s" alt="%s"%s>`, kind, strings.Join(strings.Fields(data), ""), html.EscapeString(plain), size(o, kind))
		}
	}
	if page := textOf(o, "text/html"); page != "" {
		return sanitized(page, options)
	}
	for _, kind := range []string{"text/markdown", "text/latex"} {
		if text := textOf(o, kind); text != "" {
			if markup, err := markdownHTML(&nbformat.Cell{Source: text}, options); err == nil {
				return markup
			}
		}
	}
	if plain == "" {
		plain = unknown(o)
	}
	return "<pre>" + html.EscapeString(plain) + "</pre>"
}

// encoded matches data in base64.
var encoded = lazyregexp.New(`^[A-Za-z0-9+/\s]+=*\s*$`)

// xmlHead matches the text before the root element of an SVG file.
var xmlHead = lazyregexp.New(`(?s)^\s*(<\?xml.*?\?>)?\s*(<!DOCTYPE[^>]*>)?\s*`)

// size returns the attributes for the displayed size of a bitmap.
func size(o *nbformat.Output, kind string) string {
	sizes, _ := o.Metadata[kind].(map[string]any)
	text := ""
	for _, name := range []string{"width", "height"} {
		if value := fmt.Sprint(sizes[name]); sizes[name] != nil && digits.MatchString(value) {
			text += fmt.Sprintf(" %s=\"%s\"", name, value)
		}
	}
	return text
}

var digits = lazyregexp.New(`^\d+$`)
