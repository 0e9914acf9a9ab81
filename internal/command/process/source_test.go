package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheSourceIsFoundOrAskedFor(t *testing.T) {
	source, elsewhere := t.TempDir(), t.TempDir()
	writeFiles(t, source, map[string]string{"go.mod": "module gosphere\n\ngo 1.26\n", "bin/gosphere": ""})
	writeFiles(t, elsewhere, map[string]string{"go.mod": "module gospherical\n"})
	t.Chdir(elsewhere)
	program := func() (string, error) { return filepath.Join(source, "bin", "gosphere"), nil }
	if got, err := FindSource("", program); got != source || err != nil {
		t.Errorf("beside the program: %q, %v", got, err)
	}
	nowhere := func() (string, error) { return filepath.Join(elsewhere, "bin", "gosphere"), nil }
	if _, err := FindSource("", nowhere); err == nil || !strings.Contains(err.Error(), "--source") {
		t.Errorf("without a source: %v", err)
	}
	if _, err := FindSource(elsewhere, nowhere); err == nil || !strings.Contains(err.Error(), elsewhere) {
		t.Errorf("in a wrong folder: %v", err)
	}
}

func writeFiles(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
