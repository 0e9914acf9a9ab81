// Package cases reads and writes the script tests of the runtime: files of short notebooks
// with what compiled Go shows for them.
//
//	=== a closure keeps the variable of its iteration
//	--- cell
//	var fs []func() int
//	--- cell
//	for i := range 3 { fs = append(fs, func() int { return i }) }
//	fmt.Println(fs[0](), fs[2]())
//	--- output
//	0 2
//
// A line that begins with "=== " starts a case, one that begins with "--- " a section. The
// cells are run in order in a fresh session. The other sections say what is expected:
//
//	output        what all cells print on standard output
//	panic         the text of the panic that ends the last cell
//	known REASON  the case differs from compiled Go, and why this is not mended yet
//
// The program in ../generate writes output and panic with compiled Go. Cases that cannot be
// a program, such as redefinitions, carry their expectations inside the cells and are left
// alone: "// want: TEXT" for each line that the cell prints, its value last, and
// "// error: REGEXP" for a cell that must fail with such a message, and "// trace: REGEXP" below it
// for its traceback.
package cases

import (
	"fmt"
	"os"
	"strings"
)

// A Case is one short notebook.
type Case struct {
	Name   string
	Cells  []string
	Output string // of all cells
	Panic  string // of the last cell, "" if it ends well
	Known  string // why the case is known to differ from compiled Go, "" for most
}

// ByHand tells that the cells state themselves what is expected of them.
func (c *Case) ByHand() bool {
	for _, cell := range c.Cells {
		if strings.Contains(cell, "// want:") || strings.Contains(cell, "// error:") {
			return true
		}
	}
	return false
}

// Read reads a file of cases.
func Read(path string) ([]*Case, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []*Case
	var text *string // of the section that the next lines belong to
	for number, line := range strings.SplitAfter(string(data), "\n") {
		fail := func(what string) ([]*Case, error) {
			return nil, fmt.Errorf("%s:%d: %s", path, number+1, what)
		}
		if name, ok := strings.CutPrefix(line, "=== "); ok {
			list = append(list, &Case{Name: strings.TrimSpace(name)})
			text = nil
			continue
		}
		marker, ok := strings.CutPrefix(line, "--- ")
		if !ok {
			if text != nil {
				*text += line
			} else if strings.TrimSpace(line) != "" && len(list) > 0 {
				return fail("text outside of a section")
			}
			continue
		}
		if len(list) == 0 {
			return fail("section outside of a case")
		}
		c := list[len(list)-1]
		kind, rest, _ := strings.Cut(strings.TrimSpace(marker), " ")
		switch kind {
		case "cell":
			c.Cells = append(c.Cells, "")
			text = &c.Cells[len(c.Cells)-1]
		case "output":
			text = &c.Output
		case "panic":
			text = &c.Panic
		case "known":
			c.Known, text = rest, nil
		default:
			return fail("unknown section " + kind)
		}
	}
	for _, c := range list {
		for i := range c.Cells {
			c.Cells[i] = strings.TrimRight(c.Cells[i], "\n") + "\n"
		}
		c.Output, c.Panic = strings.TrimRight(c.Output, " \n"), strings.TrimRight(c.Panic, " \n")
	}
	return list, nil
}

// Write writes a file of cases in the form that Read reads. The text before the first case
// is kept.
func Write(path string, list []*Case) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, _, _ := strings.Cut("\n"+string(data), "\n=== ")
	var b strings.Builder
	if head = strings.TrimSpace(head); head != "" {
		b.WriteString(head + "\n\n")
	}
	for i, c := range list {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString("=== " + c.Name + "\n")
		for _, cell := range c.Cells {
			b.WriteString("--- cell\n" + cell)
		}
		for _, part := range []struct{ marker, text string }{{"output", c.Output}, {"panic", c.Panic}} {
			if part.text != "" {
				b.WriteString("--- " + part.marker + "\n" + part.text + "\n")
			}
		}
		if c.Known != "" {
			b.WriteString("--- known " + c.Known + "\n")
		}
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}
