package display

import (
	"database/sql"
	"encoding/base64"
	"errors"
	"reflect"
	"strings"

	"gosphere/kernel/protocol"
)

// MIME types written by this package.
const (
	textPlain    = "text/plain"
	textHTML     = "text/html"
	textMarkdown = "text/markdown"
	textLaTeX    = "text/latex"
	imagePNG     = "image/png"
	imageJPEG    = "image/jpeg"
	imageSVG     = "image/svg+xml"
	jsonData     = "application/json"
)

// Bundle returns the forms of a value by MIME type, with their metadata.
//
// The form text/plain is always present. It is the output of fmt.Sprint, shortened if it is too
// long to read; for functions and channels it is the type. Bytes that are text are shown as text,
// sequences by their values, and tables in columns. An error has only the text form, followed by
// the errors that it wraps. If a method of the value panics or fails, the text form, with the
// reason, is the only one: a picture next to a hidden error message would look like success.
//
// Bundle reads the rows of a *sql.Rows and closes it.
func Bundle(value any) (data protocol.MimeBundle, metadata map[string]any) {
	data, metadata, err := Forms(value)
	if err != nil {
		data[textPlain] = data[textPlain].(string) + "\n" + err.Error()
	}
	return data, metadata
}

// Forms is like Bundle, but returns the reason if a method of the value fails. The error is a
// *Failure.
func Forms(value any) (data protocol.MimeBundle, metadata map[string]any, err error) {
	defer hold(value)()
	data = protocol.MimeBundle{textPlain: plainText(value)}
	metadata = map[string]any{}
	if value == nil || isNilPointer(value) {
		return data, metadata, nil
	}
	switch value := value.(type) {
	case error:
		data[textPlain] = errorText(value)
		return data, metadata, nil
	case *sql.Rows:
		t, err := queryTable(value)
		if err != nil {
			data[textPlain] = "*sql.Rows"
			return data, metadata, &Failure{err}
		}
		return t.bundle(), metadata, nil
	}
	rich, sizes, err := richForms(value)
	if err != nil {
		return data, metadata, &Failure{err}
	}
	for mime, form := range rich {
		data[mime] = form
	}
	for mime, size := range sizes {
		metadata[mime] = size
	}
	if len(rich) == 0 {
		if table, ok := valueTable(value); ok {
			data[textHTML] = table.html()
			if _, ok := value.(rowed); ok {
				data = table.bundle()
			}
		}
	}
	return data, metadata, nil
}

// A Failure is the reason why a value cannot be displayed. A cell whose value cannot be displayed
// fails with it, and Show panics with it.
type Failure struct{ err error }

// Error returns the reason. An error that names its package needs no method beside it.
func (f *Failure) Error() string {
	if cause := errors.Unwrap(f.err); cause != nil {
		if task, _, named := strings.Cut(cause.Error(), ": "); named && task == strings.ToLower(task) && !strings.Contains(task, " ") {
			return cause.Error()
		}
	}
	return f.err.Error()
}

// Unwrap returns what the method of the value has returned.
func (f *Failure) Unwrap() error { return f.err }

// FailureName returns the name of the cell's error.
func (f *Failure) FailureName() string { return "display error" }

// isNilPointer reports whether calling a method of the value would most likely panic.
func isNilPointer(value any) bool {
	v := reflect.ValueOf(value)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// encoded returns a bitmap in the encoding that Jupyter expects.
func encoded(picture []byte) string {
	return base64.StdEncoding.EncodeToString(picture)
}

// pixelSize returns the metadata that set the displayed size of a bitmap.
func pixelSize(width, height int) map[string]any {
	return map[string]any{"width": width, "height": height}
}
