package notebook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/internal/notebook/vet"
	"gosphere/kernel/nbformat"
)

// TestVetReportsFindingsOfFiles vets a folder in each format, fixes it and vets it again.
func TestVetReportsFindingsOfFiles(t *testing.T) {
	bringArchive(t)
	dir := t.TempDir()
	n := nbformat.New()
	n.Add(nbformat.Code, "import (\n\t\"fmt\"\n\t\"os\"\n)\nx := 1")
	n.Add(nbformat.Code, "fmt.Println(x)")
	path := filepath.Join(dir, "a.ipynb")
	if err := nbformat.WriteFile(path, n); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	err := (&Vet{Files: []string{dir}, Format: "text"}).vet(&text)
	if want := path + ": cell 1:3:2: unused-import: nothing uses the import \"os\" (remove it)\n"; err != ExitStatus(1) || text.String() != want {
		t.Errorf("%v, %s want %s", err, text.String(), want)
	}
	text.Reset()
	err = (&Vet{Files: []string{dir}, Format: "json"}).vet(&text)
	var list []struct {
		File, Rule   string
		Line, Column int
	}
	if decoded := json.Unmarshal([]byte(text.String()), &list); err != ExitStatus(1) || decoded != nil || len(list) != 1 || list[0].Rule != "unused-import" || list[0].Line != 3 {
		t.Errorf("%v, %v, %s", err, decoded, text.String())
	}
	text.Reset()
	if err := (&Vet{Files: []string{path}, Format: "sarif"}).vet(&text); err != ExitStatus(1) || !strings.Contains(text.String(), `"ruleId": "unused-import"`) {
		t.Errorf("%v, %s", err, text.String())
	}
	text.Reset()
	if err := (&Vet{Files: []string{path}, Format: "text", Fix: true}).vet(&text); err != nil || text.String() != "" {
		t.Errorf("fixed: %v, %s", err, text.String())
	}
	content, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(content), "os") {
		t.Errorf("%v, %s", err, content)
	}
}

// TestVetRefusesWrongArguments names the value and the remedy.
func TestVetRefusesWrongArguments(t *testing.T) {
	for _, c := range []struct {
		vet  Vet
		want string
	}{
		{Vet{}, "no notebooks are given"},
		{Vet{Files: []string{"x.ipynb"}, Off: []string{"ordr"}}, "--off ordr: there is no such rule; gosphere vet --rules lists them"},
		{Vet{Files: []string{"missing.ipynb"}}, "no file missing.ipynb"},
	} {
		if err := c.vet.vet(new(strings.Builder)); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestVetListsItsRules compares the list with the rules of package vet.
func TestVetListsItsRules(t *testing.T) {
	var text strings.Builder
	if err := (&Vet{Rules: true}).vet(&text); err != nil {
		t.Fatal(err)
	}
	for _, r := range vet.Rules {
		if !strings.Contains(text.String(), r.Name+" ") || !strings.Contains(text.String(), r.Text) {
			t.Errorf("%s is missing in\n%s", r.Name, text.String())
		}
	}
}
