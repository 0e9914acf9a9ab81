package command

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

var update = flag.Bool("update", false, "write docs/commands.md")

// markdown escapes text for Markdown.
var markdown = strings.NewReplacer("<", `\<`, "*", `\*`, "_", `\_`, "\n", " ")

// writeFlags appends a list of flags.
func writeFlags(b *strings.Builder, flags []*kong.Flag) {
	for _, f := range flags {
		if f.Hidden || f.Name == "help" {
			continue
		}
		fmt.Fprintf(b, "- `%s`: %s\n", f, markdown.Replace(f.Help))
	}
}

// commandReference returns the page of all commands, from the parser's own model.
func commandReference(t *testing.T) string {
	t.Helper()
	var line Line
	parser, err := newParser(&line)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("# Commands\n\n")
	b.WriteString("<!-- Written by go test -run CommandReference -update in the package of the command line. -->\n\n")
	b.WriteString("`gosphere COMMAND --help` prints the same text.\n")
	for _, group := range groups {
		fmt.Fprintf(&b, "\n## %s\n", strings.TrimSuffix(group.Title, ":"))
		for _, node := range parser.Model.Leaves(true) {
			if of := node.ClosestGroup(); of == nil || of.Key != group.Key {
				continue
			}
			fmt.Fprintf(&b, "\n### gosphere %s\n\n%s\n\n    gosphere %s\n", node.Path(), markdown.Replace(node.Help), node.Summary())
			if node.Detail != "" {
				fmt.Fprintf(&b, "\n%s\n", markdown.Replace(node.Detail))
			}
			if len(node.Positional)+len(node.Flags) > 0 {
				b.WriteString("\n")
			}
			for _, argument := range node.Positional {
				fmt.Fprintf(&b, "- `%s`: %s\n", argument.Summary(), markdown.Replace(argument.Help))
			}
			writeFlags(&b, node.Flags)
			if lines := examples[commandPath(node)]; len(lines) > 0 {
				fmt.Fprintf(&b, "\nExamples:\n\n    %s\n", strings.Join(lines, "\n    "))
			}
		}
	}
	return b.String()
}

func TestTheCommandReferenceIsCurrent(t *testing.T) {
	page, want := filepath.Join("..", "..", "docs", "commands.md"), commandReference(t)
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != want {
		t.Errorf("%s is not the help of the commands (%v): go test -run CommandReference -update", page, err)
	}
}

// TestSentencesOfTheReferenceAreApart finds texts that were joined without a blank, or with two.
func TestSentencesOfTheReferenceAreApart(t *testing.T) {
	joined := regexp.MustCompile(`[a-z)][.;:,][A-Z][a-z]+ |[a-z](GOSPHERE|JUPYTER)|\S  \S`)
	for line := range strings.Lines(commandReference(t)) {
		if found := joined.FindString(line); found != "" && !strings.HasPrefix(line, "    ") {
			t.Errorf("%q in %s", found, line)
		}
	}
}
