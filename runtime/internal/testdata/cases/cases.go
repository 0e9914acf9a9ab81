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
	"path/filepath"
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

// ByHand reports whether the cells state themselves what is expected of them.
func (c *Case) ByHand() bool {
	for _, cell := range c.Cells {
		if strings.Contains(cell, "// want:") || strings.Contains(cell, "// error:") {
			return true
		}
	}
	return false
}

// A Section is a part of a short notebook: a cell, or an expected result.
type Section struct{ Marker, Text string }

// A Notebook is a short notebook in sections. Read gives them the meanings in the package comment.
// The corpora of other formats have markers of their own.
type Notebook struct {
	Name     string // with what follows it on the line
	Sections []Section
}

// Corpus returns the files of the corpus of short notebooks: those in the folder that the
// environment variable CORPUS names, else those beside the repository. It returns none if there is
// no corpus.
func Corpus() []string {
	if dir := os.Getenv("CORPUS"); dir != "" {
		files, _ := filepath.Glob(filepath.Join(dir, "*.cells"))
		return files
	}
	for up := ".."; len(up) < 60; up += "/.." {
		if files, _ := filepath.Glob(filepath.Join(up, "shared", "corpus", "*.cells")); len(files) > 0 {
			return files
		}
	}
	return nil
}

// Notebooks reads a file of short notebooks.
func Notebooks(path string) ([]Notebook, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []Notebook
	var sections *[]Section // of the last notebook
	for number, line := range strings.SplitAfter(string(data), "\n") {
		if name, ok := strings.CutPrefix(line, "=== "); ok {
			list = append(list, Notebook{Name: strings.TrimSpace(name)})
			sections = &list[len(list)-1].Sections
		} else if marker, ok := strings.CutPrefix(line, "--- "); ok {
			if sections == nil {
				return nil, fmt.Errorf("%s:%d: section outside of a case", path, number+1)
			}
			*sections = append(*sections, Section{Marker: strings.TrimSpace(marker)})
		} else if sections == nil {
			continue // the introduction of the file
		} else if n := len(*sections); n > 0 {
			(*sections)[n-1].Text += line
		} else if strings.TrimSpace(line) != "" {
			return nil, fmt.Errorf("%s:%d: text outside of a section", path, number+1)
		}
	}
	return list, nil
}

// Read reads a file of cases.
func Read(path string) ([]*Case, error) {
	notebooks, err := Notebooks(path)
	if err != nil {
		return nil, err
	}
	var list []*Case
	for _, n := range notebooks {
		c := &Case{Name: n.Name}
		for _, s := range n.Sections {
			kind, rest, _ := strings.Cut(s.Marker, " ")
			switch kind {
			case "cell":
				c.Cells = append(c.Cells, strings.TrimRight(s.Text, "\n")+"\n")
			case "output":
				c.Output = strings.TrimRight(s.Text, " \n")
			case "panic":
				c.Panic = strings.TrimRight(s.Text, " \n")
			case "known":
				c.Known = rest
				if strings.TrimSpace(s.Text) != "" {
					return nil, fmt.Errorf("%s: %s: text outside of a section", path, n.Name)
				}
			default:
				return nil, fmt.Errorf("%s: %s: unknown section %q", path, n.Name, kind)
			}
		}
		list = append(list, c)
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
