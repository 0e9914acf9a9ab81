package program

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// own is the module of gosphere, which no proxy serves: a program takes it from a folder.
const own = "gosphere"

// requirement matches a line of go.mod that names a module and its version.
var requirement = regexp.MustCompile(`(?m)^\s*(?:require\s+)?([^\s/]+\.[^\s]+)\s+(v[^\s]+)`)

// Brought lists the imports that only the source of gosphere has or tells the versions of.
func (e *Exported) Brought() []string {
	var list []string
	for _, path := range e.Imports {
		if first, _, _ := strings.Cut(path, "/"); first == own || strings.Contains(first, ".") {
			list = append(list, path)
		}
	}
	return list
}

// NeedsSource tells whether there are such imports.
func (e *Exported) NeedsSource() bool { return len(e.Brought()) > 0 }

// Module returns the texts of go.mod and go.sum for the program, "" for a file that it does not need. A program that imports
// gosphere, or one of the modules that gosphere brings along, takes their versions from the folder with gosphere's source; for
// others the folder is not looked at.
func (e *Exported) Module(name, source string) (mod, sum string, err error) {
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "notebook-" + name
	}
	mod = "module " + strings.TrimSuffix(name, "-") + "\n\ngo 1.26\n"
	if !e.NeedsSource() {
		return mod, "", nil
	}
	theirs, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return "", "", fmt.Errorf("the source of gosphere: %w", err)
	}
	sums, err := os.ReadFile(filepath.Join(source, "go.sum"))
	if err != nil {
		return "", "", fmt.Errorf("the source of gosphere: %w", err)
	}
	var text strings.Builder
	text.WriteString(mod + "\nrequire (\n")
	for _, path := range e.Imports {
		if path == own || strings.HasPrefix(path, own+"/") {
			fmt.Fprintf(&text, "\t%s v0.0.0\n", own)
			break
		}
	}
	for _, match := range requirement.FindAllStringSubmatch(string(theirs), -1) {
		fmt.Fprintf(&text, "\t%s %s\n", match[1], match[2])
	}
	text.WriteString(")\n")
	if strings.Contains(text.String(), "\t"+own+" ") {
		folder, err := filepath.Abs(source)
		if err != nil {
			return "", "", err
		}
		fmt.Fprintf(&text, "\nreplace %s => %s\n", own, quoted(folder))
	}
	return text.String(), string(sums), nil
}

// quoted writes a path as go.mod wants it.
func quoted(path string) string {
	if strings.ContainsAny(path, " \t\"'`,()") {
		return "`" + path + "`"
	}
	return path
}
