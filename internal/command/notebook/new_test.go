package notebook

import (
	"os"
	"path/filepath"
	"testing"
)

// A file that is not a notebook is never overwritten by one, for instance the program being run.
func TestResultsOfARunReplaceNotebooksOnly(t *testing.T) {
	folder := t.TempDir()
	program, empty, notebook := filepath.Join(folder, "a.go"), filepath.Join(folder, "empty.ipynb"), saved(t, "a.ipynb", "1 + 1")
	for path, text := range map[string]string{program: "package main\n", empty: ""} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := writable(program); err == nil || err.Error() != program+" exists and is not a notebook, so it is not overwritten: name another file with -o" {
		t.Errorf("error %v", err)
	}
	for _, path := range []string{empty, notebook, filepath.Join(folder, "new.ipynb")} {
		if err := writable(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestANewNotebookWantsAFolderThatIsThere(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, want := range map[string]string{
		".": ". is a folder, want the name of a notebook", "sub/a": "no folder sub for a.ipynb",
		"": `".ipynb" names no notebook: want a name, such as study`, "\xff": `the name "\xff.ipynb" is not UTF-8`,
		"a\nb": `the name "a\nb.ipynb" has characters that are not printed`, "\x1b[31m": `the name "\x1b[31m.ipynb" has characters that are not printed`,
	} {
		if err := (&New{Name: name, Template: "teaching"}).Run(); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", name, err, want)
		}
	}
	if files, err := os.ReadDir("."); err != nil || len(files) != 0 {
		t.Errorf("now there are %v, %v", files, err)
	}
}
