package agent

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gosphere/internal/lazyregexp"
	"gosphere/kernel/nbformat"
)

// Limits of pictures in the result of one call. Clients refuse larger messages.
const (
	mostPictures     = 8
	mostPictureBytes = 4 << 20 // of all pictures, decoded
)

// text returns a result that is one text.
func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// bounded is like text for a text of any length.
func (a *Agent) bounded(s string) *mcp.CallToolResult {
	return text(strings.TrimRight(cut(s, a.options.Output), "\n"))
}

// cut shortens a text to about a number of characters, half of them from its end. Errors are at the
// end of long outputs.
func cut(s string, most int) string {
	count := utf8.RuneCountInString(s)
	if count <= most {
		return s
	}
	runes := []rune(s)
	head, tail := string(runes[:most-most/2]), string(runes[count-most/2:])
	return fmt.Sprintf("%s\n[… %d characters left out …]\n%s", head, count-most, tail)
}

// A result collects texts and pictures.
type result struct {
	text     strings.Builder
	most     int
	pictures bool // whether pictures are returned
	images   []mcp.Content
	size     int // bytes of images
	failed   bool
}

func (a *Agent) newResult(pictures bool) *result {
	return &result{most: a.options.Output, pictures: pictures}
}

func (r *result) printf(format string, arguments ...any) { fmt.Fprintf(&r.text, format, arguments...) }

// line adds a text and ends its last line.
func (r *result) line(s string) {
	r.text.WriteString(s)
	if !strings.HasSuffix(s, "\n") {
		r.text.WriteByte('\n')
	}
}

// done returns the result.
func (r *result) done() *mcp.CallToolResult {
	content := []mcp.Content{&mcp.TextContent{Text: strings.TrimRight(cut(r.text.String(), r.most), "\n")}}
	return &mcp.CallToolResult{Content: append(content, r.images...), IsError: r.failed}
}

// outputs adds the outputs of a cell. Each is cut by itself, so that a long one does not hide the
// next.
func (r *result) outputs(list []nbformat.Output) {
	for _, o := range list {
		switch o.Type {
		case nbformat.Stream:
			r.printf("--- %s\n", o.Name)
			r.line(cut(withoutColors(lastOfEachLine(o.Text)), r.most/2))
		case nbformat.DisplayData, nbformat.ExecuteResult:
			r.data(o.Data)
		case nbformat.ErrorOutput:
			r.printf("--- error\n")
			trace := withoutColors(strings.Join(o.Traceback, "\n"))
			if trace == "" {
				trace = o.Ename + ": " + o.Evalue
			}
			r.line(cut(trace, r.most/2))
		}
	}
}

// textForms are the MIME types that are shown as text, the preferred first.
var textForms = []string{"text/plain", "text/markdown", "text/latex", "application/json"}

// data adds a value in the form that fits best: a picture, or a text.
func (r *result) data(forms map[string]any) {
	for _, kind := range []string{"image/png", "image/jpeg"} {
		encoded, ok := forms[kind].(string)
		if !ok {
			continue
		}
		decoded, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(encoded, "\n", ""))
		switch {
		case err != nil:
			r.printf("--- a figure (%s) that is not valid base64: %v\n", kind, err)
		case !r.pictures:
			r.printf("--- a figure (%s, %d bytes)\n", kind, len(decoded))
		case len(r.images) == mostPictures || r.size+len(decoded) > mostPictureBytes:
			r.printf("--- a figure (%s, %d bytes), left out: at most %d pictures of %d MB in all are returned\n", kind, len(decoded), mostPictures, mostPictureBytes>>20)
		default:
			r.images = append(r.images, &mcp.ImageContent{Data: decoded, MIMEType: kind})
			r.size += len(decoded)
			r.printf("--- figure %d (%s, %d bytes)\n", len(r.images), kind, len(decoded))
		}
		return
	}
	for _, kind := range textForms {
		if s, ok := forms[kind].(string); ok {
			r.printf("--- value\n")
			r.line(cut(withoutColors(s), r.most/2))
			return
		}
	}
	if len(forms) > 0 {
		r.printf("--- a value of type %s\n", strings.Join(slices.Sorted(maps.Keys(forms)), ", "))
	}
}

var color = lazyregexp.New("\x1b\\[[0-9;]*m")

// withoutColors removes the escape sequences that color text in terminals.
func withoutColors(s string) string { return color.ReplaceAllString(s, "") }

// lastOfEachLine returns a text as a terminal shows it after carriage returns: of a progress bar
// only the last state.
func lastOfEachLine(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		lines[i] = line[strings.LastIndexByte(line, '\r')+1:]
	}
	return strings.Join(lines, "\n")
}
