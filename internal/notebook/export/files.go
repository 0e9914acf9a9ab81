package export

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"

	"gosphere/kernel/nbformat"
)

// A File is a file of an exported notebook.
type File struct {
	Name    string // relative path with slashes
	Content []byte
}

// Markdown returns the notebook as Markdown, and its figures as files in a folder of the given
// name, which the text refers to.
func Markdown(notebook *nbformat.Notebook, folder string) (text []byte, files []File) {
	var written strings.Builder
	names := namer{}
	for _, cell := range notebook.Cells {
		stem := folder + "/" + plainName(cell.ID)
		switch {
		case cell.Type == nbformat.Markdown:
			source := cell.Source
			for _, name := range attachments(cell) {
				data, kind := attachment(cell, name)
				written := []string{"attachment:" + name, "attachment:" + url.PathEscape(name)}
				if data == nil || !strings.Contains(source, written[0]) && !strings.Contains(source, written[1]) {
					continue
				}
				file := plainName(name)
				if !strings.Contains(file, ".") && endings[kind] != "" {
					file += "." + endings[kind]
				}
				files = append(files, File{names.name(stem + "-" + file), data})
				for _, place := range written {
					source = strings.ReplaceAll(source, place, files[len(files)-1].Name)
				}
			}
			written.WriteString(strings.TrimSpace(source) + "\n\n")
		case isFor(cell, "text/markdown"):
			written.WriteString(strings.TrimSpace(cell.Source) + "\n\n")
		case cell.Type == nbformat.Code:
			if strings.TrimSpace(cell.Source) != "" {
				written.WriteString(fence("go", cell.Source))
			}
			for i := range cell.Outputs {
				markdown, file := outputMarkdown(&cell.Outputs[i], fmt.Sprintf("%s-%d", stem, i+1), names)
				written.WriteString(markdown)
				if file != nil {
					files = append(files, *file)
				}
			}
		}
	}
	return []byte(strings.TrimRight(written.String(), "\n") + "\n"), files
}

// isFor reports whether a raw cell is meant for a format, according to Jupyter's metadata.
func isFor(cell *nbformat.Cell, kind string) bool {
	return cell.Type == nbformat.Raw && (cell.Metadata["raw_mimetype"] == kind || cell.Metadata["format"] == kind)
}

// fence returns a code block whose fences are longer than any in the text.
func fence(language, text string) string {
	ticks := "```"
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	return ticks + language + "\n" + strings.TrimRight(text, "\n") + "\n" + ticks + "\n\n"
}

// outputMarkdown returns an output as Markdown. A figure becomes a file whose name begins with
// stem.
func outputMarkdown(o *nbformat.Output, stem string, names namer) (string, *File) {
	switch o.Type {
	case nbformat.Stream:
		return fence("text", settled(o.Text)), nil
	case nbformat.ErrorOutput:
		return fence("text", colors.ReplaceAllString(strings.Join(o.Traceback, "\n"), "")), nil
	}
	plain := textOf(o, "text/plain")
	if file := figureFile(o, stem, "image/svg+xml", "image/png", "image/jpeg", "image/gif", "image/webp"); file != nil {
		file.Name = names.name(file.Name)
		alt, _, _ := strings.Cut(strings.NewReplacer("[", "(", "]", ")").Replace(plain), "\n")
		return fmt.Sprintf("![%s](%s)\n\n", alt, file.Name), file
	}
	if text := textOf(o, "text/markdown"); text != "" {
		return strings.TrimSpace(text) + "\n\n", nil
	}
	if text := textOf(o, "text/latex"); text != "" {
		return strings.TrimSpace(text) + "\n\n", nil
	}
	if plain == "" {
		plain = unknown(o)
	}
	return fence("text", plain), nil
}

// endings maps MIME types to file extensions.
var endings = map[string]string{
	"application/pdf": "pdf", "image/svg+xml": "svg", "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp",
}

// figureFile returns the first of the given forms that an output has, or nil for none.
func figureFile(o *nbformat.Output, stem string, kinds ...string) *File {
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
