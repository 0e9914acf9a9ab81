package process

import (
	"strings"

	"gosphere/internal/lazyregexp"
)

// Some of kong's errors, which name the argument in kong's own notation.
var (
	absent   = lazyregexp.New(`^\S+(?: \.\.\.\])?: stat (.+): no such file or directory$`)
	isFolder = lazyregexp.New(`^\S+(?: \.\.\.\])?: "(.+)" exists but is a directory$`)
	wanted   = lazyregexp.New(`^expected "(.+)"$`)
)

// Plainly rewrites an error of kong in the wording of this program.
func Plainly(text string) string {
	text = absent.ReplaceAllString(text, "no file $1")
	text = isFolder.ReplaceAllString(text, "$1 is a folder, want a file")
	text = strings.Replace(text, `must be one of "",`, "must be one of ", 1) // the default of a flag that is not set
	return wanted.ReplaceAllString(text, "$1 is missing")
}
