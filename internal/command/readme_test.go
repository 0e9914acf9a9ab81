package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"gosphere/internal/command/notebook"
)

// documentedCommands returns the lines of the README and of the documents that start with the
// program, without their comments.
func documentedCommands(t *testing.T) (lines []string) {
	t.Helper()
	documents, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range append(documents, filepath.Join("..", "..", "README.md")) {
		if filepath.Base(document) == "commands.md" {
			continue // usage lines
		}
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if command, found := strings.CutPrefix(line, "    gosphere "); found {
				command, _, _ = strings.Cut(command, " #")
				lines = append(lines, strings.TrimSpace(command))
			}
		}
	}
	return lines
}

func TestEveryDocumentedCommandIsUnderstood(t *testing.T) {
	commands := documentedCommands(t)
	if len(commands) < 40 {
		t.Fatalf("only %d commands found", len(commands))
	}
	t.Chdir(t.TempDir())
	if err := os.Mkdir("notebooks", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"notebook.ipynb", "ideas.ipynb", "result.ipynb", "a.ipynb", "b.ipynb", "program.go", "hello.go", "analysis.cells.go", "plan.toml", "images.npy", "queries.npy"} {
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range commands {
		var line Line
		parser, err := newParser(&line, kong.Exit(func(int) { panic("help") }), kong.Writers(new(strings.Builder), new(strings.Builder)))
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if recovered := recover(); recovered != nil && recovered != "help" {
					panic(recovered)
				}
			}()
			arguments, _ := notebook.SplitArguments(words(command))
			if _, err := parser.Parse(arguments); err != nil {
				t.Errorf("gosphere %s: %v", command, err)
			}
		}()
	}
}

// words splits a command line as a shell does, with double quotes and one pattern of files.
func words(command string) (words []string) {
	for i, part := range strings.Split(command, `"`) {
		if i%2 == 0 {
			words = append(words, strings.Fields(strings.ReplaceAll(part, "*.ipynb", "a.ipynb b.ipynb"))...)
		} else if strings.HasSuffix(command[:strings.Index(command, `"`+part)], "=") {
			words[len(words)-1] += part
		} else {
			words = append(words, part)
		}
	}
	return words
}
