package export

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gosphere/internal/lazyregexp"
	"gosphere/kernel/nbformat"
)

// attachments returns the names of a cell's attachments. Names that have another one as a prefix
// come first: "a.png.b" before "a.png".
func attachments(cell *nbformat.Cell) []string {
	names := slices.Sorted(maps.Keys(cell.Attachments))
	slices.SortStableFunc(names, func(a, b string) int { return len(b) - len(a) })
	return names
}

// attachment returns the bytes of an attachment, preferring a picture if it has several forms.
func attachment(cell *nbformat.Cell, name string) (data []byte, kind string) {
	bundle, _ := cell.Attachments[name].(map[string]any)
	kinds := slices.Sorted(maps.Keys(bundle))
	slices.SortStableFunc(kinds, func(a, b string) int { return rank(a) - rank(b) })
	for _, kind := range kinds {
		if text, ok := bundle[kind].(string); ok {
			if decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), "")); err == nil {
				return decoded, kind
			}
		}
	}
	return nil, ""
}

// rank orders pictures first.
func rank(kind string) int {
	if strings.HasPrefix(kind, "image/") {
		return 0
	}
	return 1
}

// attached returns an attached picture of a cell as a data URL, or "" for any other source.
func attached(cell *nbformat.Cell, place string) string {
	name, ok := strings.CutPrefix(place, "attachment:")
	if !ok {
		return ""
	}
	data, kind := attachment(cell, name)
	if !pictureKind.MatchString(kind) {
		return ""
	}
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// pictureKind matches the MIME types of pictures, which become part of a URL.
var pictureKind = lazyregexp.New(`^image/[a-z0-9.+-]+$`)

// A namer assigns unique file names.
type namer map[string]bool

// name returns the wanted name, or if it is taken the name with a number before its extension.
func (n namer) name(wanted string) string {
	name := wanted
	stem, ending := wanted, ""
	if at := strings.LastIndexByte(wanted, '.'); at > strings.LastIndexByte(wanted, '/') {
		stem, ending = wanted[:at], wanted[at:]
	}
	for i := 2; n[name]; i++ {
		name = fmt.Sprintf("%s-%d%s", stem, i, ending)
	}
	n[name] = true
	return name
}

// plainName converts a text to a file name: letters, digits, periods and dashes, without a leading
// period.
func plainName(text string) string {
	cleaned := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, text)
	if strings.HasPrefix(cleaned, ".") {
		cleaned = "-" + cleaned[1:]
	}
	return cleaned
}
