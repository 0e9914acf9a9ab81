// Package jsontext holds the generic functions of the standard package encoding/json/jsontext.
package jsontext

import (
	"encoding/json/jsontext"

	"gosphere/runtime/internal/generic/erased"
)

// AppendFormat formats the JSON value in src and appends it to dst. After an error it appends src.
func AppendFormat[Bytes ~[]byte | ~string](dst []byte, src Bytes, opts ...jsontext.Options) ([]byte, error) {
	return erased.AppendFormat(dst, string(src), opts...)
}

// AppendQuote appends src as a JSON string to dst.
func AppendQuote[Bytes ~[]byte | ~string](dst []byte, src Bytes) ([]byte, error) {
	return erased.AppendQuote(dst, string(src))
}

// AppendUnquote appends the text of the JSON string src to dst.
func AppendUnquote[Bytes ~[]byte | ~string](dst []byte, src Bytes) ([]byte, error) {
	return erased.AppendUnquote(dst, string(src))
}
