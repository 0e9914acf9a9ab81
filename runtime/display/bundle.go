package display

import (
	"database/sql"
	"encoding/base64"
	"reflect"

	"gosphere/internal/kernel/protocol"
)

// The mime types this package writes.
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

// Bundle returns the forms of a value by mime type and the metadata that belong to them.
//
// The form text/plain is always there and is what fmt.Sprint writes, shortened where it
// would be longer than a reader can use; of functions and channels it is the type. Bytes that
// are text are written as text, sequences by their values, tables in columns. An error value has
// no other form; the errors that it wraps stand below it. A method of the value that panics or
// fails leaves the text as the only form, with the reason in it: a picture beside a hidden
// complaint would look like success.
//
// The rows of a query are read, and the query is closed.
func Bundle(value any) (data protocol.MimeBundle, metadata map[string]any) {
	defer hold(value)()
	data = protocol.MimeBundle{textPlain: plainText(value)}
	metadata = map[string]any{}
	if value == nil || isNilPointer(value) {
		return data, metadata
	}
	switch value := value.(type) {
	case error:
		data[textPlain] = errorText(value)
		return data, metadata
	case *sql.Rows:
		t, err := queryTable(value)
		if err != nil {
			data[textPlain] = "*sql.Rows\n" + err.Error()
			return data, metadata
		}
		return t.bundle(), metadata
	}
	rich, sizes, err := richForms(value)
	if err != nil {
		data[textPlain] = data[textPlain].(string) + "\n" + err.Error()
		return data, metadata
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
	return data, metadata
}

// isNilPointer tells that calling a method of the value would most likely panic.
func isNilPointer(value any) bool {
	v := reflect.ValueOf(value)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// encoded returns the bytes of a picture as Jupyter wants them.
func encoded(picture []byte) string {
	return base64.StdEncoding.EncodeToString(picture)
}

// pixelSize is the metadata entry that gives a bitmap its size on the page.
func pixelSize(width, height int) map[string]any {
	return map[string]any{"width": width, "height": height}
}
