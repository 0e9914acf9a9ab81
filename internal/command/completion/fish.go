package completion

import (
	"fmt"
	"io"
	"strings"
)

// writeFish prints a script for fish.
func writeFish(out io.Writer, name string, commands []command) error {
	var s strings.Builder
	s.WriteString(heading(name, "fish", fmt.Sprintf("Use it with: %s completion fish | source", name)))
	fmt.Fprintf(&s, "function __%s_at\n    set -l path ''\n    for word in (commandline -opc)[2..-1]\n        switch $path/$word\n            case", name)
	for _, c := range commands[1:] {
		s.WriteString(" " + c.path)
	}
	s.WriteString("\n                set path $path/$word\n        end\n    end\n    test \"$path\" = \"$argv[1]\"\nend\n")
	fmt.Fprintf(&s, "complete -c %s -e\n", name)
	for _, c := range commands {
		at := fmt.Sprintf("complete -c %s -n %s", name, quoted(fmt.Sprintf(`__%s_at "%s"`, name, c.path), `\'`))
		for _, w := range c.words {
			fmt.Fprintf(&s, "%s -f -a %s -d %s\n", at, w.name, quoted(w.help, `\'`))
		}
		if c.args != nil {
			fmt.Fprintf(&s, "%s -f -a %s\n", at, quoted(strings.Join(c.args, " "), `\'`))
		}
		for _, f := range c.flags {
			line := at + " -l " + f.long
			if f.short != "" {
				line += " -s " + f.short
			}
			switch {
			case f.values != nil:
				line += " -x -a " + quoted(strings.Join(fishWords(f.values), " "), `\'`)
			case f.takes:
				line += " -r"
			}
			fmt.Fprintf(&s, "%s -d %s\n", line, quoted(f.help, `\'`))
		}
	}
	_, err := io.WriteString(out, s.String())
	return err
}

// fishWords escapes blanks in words.
func fishWords(words []string) []string {
	var list []string
	for _, w := range words {
		list = append(list, strings.ReplaceAll(w, " ", `\\ `))
	}
	return list
}
