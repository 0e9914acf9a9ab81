package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"gosphere/internal/command/notebook"
)

// readmeCommands returns the lines of the README that start with the program, without their comments.
func readmeCommands(t *testing.T) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if command, found := strings.CutPrefix(line, "    gosphere "); found {
			command, _, _ = strings.Cut(command, "#")
			lines = append(lines, strings.TrimSpace(command))
		}
	}
	return lines
}

func TestEveryCommandOfTheReadmeIsUnderstood(t *testing.T) {
	commands := readmeCommands(t)
	if len(commands) < 10 {
		t.Fatalf("only %d commands found", len(commands))
	}
	t.Chdir(t.TempDir())
	for _, file := range []string{"notebook.ipynb", "a.ipynb", "b.ipynb", "program.go"} {
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range commands {
		var line Line
		parser, err := kong.New(&line, kong.Exit(func(int) { panic("help") }), kong.Writers(new(strings.Builder), new(strings.Builder)))
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if recovered := recover(); recovered != nil && recovered != "help" {
					panic(recovered)
				}
			}()
			arguments, _ := notebook.SplitArguments(strings.Fields(strings.ReplaceAll(command, "*.ipynb", "a.ipynb b.ipynb")))
			if _, err := parser.Parse(arguments); err != nil {
				t.Errorf("gosphere %s: %v", command, err)
			}
		}()
	}
}
