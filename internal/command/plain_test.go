package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/runtime/session"
)

func TestCommandLinesThatCannotBeReadSayWhatIsMissing(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	if err := os.WriteFile("a.ipynb", []byte(`{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	absent := filepath.Join(folder, "absent.ipynb")
	for arguments, want := range map[string]string{
		"run":                                 "gosphere: <file> is missing\n",
		"run absent.ipynb":                    "gosphere: no file " + absent + "\n",
		"run a.ipynb absent.ipynb":            "gosphere: no file " + absent + "\n",
		"run .":                               "gosphere: " + folder + " is a folder without Go files\n",
		"diff a.ipynb":                        "gosphere: <new> is missing\n",
		"diff a.ipynb absent.ipynb":           "gosphere: no file " + absent + "\n",
		"export a.ipynb":                      "gosphere: missing flags: --to=go|html|markdown|slides|latex\n",
		"export a.ipynb --to pdf":             `gosphere: --to must be one of "go","html","markdown","slides","latex" but got "pdf"` + "\n",
		"table --paper elip":                  `gosphere: --paper must be one of "AsymVLM","ELIP","ProLIP" but got "elip"` + "\n",
		"eval --dataset /no/folder":           "gosphere: no folder /no/folder\n",
		"run a.ipynb --timeout 1":             `gosphere: --timeout: expected duration but got "1": time: missing unit in duration "1"` + "\n",
		"export a.ipynb --to go --no-code":    "gosphere: --no-code is for html and slides, not for go\n",
		"export a.ipynb --to html -o .":       "gosphere: " + folder + " is a folder: name a file with --output\n",
		"export a.ipynb --to html --stored":   "gosphere: --stored is for latex, not for html, which never runs the notebook\n",
		"export a.ipynb --to html --source .": "gosphere: --source is for go, not for html\n",
		"check a.txt":                         "gosphere: no file a.txt\n",
	} {
		var stdout, stderr bytes.Buffer
		status := Main(strings.Fields(arguments), session.Packages{}, &stdout, &stderr)
		if status == 0 || !strings.HasPrefix(stderr.String(), want) || stdout.Len() > 0 {
			t.Errorf("%s: status %d, printed %q and %q, want %q", arguments, status, stdout.String(), stderr.String(), want)
		}
	}
}
