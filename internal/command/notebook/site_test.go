package notebook

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gosphere/kernel/nbformat"
)

// writeSite makes a folder with a notebook and a folder that looks like the kernel for browsers.
func writeSite(t *testing.T) Site {
	t.Helper()
	root := t.TempDir()
	s := Site{Notebooks: filepath.Join(root, "notebooks"), Output: filepath.Join(root, "site"), Title: "Reruns", Extension: filepath.Join(root, "gosphere-browser")}
	for _, folder := range []string{s.Notebooks, filepath.Join(s.Extension, "static")} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := nbformat.WriteFile(filepath.Join(s.Notebooks, "a.ipynb"), nbformat.New()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.Extension, "static", "gosphere.json"), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	return s
}

// fakePython returns a program that reports a version of jupyterlite-core and copies the
// configuration of a build to the folder of the site.
func fakePython(t *testing.T, s Site, version string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	name := filepath.Join(t.TempDir(), "python")
	script := "#!/bin/sh\nif [ \"$1\" = -c ]; then echo " + version + "; exit; fi\nmkdir -p '" + s.Output + "' && cp \"$5\"/*.json '" + s.Output + "' && echo own >'" + s.Output + "/service-worker.js'\n" +
		"mkdir -p '" + s.Output + "/build/themes' && touch '" + s.Output + "/build/1.js' '" + s.Output + "/build/themes/dark.css' '" + s.Output + "/build/1.json'\n"
	if err := os.WriteFile(name, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestSiteIsBuiltWithTheKernelAndTheNotebooks(t *testing.T) {
	s := writeSite(t)
	s.Python = fakePython(t, s, liteVersion)
	var out strings.Builder
	for range 2 { // the second run replaces the site
		if err := s.build(context.Background(), &out); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(out.String(), s.Output+": 1 notebooks\n") {
		t.Errorf("it printed %q", out.String())
	}
	worker, err := os.ReadFile(filepath.Join(s.Output, "service-worker.js"))
	if err != nil {
		t.Fatal(err)
	}
	if first, own, _ := strings.Cut(string(worker), "\n"); !strings.Contains(first, "static/offline.js") || own != "own\n" {
		t.Errorf("the service worker is %q", worker)
	}
	page, err := os.ReadFile(filepath.Join(s.Output, "extensions", "gosphere-browser", "static", "page.json"))
	if want := `["build/1.js","build/themes/dark.css"]`; err != nil || string(page) != want {
		t.Errorf("the page consists of %s, %v, want %s", page, err, want)
	}
	var config struct {
		LiteBuildConfig struct {
			Contents            []string
			FederatedExtensions []string `json:"federated_extensions"`
		}
	}
	text, err := os.ReadFile(filepath.Join(s.Output, "jupyter_lite_config.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	if c := config.LiteBuildConfig; c.Contents[0] != s.Notebooks || c.FederatedExtensions[0] != s.Extension {
		t.Errorf("the build has %+v", c)
	}
}

func TestSiteTakesThePythonOfARelativePath(t *testing.T) {
	s := writeSite(t)
	python := fakePython(t, s, liteVersion)
	t.Chdir(filepath.Dir(filepath.Dir(python)))
	s.Python = filepath.Join(filepath.Base(filepath.Dir(python)), filepath.Base(python))
	if err := s.build(context.Background(), new(strings.Builder)); err != nil {
		t.Error(err)
	}
}

func TestSiteRefusesWhatItCannotBuild(t *testing.T) {
	for want, change := range map[string]func(s *Site){
		"it is not the kernel for browsers": func(s *Site) { s.Extension = s.Notebooks },
		"no notebook (*.ipynb)": func(s *Site) {
			s.Notebooks = s.Extension
		},
		"is not a site of this command":                   func(s *Site) { s.Output = s.Notebooks },
		"has jupyterlite-core 0.1.2, want " + liteVersion: func(s *Site) { s.Python = fakePython(t, *s, "0.1.2") },
		"not found: name a Python":                        func(s *Site) { s.Python = "no-such-python" },
	} {
		s := writeSite(t)
		change(&s)
		if err := s.build(context.Background(), new(strings.Builder)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}
