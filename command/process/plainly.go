package process

import "regexp"

// Some of kong's errors, which name the argument in its own notation.
var (
	absent   = regexp.MustCompile(`^\S+(?: \.\.\.\])?: stat (.+): no such file or directory$`)
	isFolder = regexp.MustCompile(`^\S+(?: \.\.\.\])?: "(.+)" exists but is a directory$`)
	wanted   = regexp.MustCompile(`^expected "(.+)"$`)
)

// Plainly says an error of the command line as everything else here does.
func Plainly(text string) string {
	text = absent.ReplaceAllString(text, "there is no file $1")
	text = isFolder.ReplaceAllString(text, "$1 is a folder, want a file")
	return wanted.ReplaceAllString(text, "$1 is missing")
}
