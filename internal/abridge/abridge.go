// Package abridge cuts texts that are shown to users.
package abridge

import (
	"fmt"
	"unicode/utf8"
)

// Limit is the number of bytes that are shown of a text. A screen shows about 50 lines of 100
// characters, so nothing readable is lost.
const Limit = 32 << 10

// Text shortens a text to Limit at a character boundary and appends a note.
func Text(text string) string {
	if len(text) <= Limit {
		return text
	}
	end := Limit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d bytes, the first %d shown)", text[:end], len(text), end)
}
