package check

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gosphere/kernel/nbformat"
)

// cited matches a link to a paper and its label.
var cited = regexp.MustCompile(`\[(doi|arXiv):([^\]]+)\]\((https://doi\.org/|https://arxiv\.org/abs/)([^)]+)\)`)

// TestEveryNotebookHasReferencesWhoseLabelsAreTheirTargets reads the references of all notebooks:
// papers by DOI or arXiv, and pages.
func TestEveryNotebookHasReferencesWhoseLabelsAreTheirTargets(t *testing.T) {
	root, found := "../../../notebooks", 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".ipynb_checkpoints") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".ipynb" {
			return nil
		}
		found++
		notebook, err := nbformat.ReadFile(path)
		if err != nil {
			return err
		}
		last := notebook.Cells[len(notebook.Cells)-1].Source
		_, list, ok := strings.Cut(last, "## References\n")
		papers := cited.FindAllStringSubmatch(list, -1)
		if !ok || len(papers) == 0 {
			t.Errorf("%s has no references with links to papers at its end", path)
		}
		for _, paper := range papers {
			if site := map[string]string{"doi": "https://doi.org/", "arXiv": "https://arxiv.org/abs/"}[paper[1]]; paper[3] != site || paper[4] != paper[2] {
				t.Errorf("%s: %s is not what its label says", path, paper[0])
			}
		}
		if rest := cited.ReplaceAllString(list, ""); strings.Contains(rest, "doi.org") || strings.Contains(rest, "arxiv.org") {
			t.Errorf("%s has a link to a paper without the label doi or arXiv", path)
		}
		return nil
	})
	if err != nil || found < 20 {
		t.Fatalf("%d notebooks, %v", found, err)
	}
}
