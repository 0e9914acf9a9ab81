package tokenizer

import (
	"html"
	"strings"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// repair performs the steps of ftfy 6 (https://ftfy.readthedocs.io) that need no guess: HTML
// entities in a text without "<", C1 control characters, ligatures, full-width and half-width
// characters, curly quotes, line breaks, control characters, and NFC. It does not guess wrong
// encodings. Like ftfy it repeats the steps until nothing changes.
func repair(text string) string {
	for {
		before := text
		if !strings.Contains(text, "<") {
			text = html.UnescapeString(text)
		}
		var b strings.Builder
		for _, r := range text {
			appendRepaired(&b, r)
		}
		text = norm.NFC.String(b.String())
		if text == before {
			return text
		}
	}
}

// ligatures maps single characters to the letters that they represent.
var ligatures = map[rune]string{
	'Ĳ': "IJ", 'ĳ': "ij", 'ŉ': "ʼn", 'Ǳ': "DZ", 'ǲ': "Dz", 'ǳ': "dz", 'Ǆ': "DŽ", 'ǅ': "Dž", 'ǆ': "dž",
	'Ǉ': "LJ", 'ǈ': "Lj", 'ǉ': "lj", 'Ǌ': "NJ", 'ǋ': "Nj", 'ǌ': "nj",
	'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl", 'ﬅ': "ſt", 'ﬆ': "st",
}

// appendRepaired appends the repaired form of a character.
func appendRepaired(b *strings.Builder, r rune) {
	if r >= 0x80 && r < 0xa0 { // written in Windows-1252, read as Latin-1
		r = sloppyWindows(r)
	}
	switch {
	case r < 0x80 && r >= ' ' && r != 0x7f, r == '\t', r == '\n', r == '\f':
		b.WriteRune(r)
	case r == '\r', r == '\u2028', r == '\u2029', r == '\u0085':
		b.WriteByte('\n')
	case r < ' ' || r == 0x7f || r >= 0x206a && r <= 0x206f || r == '\ufeff' || r >= 0xfff9 && r <= 0xfffc:
		// dropped: control characters, the byte order mark, annotation marks
	case r == '\u02bc' || r >= '\u2018' && r <= '\u201b':
		b.WriteByte('\'')
	case r >= '\u201c' && r <= '\u201f':
		b.WriteByte('"')
	case r == '\u3000':
		b.WriteByte(' ')
	case r >= 0xff01 && r < 0xfff0:
		b.WriteString(norm.NFKC.String(string(r)))
	default:
		if letters, ok := ligatures[r]; ok {
			b.WriteString(letters)
			return
		}
		b.WriteRune(r)
	}
}

// sloppyWindows returns the character of a byte in Windows-1252, or the byte itself if there is
// none.
func sloppyWindows(r rune) rune {
	if decoded := charmap.Windows1252.DecodeByte(byte(r)); decoded != '\uFFFD' {
		return decoded
	}
	return r
}
