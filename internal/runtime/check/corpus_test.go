package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/internal/runtime/check"
)

// corpus returns the folder of the cell corpus, which is next to the repository.
func corpus(t *testing.T) string {
	t.Helper()
	for dir := ".."; len(dir) < 60; dir += "/.." {
		if path := filepath.Join(dir, "shared", "corpus"); exists(path) {
			return path
		}
	}
	t.Skip("the cell corpus is not here")
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestCorpusChecksAsExpected checks every cell of the corpus. Cells that run must pass. A cell with
// a mistake that a compiler would report must fail.
func TestCorpusChecksAsExpected(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpus(t), "*.cells"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range strings.Split("\n"+string(data), "\n=== ")[1:] {
			heading, rest, _ := strings.Cut(text, "\n")
			name, _, _ := strings.Cut(heading, " |")
			t.Run(name, func(t *testing.T) { playCase(t, rest) })
		}
	}
}

// playCase checks the cells of one case.
func playCase(t *testing.T, text string) {
	s := check.NewSession(store(t))
	sections := strings.Split("\n"+text, "\n--- ")[1:]
	fails := strings.Contains("\n"+text, "\n--- err\n")
	number := 0
	last := 0
	for i, section := range sections {
		if strings.HasPrefix(section, "cell\n") || strings.HasPrefix(section, "errcell\n") {
			last = i
		}
	}
	for i, section := range sections {
		marker, source, _ := strings.Cut(section, "\n")
		if marker != "cell" && marker != "errcell" {
			continue
		}
		number++
		checked, err := checkCell(s, number, source)
		if err == nil {
			verify(t, s, checked)
		}
		switch {
		case err == nil && i == last && fails && strings.HasPrefix(t.Name(), "TestCorpusChecksAsExpected/err-"):
			t.Errorf("cell %d passes: %s", number, outline(checked))
		case err != nil && marker == "cell" && !(fails && i == last):
			t.Errorf("cell %d: %v\n%s", number, err, source)
		}
	}
}
