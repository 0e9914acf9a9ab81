package notebook

import (
	"fmt"
	"io"
	"os"
	"strings"

	"gosphere/internal/command/process"
	"gosphere/internal/notebook/compare"
	"gosphere/kernel/nbformat"
)

// Diff is the subcommand that compares two notebooks cell by cell.
type Diff struct {
	Old   string `arg:"" type:"existingfile" help:"Old notebook."`
	New   string `arg:"" type:"existingfile" help:"New notebook."`
	Color string `enum:"auto,always,never" default:"auto" help:"When to use colors: auto (on a terminal, unless NO_COLOR is set), always or never."`
}

// Run prints the differences and exits with status 1 if there are any.
func (d *Diff) Run() error {
	colored := d.Color == "always" || d.Color == "auto" && process.IsTerminal(os.Stdout) && os.Getenv("NO_COLOR") == ""
	return d.diff(os.Stdout, colored)
}

func (d *Diff) diff(stdout io.Writer, colored bool) error {
	old, err := nbformat.ReadFile(d.Old)
	if err != nil {
		return err
	}
	now, err := nbformat.ReadFile(d.New)
	if err != nil {
		return err
	}
	all := compare.Notebooks(old, now)
	if len(all) == 0 {
		return nil
	}
	lines := []string{"- " + d.Old, "+ " + d.New}
	for _, cell := range all {
		lines = append(lines, "", "= "+cell.Title+" "+cell.State)
		for _, difference := range cell.Differences {
			if cell.State == "changed" {
				lines = append(lines, "  "+difference.Place)
			}
			for _, line := range difference.Lines {
				lines = append(lines, line[:2]+"  "+line[2:])
			}
		}
	}
	for _, line := range lines {
		if colored {
			line = paint(line)
		}
		if _, err := fmt.Fprintln(stdout, line); err != nil {
			return err
		}
	}
	return errDiffers
}

// inks maps the prefix of a line to its color: red for old, green for new, bold for titles, yellow
// for remarks.
var inks = map[string]string{"- ": "31", "+ ": "32", "= ": "1", "~ ": "33"}

// paint colors a line for a terminal.
func paint(line string) string {
	if len(line) < 2 || inks[line[:2]] == "" {
		return line
	}
	return "\x1b[" + inks[line[:2]] + "m" + strings.TrimPrefix(line, "= ") + "\x1b[0m"
}
