package notebook

import (
	"fmt"
	"io"
	"os"
	"strings"

	"gosphere/command/process"
	"gosphere/notebooks/compare"
	"gosphere/notebooks/format"
)

// Diff is the subcommand that compares two notebooks by cells.
type Diff struct {
	Old   string `arg:"" type:"existingfile" help:"One notebook."`
	New   string `arg:"" type:"existingfile" help:"The other."`
	Color string `enum:"auto,always,never" default:"auto" help:"Colors: auto (on a terminal, unless NO_COLOR is set), always or never."`
}

// Run prints what differs and ends with status 1 if something does.
func (d *Diff) Run() error {
	colored := d.Color == "always" || d.Color == "auto" && process.IsTerminal(os.Stdout) && os.Getenv("NO_COLOR") == ""
	return d.diff(os.Stdout, colored)
}

func (d *Diff) diff(stdout io.Writer, colored bool) error {
	old, err := format.ReadFile(d.Old)
	if err != nil {
		return err
	}
	now, err := format.ReadFile(d.New)
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

// inks are the colors of lines by their first letters: red for old, green for new, bold for titles, yellow for remarks.
var inks = map[string]string{"- ": "31", "+ ": "32", "= ": "1", "~ ": "33"}

// paint colors a line for a terminal.
func paint(line string) string {
	if len(line) < 2 || inks[line[:2]] == "" {
		return line
	}
	return "\x1b[" + inks[line[:2]] + "m" + strings.TrimPrefix(line, "= ") + "\x1b[0m"
}
