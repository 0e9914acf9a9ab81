package ir

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the texts of the programs in testdata/*.golden anew")

// A shown is a program whose text is a section of a golden file.
type shown struct {
	name string
	of   func() *Program
}

// goldens are the programs of each golden file. Those of the file missing.golden lack parts and
// violate rules of the verifier.
var goldens = map[string][]shown{
	"constants": constantPrograms, "places": placePrograms, "operations": operationPrograms, "calls": callPrograms,
	"statements": statementPrograms, "loops": loopPrograms, "functions": functionPrograms, "programs": wholePrograms, "missing": missingPrograms,
}

// readGolden returns the sections of a golden file by name. A section is a line "== name" and the
// text of a program.
func readGolden(t *testing.T, file string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file+".golden"))
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, section := range strings.Split("\n"+string(data), "\n== ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		if _, twice := sections[name]; twice {
			t.Errorf("%s.golden has two sections %q", file, name)
		}
		sections[name] = strings.TrimRight(text, "\n")
	}
	return sections
}

// TestProgramsAreShownAsBefore compares the text of each program with its section.
func TestProgramsAreShownAsBefore(t *testing.T) {
	for file, programs := range goldens {
		if *update {
			var out bytes.Buffer
			for i, p := range programs {
				if i > 0 {
					out.WriteByte('\n')
				}
				out.WriteString("== " + p.name + "\n" + p.of().String())
			}
			if err := os.WriteFile(filepath.Join("testdata", file+".golden"), out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		sections := readGolden(t, file)
		for _, p := range programs {
			want, found := sections[p.name]
			if got := strings.TrimRight(p.of().String(), "\n"); !found || got != want {
				t.Errorf("%s.golden: %s is shown as\n%s\nwant\n%s", file, p.name, got, want)
			}
			delete(sections, p.name)
		}
		for name := range sections {
			t.Errorf("%s.golden has the section %q of no program", file, name)
		}
	}
}

func TestEveryGoldenFileIsRead(t *testing.T) {
	paths, err := filepath.Glob("testdata/*")
	if err != nil || len(paths) != len(goldens) {
		t.Errorf("testdata has %d files, want %d: %v", len(paths), len(goldens), err)
	}
	for _, path := range paths {
		if name, _ := strings.CutSuffix(filepath.Base(path), ".golden"); goldens[name] == nil {
			t.Errorf("no test reads %s", path)
		}
	}
}

func TestShownProgramsKeepTheRules(t *testing.T) {
	for file, programs := range goldens {
		if file == "missing" {
			continue
		}
		for _, p := range programs {
			if err := Verify(p.of(), nil); err != nil {
				t.Errorf("%s.golden: %s: %v", file, p.name, err)
			}
		}
	}
}

// TestShowingChangesNothing shows a program twice, and a second program that is built in the same
// way.
func TestShowingChangesNothing(t *testing.T) {
	for file, programs := range goldens {
		for _, p := range programs {
			program := p.of()
			texts := []string{program.String(), program.String(), p.of().String()}
			if texts = slices.Compact(texts); len(texts) > 1 {
				t.Errorf("%s.golden: %s is shown as\n%s\nand as\n%s", file, p.name, texts[0], texts[1])
			}
		}
	}
}

func TestLinesHaveNoTrailingSpace(t *testing.T) {
	for file, programs := range goldens {
		for _, p := range programs {
			for line := range strings.Lines(p.of().String()) {
				if line = strings.TrimSuffix(line, "\n"); strings.TrimRight(line, " \t") != line {
					t.Errorf("%s.golden: %s: the line %q ends in space", file, p.name, line)
				}
			}
		}
	}
}
