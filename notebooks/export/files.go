package export

import (
	"encoding/base64"
	"fmt"
	"strings"

	"gosphere/notebooks/format"
)

// A File is a file that belongs to an exported notebook.
type File struct {
	Name    string // relative, with slashes
	Content []byte
}

// Markdown returns the notebook as Markdown; its figures are files in a folder of the given name, which the text refers to.
func Markdown(notebook *format.Notebook, folder string) (text []byte, files []File) {
	var written strings.Builder
	for _, cell := range notebook.Cells {
		switch cell.Type {
		case format.Markdown:
			source := cell.Source
			for name := range cell.Attachments {
				if data, kind := attachment(cell, name); data != nil {
					files = append(files, File{folder + "/" + cell.ID + "-" + plainName(name, kind), data})
					source = strings.ReplaceAll(source, "attachment:"+name, files[len(files)-1].Name)
				}
			}
			written.WriteString(strings.TrimSpace(source) + "\n\n")
		case format.Code:
			if strings.TrimSpace(cell.Source) != "" {
				written.WriteString(fence("go", cell.Source))
			}
			for i := range cell.Outputs {
				markdown, file := outputMarkdown(&cell.Outputs[i], fmt.Sprintf("%s/%s-%d", folder, cell.ID, i+1))
				written.WriteString(markdown)
				if file != nil {
					files = append(files, *file)
				}
			}
		}
	}
	return []byte(strings.TrimRight(written.String(), "\n") + "\n"), files
}

// fence writes a block of code; longer fences than any in the text stand around it.
func fence(language, text string) string {
	ticks := "```"
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	return ticks + language + "\n" + strings.TrimRight(text, "\n") + "\n" + ticks + "\n\n"
}

// outputMarkdown writes an output; a figure is a file whose name begins with stem.
func outputMarkdown(o *format.Output, stem string) (string, *File) {
	switch o.Type {
	case format.Stream:
		return fence("text", o.Text), nil
	case format.ErrorOutput:
		return fence("text", colours.ReplaceAllString(strings.Join(o.Traceback, "\n"), "")), nil
	}
	plain := textOf(o, "text/plain")
	if file := figureFile(o, stem, "image/svg+xml", "image/png", "image/jpeg", "image/gif", "image/webp"); file != nil {
		alt, _, _ := strings.Cut(strings.NewReplacer("[", "(", "]", ")").Replace(plain), "\n")
		return fmt.Sprintf("![%s](%s)\n\n", alt, file.Name), file
	}
	if text := textOf(o, "text/markdown"); text != "" {
		return strings.TrimSpace(text) + "\n\n", nil
	}
	if text := textOf(o, "text/latex"); text != "" {
		return strings.TrimSpace(text) + "\n\n", nil
	}
	return fence("text", plain), nil
}

// endings of files by their mime types.
var endings = map[string]string{
	"application/pdf": "pdf", "image/svg+xml": "svg", "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp",
}

// figureFile returns the first of the forms that an output has; nil for none.
func figureFile(o *format.Output, stem string, kinds ...string) *File {
	for _, kind := range kinds {
		data := textOf(o, kind)
		if data == "" {
			continue
		}
		content := []byte(data)
		if kind != "image/svg+xml" {
			decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(data), ""))
			if err != nil {
				continue
			}
			content = decoded
		}
		return &File{stem + "." + endings[kind], content}
	}
	return nil
}

// attachment returns the bytes of an attached picture.
func attachment(cell *format.Cell, name string) (data []byte, kind string) {
	bundle, _ := cell.Attachments[name].(map[string]any)
	for kind, value := range bundle {
		if text, ok := value.(string); ok {
			if decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), "")); err == nil {
				return decoded, kind
			}
		}
	}
	return nil, ""
}

// plainName makes a file name of the name of an attachment.
func plainName(name, kind string) string {
	cleaned := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
	if !strings.Contains(cleaned, ".") {
		cleaned += "." + endings[kind]
	}
	return cleaned
}
