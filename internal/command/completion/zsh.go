package completion

import (
	"fmt"
	"io"
	"strings"
)

// writeZsh prints a script for zsh with its completion system.
func writeZsh(out io.Writer, name string, commands []command) error {
	var s strings.Builder
	fmt.Fprintf(&s, "#compdef %s\n", name)
	s.WriteString(heading(name, "zsh", fmt.Sprintf("Use it with: source <(%s completion zsh), after autoload -U compinit && compinit", name)))
	fmt.Fprintf(&s, "_%s() {\n", name)
	s.WriteString("  local path_=\"\" previous=\"${words[CURRENT-1]}\" i\n  local -a list\n  for ((i = 2; i < CURRENT; i++)); do\n    case \"$path_/${words[i]}\" in\n")
	var paths []string
	for _, c := range commands[1:] {
		paths = append(paths, c.path)
	}
	fmt.Fprintf(&s, "    %s) path_=\"$path_/${words[i]}\" ;;\n    esac\n  done\n", strings.Join(paths, "|"))
	s.WriteString("  case \"$path_ $previous\" in\n")
	for _, c := range commands {
		for _, f := range c.flags {
			if !f.takes {
				continue
			}
			var patterns []string
			for _, form := range f.names() {
				patterns = append(patterns, fmt.Sprintf("%q", c.path+" "+form))
			}
			reply := "_files"
			if f.values != nil {
				reply = "compadd -- " + zshWords(f.values)
			}
			fmt.Fprintf(&s, "  %s) %s; return ;;\n", strings.Join(patterns, "|"), reply)
		}
	}
	s.WriteString("  esac\n  case \"$path_\" in\n")
	for _, c := range commands {
		fmt.Fprintf(&s, "  %q)\n    if [[ $PREFIX == -* ]]; then\n      list=(", c.path)
		for _, f := range c.flags {
			for _, form := range f.names() {
				s.WriteString(" " + zshEntry(form, f.help))
			}
		}
		s.WriteString(" )\n      _describe flag list\n    else\n")
		switch {
		case len(c.words) > 0:
			s.WriteString("      list=(")
			for _, w := range c.words {
				s.WriteString(" " + zshEntry(w.name, w.help))
			}
			s.WriteString(" )\n      _describe command list\n")
		case c.args != nil:
			s.WriteString("      compadd -- " + zshWords(c.args) + "\n")
		default:
			s.WriteString("      _files\n")
		}
		s.WriteString("    fi ;;\n")
	}
	fmt.Fprintf(&s, "  esac\n}\nif [[ $funcstack[1] == _%s ]]; then _%s \"$@\"; else compdef _%s %s; fi\n", name, name, name, name)
	_, err := io.WriteString(out, s.String())
	return err
}

// zshEntry writes a word with its description.
func zshEntry(name, help string) string {
	return quoted(strings.ReplaceAll(name, ":", `\:`)+":"+strings.ReplaceAll(help, ":", `\:`), `'\''`)
}

// zshWords writes words as arguments.
func zshWords(words []string) string {
	var list []string
	for _, w := range words {
		list = append(list, quoted(w, `'\''`))
	}
	return strings.Join(list, " ")
}
