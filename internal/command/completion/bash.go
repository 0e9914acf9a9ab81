package completion

import (
	"fmt"
	"io"
	"strings"
)

// writeBash prints a script for bash 3.2 and later, without the package bash-completion.
func writeBash(out io.Writer, name string, commands []command) error {
	var s strings.Builder
	s.WriteString(heading(name, "bash", fmt.Sprintf("Use it with: source <(%s completion bash)", name)))
	fmt.Fprintf(&s, "_%s() {\n", name)
	s.WriteString(`  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" path="" i
  if [[ $cur == "=" ]]; then cur=""; elif [[ $prev == "=" ]]; then prev="${COMP_WORDS[COMP_CWORD-2]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path/${COMP_WORDS[i]}" in
`)
	var paths []string
	for _, c := range commands[1:] {
		paths = append(paths, c.path)
	}
	fmt.Fprintf(&s, "    %s) path=\"$path/${COMP_WORDS[i]}\" ;;\n    esac\n  done\n", strings.Join(paths, "|"))
	s.WriteString("  COMPREPLY=()\n  case \"$path $prev\" in\n")
	for _, c := range commands {
		for _, f := range c.flags {
			if !f.takes {
				continue
			}
			var patterns []string
			for _, form := range f.names() {
				patterns = append(patterns, fmt.Sprintf("%q", c.path+" "+form))
			}
			reply := bashFiles
			if f.values != nil {
				reply = bashWords(f.values, `\n`)
			}
			fmt.Fprintf(&s, "  %s) %s; return ;;\n", strings.Join(patterns, "|"), reply)
		}
	}
	s.WriteString("  esac\n  case \"$path\" in\n")
	for _, c := range commands {
		var flags, words []string
		for _, f := range c.flags {
			flags = append(flags, f.names()...)
		}
		for _, w := range c.words {
			words = append(words, w.name)
		}
		reply := bashFiles
		if words = append(words, c.args...); len(words) > 0 {
			reply = bashWords(words, `\n`)
		}
		fmt.Fprintf(&s, "  %q) if [[ $cur == -* ]]; then %s; else %s; fi ;;\n", c.path, bashWords(flags, `\n`), reply)
	}
	fmt.Fprintf(&s, "  esac\n}\ncomplete -o filenames -F _%s %s\n", name, name)
	_, err := io.WriteString(out, s.String())
	return err
}

// bashFiles is the code that replies with file names.
const bashFiles = `while IFS= read -r i; do COMPREPLY+=("$i"); done < <(compgen -f -- "$cur")`

// bashWords returns the code that replies with the words that begin with what has been typed. Words
// may contain blanks.
func bashWords(words []string, between string) string {
	var list []string
	for _, w := range words {
		list = append(list, strings.ReplaceAll(w, "'", `'\''`))
	}
	return fmt.Sprintf(`while IFS= read -r i; do COMPREPLY+=("$i"); done < <(IFS=$'\n'; compgen -W $'%s' -- "$cur")`, strings.Join(list, between))
}
