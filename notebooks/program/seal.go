package program

import (
	"bytes"
	"crypto/sha256"
	"fmt"
)

// sealLine is the last line of a sealed file, with the checksum of what stands above it: a comment in programs and in go.mod.
const sealLine = "\n// Checksum %x: while it fits the lines above, exporting again replaces this file.\n"

// Seal adds a last line to a file by which Untouched knows whether somebody has changed it since.
func Seal(text []byte) []byte { return append(bytes.Clone(text), seal(text)...) }

// Untouched tells whether a text is as Seal has made it.
func Untouched(text []byte) bool {
	end := len(text) - len(seal(nil)) // all seals are equally long
	return end >= 0 && string(text[end:]) == seal(text[:end])
}

// seal returns the last line for a text. Half of the sum is enough to notice edits, and shorter to look at.
func seal(text []byte) string {
	sum := sha256.Sum256(text)
	return fmt.Sprintf(sealLine, sum[:8])
}
