package program

import (
	"fmt"
	"strings"

	"gosphere/internal/modulepath"
)

// own is the module of gosphere. No proxy serves it, so a program includes its source.
const own = modulepath.Path

// OwnFolder is the folder of a program that contains the imported source of gosphere.
const OwnFolder = "gosphere"

// A Requirement is a module with its version.
type Requirement struct {
	Path, Version string
	Indirect      bool // imported only by other modules
}

// Brought lists the imports outside the standard library.
func (e *Exported) Brought() []string {
	var list []string
	for _, path := range e.Imports {
		if first, _, _ := strings.Cut(path, "/"); modulepath.Contains(path) || strings.Contains(first, ".") {
			list = append(list, path)
		}
	}
	return list
}

// Own lists the imports of gosphere itself.
func (e *Exported) Own() []string {
	var list []string
	for _, path := range e.Imports {
		if modulepath.Contains(path) {
			list = append(list, path)
		}
	}
	return list
}

// GoMod returns the go.mod of a program with a module name. If the program imports gosphere, the
// source of gosphere is in a folder of the program.
func (e *Exported) GoMod(name string, requirements []Requirement) string {
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "notebook-" + name
	}
	var text strings.Builder
	text.WriteString("module " + strings.TrimSuffix(name, "-") + "\n\ngo 1.26\n")
	if len(e.Own()) > 0 {
		requirements = append([]Requirement{{Path: own, Version: "v0.0.0"}}, requirements...)
	}
	writeRequirements(&text, requirements)
	if len(e.Own()) > 0 {
		fmt.Fprintf(&text, "\nreplace %s => ./%s\n", own, OwnFolder)
	}
	return text.String()
}

// OwnMod returns the go.mod for the source of gosphere in a program.
func OwnMod(requirements []Requirement) string {
	var text strings.Builder
	text.WriteString("module " + own + "\n\ngo 1.26\n")
	writeRequirements(&text, requirements)
	return text.String()
}

func writeRequirements(text *strings.Builder, list []Requirement) {
	for _, indirect := range []bool{false, true} {
		begun := false
		for _, r := range list {
			if r.Indirect != indirect {
				continue
			}
			if !begun {
				text.WriteString("\nrequire (\n")
				begun = true
			}
			comment := ""
			if indirect {
				comment = " // indirect"
			}
			fmt.Fprintf(text, "\t%s %s%s\n", r.Path, r.Version, comment)
		}
		if begun {
			text.WriteString(")\n")
		}
	}
}
