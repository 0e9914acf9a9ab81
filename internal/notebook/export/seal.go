package export

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"path"

	"gosphere/internal/lazyregexp"
)

// comments contains the comment delimiters of each format. Pages and Markdown use those of HTML.
var comments = map[string][2]string{
	"go":    {"\n// ", "\n"},
	"latex": {"% ", "\n"}, // an empty line would begin a paragraph
}

// comment returns a comment line in a format.
func comment(form, text string) string {
	around, known := comments[form]
	if !known {
		around = [2]string{"\n<!-- ", " -->\n"}
	}
	return around[0] + text + around[1]
}

// Seal appends lines to a text by which Untouched and Figures detect whether the text or one of its
// figures was edited. The form is go, for programs and go.mod, html, markdown, slides or latex.
func Seal(form string, text []byte, figures ...File) []byte {
	sealed := bytes.Clone(text)
	for _, f := range figures {
		sealed = append(sealed, comment(form, fmt.Sprintf("Checksum %s of %s", Sum(f.Content), path.Base(f.Name)))...)
	}
	return append(sealed, seal(form, sealed)...)
}

// Untouched reports whether a text is exactly as Seal returned it.
func Untouched(form string, text []byte) bool {
	end := len(text) - len(seal(form, nil)) // all seals have the same length
	return end >= 0 && string(text[end:]) == seal(form, text[:end])
}

// seal returns the last line of a sealed text, with the checksum of the lines above it.
func seal(form string, text []byte) string {
	return comment(form, "Checksum "+Sum(text)+": while it fits the lines above, exporting again replaces this file.")
}

// Sum returns a truncated checksum, which suffices to detect edits.
func Sum(text []byte) string {
	sum := sha256.Sum256(text)
	return fmt.Sprintf("%x", sum[:8])
}

// figureLine matches the line that Seal writes for a figure.
var figureLine = lazyregexp.New(`(?m)^(?:<!--|%|//) Checksum ([0-9a-f]{16}) of (\S+)`)

// Figures returns the checksums of the figures of a sealed text by file name.
func Figures(text []byte) map[string]string {
	sums := map[string]string{}
	for _, found := range figureLine.FindAllSubmatch(text, -1) {
		sums[string(found[2])] = string(found[1])
	}
	return sums
}
