package command

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"gosphere/runtime/session"

	"github.com/alecthomas/kong"
)

// TestEveryCommandHasExamplesThatParse also keeps examples of commands that are gone out.
func TestEveryCommandHasExamplesThatParse(t *testing.T) {
	var line Line
	parser, err := newParser(&line)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"before.ipynb", "after.ipynb", "notebook.ipynb"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("notebooks", 0o700); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, leaf := range parser.Model.Leaves(true) {
		known[commandPath(leaf)] = true
		if len(examples[commandPath(leaf)]) == 0 {
			t.Errorf("%s has no example", commandPath(leaf))
		}
	}
	for path, lines := range examples {
		if !known[path] {
			t.Errorf("there is no command %q", path)
		}
		for _, text := range lines {
			_, words, found := strings.Cut(text, "gosphere ")
			words, _, _ = strings.Cut(words, " |")
			words, _, _ = strings.Cut(words, ")")
			words, _, _ = strings.Cut(words, " #")
			if !found || !strings.HasPrefix(words, path) {
				t.Errorf("%q is no example of %s", text, path)
				continue
			}
			fresh := Line{}
			parser, err := newParser(&fresh)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parser.Parse(strings.Fields(strings.ReplaceAll(words, " --verbose input.txt", ""))); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

func TestHelpOfACommandShowsItsExamples(t *testing.T) {
	var out, errs bytes.Buffer
	var line Line
	parser, err := newParser(&line, kong.Writers(&out, &errs))
	if err != nil {
		t.Fatal(err)
	}
	parser.Exit = func(int) {} // kong ends the process after help
	_, _ = parser.Parse([]string{"list", "--help"})
	if !strings.Contains(out.String(), "Examples:\n  gosphere list\n  gosphere list --json\n") {
		t.Errorf("the help is\n%s", out.String())
	}
}

func TestCompletionIsPrintedForEachShell(t *testing.T) {
	for shell, want := range map[string]string{
		"bash": "complete -o filenames -F _gosphere gosphere", "zsh": "#compdef gosphere", "fish": "complete -c gosphere", "powershell": "Register-ArgumentCompleter",
	} {
		var out, errs bytes.Buffer
		if status := Main([]string{"completion", shell}, session.Packages{}, &out, &errs); status != 0 || !strings.Contains(out.String(), want) {
			t.Errorf("%s: status %d, %s%.200s", shell, status, errs.String(), out.String())
		}
	}
	var out, errs bytes.Buffer
	if status := Main([]string{"completion", "tcsh"}, session.Packages{}, &out, &errs); status != 2 || !strings.Contains(errs.String(), "tcsh") {
		t.Errorf("status %d, %s", status, errs.String())
	}
}
