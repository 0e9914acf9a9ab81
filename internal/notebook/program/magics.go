package program

import (
	"fmt"
	"strconv"
	"strings"

	"gosphere/runtime/cell"
	"gosphere/runtime/cell/magics"
)

// load fetches the modules that a cell requires and loads its imports.
func (w *writer) load(requires []string, parsed *cell.Cell) error {
	loader, ok := w.packages.(Loader)
	var paths []string
	for _, spec := range parsed.Declarations.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, path)
		}
	}
	switch {
	case ok:
		return loader.Load(requires, paths)
	case len(requires) > 0:
		return fmt.Errorf("%%require %s: there are no modules here", strings.Join(requires, " "))
	}
	return nil
}

// withoutMagics replaces magics that have an effect by Go in the same lines, and the others by
// comments. It also returns the modules of %require.
func withoutMagics(source string) (text string, requires []string, err error) {
	blanked := magics.Blank(source)
	if blanked == source {
		return source, nil, nil
	}
	rest, given := strings.Split(blanked, "\n"), strings.Split(source, "\n")
	for i, line := range given {
		word := strings.Fields(line)
		if line == rest[i] || len(word) == 0 {
			continue
		}
		if strings.HasPrefix(word[0], "%%") {
			body := strings.Join(given[i+1:], "\n")
			written, whole, err := cellMagic(word, body)
			if err != nil {
				return "", nil, err
			}
			if whole {
				return strings.Join(rest[:i], "\n") + written, requires, nil
			}
			rest[i] = written
			continue
		}
		if word[0] == "%require" {
			requires = append(requires, word[1:]...)
		}
		arguments := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), word[0]))
		if rest[i], err = lineMagic(word[0], arguments, strings.TrimSpace(line), rest[i]); err != nil {
			return "", nil, err
		}
	}
	return strings.Join(rest, "\n"), requires, nil
}

// lineMagic returns a line magic as Go, or as a comment. Blanked is the Go part of the line.
func lineMagic(name, arguments, line, blanked string) (string, error) {
	switch {
	case strings.HasPrefix(name, "!"):
		return command(strings.TrimPrefix(line, "!"), "sh", "fmt.Println"), nil
	case name == "%time" || name == "%timeit":
		return blanked + " // " + name, nil
	case name == "%cd" && arguments != "" && arguments != "-":
		return "if err := os.Chdir(" + strconv.Quote(unquoted(arguments)) + "); err != nil { panic(err) } else if dir, err := os.Getwd(); err == nil { fmt.Println(dir) }", nil
	case name == "%cd":
		return "", fmt.Errorf("%s means a folder that a program does not know; write os.Chdir", strings.TrimSpace(name+" "+arguments))
	case name == "%env" && strings.Contains(arguments, "="):
		key, value, _ := strings.Cut(arguments, "=")
		return "if err := os.Setenv(" + strconv.Quote(strings.TrimSpace(key)) + ", " + strconv.Quote(strings.TrimSpace(value)) + "); err != nil { panic(err) }; fmt.Println(" +
			strconv.Quote(strings.TrimSpace(key)+"="+strings.TrimSpace(value)) + ")", nil
	case name == "%env" && arguments != "":
		return "fmt.Println(os.Getenv(" + strconv.Quote(arguments) + "))", nil
	case name == "%reset":
		return "", fmt.Errorf("%%reset removes the declarations of earlier cells, which a program cannot; export the cells after it as a separate notebook")
	}
	return "// " + line, nil
}

// cellMagic returns the first line of a cell magic as Go. Whole reports whether it replaces the
// whole cell.
func cellMagic(word []string, body string) (written string, whole bool, err error) {
	arguments := strings.Join(word[1:], " ")
	switch word[0] {
	case "%%time", "%%timeit":
		if arguments != "" { // statements that run before those timed
			return arguments + " // " + word[0], false, nil
		}
		return "// " + word[0], false, nil
	case "%%bash":
		return command(body, "bash", "panic"), true, nil
	case "%%writefile":
		flags := "os.O_TRUNC"
		if name, ok := strings.CutPrefix(arguments, "-a "); ok {
			flags, arguments = "os.O_APPEND", strings.TrimSpace(name)
		}
		return "if f, err := os.OpenFile(" + strconv.Quote(unquoted(arguments)) + ", os.O_WRONLY|os.O_CREATE|" + flags + ", 0o666); err != nil { panic(err) } else if _, err := f.WriteString(" +
			strconv.Quote(body) + "); err != nil { panic(err) } else if err := f.Close(); err != nil { panic(err) }", true, nil
	case "%%html", "%%markdown", "%%latex", "%%svg":
		return "// " + strings.ReplaceAll(strings.TrimSpace(word[0]+"\n"+body), "\n", "\n// "), true, nil
	}
	return "", false, fmt.Errorf("%s is no Go, and programs have no equivalent", word[0])
}

// command returns a call of a shell. Report is called with the error if the command fails.
func command(text, shell, report string) string {
	return "if err := func() error { c := exec.Command(" + strconv.Quote(shell) + ", \"-c\", " + strconv.Quote(strings.TrimSpace(text)) +
		"); c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr; return c.Run() }(); err != nil { " + report + "(err) }"
}

// unquoted removes the quotes of an argument.
func unquoted(text string) string {
	if n := len(text); n > 1 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		return text[1 : n-1]
	}
	return text
}
