package main

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"log"
	"path"
	"strings"
	"text/template"
	"time"
)

// templates are the installers and the manifests of package managers.
//
//go:embed manifests
var templates embed.FS

// places maps templates to the paths of their results. The installers are in the folder of the
// archives, the manifests in folders named after their package managers.
var places = map[string]string{
	"install.sh":               "install.sh",
	"install.ps1":              "install.ps1",
	"gosphere.rb":              "homebrew/gosphere.rb",
	"scoop.json":               "scoop/gosphere.json",
	"winget.yaml":              "winget/Gosphere.Gosphere.yaml",
	"winget.installer.yaml":    "winget/Gosphere.Gosphere.installer.yaml",
	"winget.locale.en-US.yaml": "winget/Gosphere.Gosphere.locale.en-US.yaml",
	"recipe.yaml":              "conda/recipe.yaml",
}

// needs are the systems whose archives a manifest refers to. A manifest without one of them would
// be invalid.
var needs = map[string][]string{
	"gosphere.rb": {"linux", "darwin"}, "scoop.json": {"windows"}, "winget.yaml": {"windows"},
	"winget.installer.yaml": {"windows"}, "winget.locale.en-US.yaml": {"windows"}, "recipe.yaml": {"linux", "darwin", "windows"},
}

// manifests writes the installers and, if the URL of a repository is known, the manifests. Without
// one the installers take the archives from their own folder.
func (r *release) manifests() error {
	if r.repository == "" {
		log.Print("no manifests for package managers, and installers that download nothing: name the repository with make release REPOSITORY=URL, or add a remote origin to git")
	}
	all, err := template.New("").Funcs(template.FuncMap{"upper": strings.ToUpper}).ParseFS(templates, "manifests/*")
	if err != nil {
		return err
	}
	entries, err := fs.ReadDir(templates, "manifests")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := path.Base(entry.Name())
		if r.repository == "" && needs[name] != nil {
			continue
		}
		if missing := r.missing(needs[name]); missing != "" {
			log.Printf("no %s: it needs the archive for %s", places[name], missing)
			continue
		}
		var text bytes.Buffer
		if err := all.ExecuteTemplate(&text, name, manifest{r}); err != nil {
			return err
		}
		content := text.Bytes()
		if path.Ext(name) == ".ps1" {
			content = bytes.ReplaceAll(content, []byte("\n"), []byte("\r\n"))
		}
		if err := r.write(places[name], content); err != nil {
			return err
		}
	}
	return nil
}

// missing returns a platform of the systems that this release lacks, or "".
func (r *release) missing(systems []string) string {
	for _, system := range systems {
		for _, arch := range []string{"amd64", "arm64"} {
			if r.sums[r.archiveName(target{system, arch})] == "" {
				return system + "/" + arch
			}
		}
	}
	return ""
}

// A manifest provides the data for the templates.
type manifest struct{ r *release }

// Version returns the version with its v.
func (m manifest) Version() string { return m.r.version }

// Number returns the version without its v.
func (m manifest) Number() string { return strings.TrimPrefix(m.r.version, "v") }

// CondaVersion returns the version in conda's format.
func (m manifest) CondaVersion() string { return m.r.pythonVersion() }

// Repository returns the URL of the repository.
func (m manifest) Repository() string { return m.r.repository }

// Date returns the date of the release.
func (m manifest) Date() string { return m.r.time.Format(time.DateOnly) }

// URL returns the URL of a platform's archive.
func (m manifest) URL(system, arch string) string {
	return m.r.repository + "/releases/download/" + m.r.version + "/" + m.r.archiveName(target{system, arch})
}

// Sum returns the SHA-256 of a platform's archive.
func (m manifest) Sum(system, arch string) (string, error) {
	sum := m.r.sums[m.r.archiveName(target{system, arch})]
	if sum == "" {
		return "", fmt.Errorf("there is no archive for %s/%s", system, arch)
	}
	return sum, nil
}

// A source is an archive in the recipe for conda.
type source struct{ Condition, URL, Sum string }

// Conda returns the archives of all platforms.
func (m manifest) Conda() ([]source, error) {
	var sources []source
	for _, t := range platforms {
		sum, err := m.Sum(t.os, t.arch)
		if err != nil {
			return nil, err
		}
		system := map[string]string{"linux": "linux", "darwin": "osx", "windows": "win"}[t.os]
		processor := map[string]string{"amd64": "x86_64", "arm64": "arm64"}[t.arch]
		if t == (target{"linux", "arm64"}) {
			processor = "aarch64"
		}
		sources = append(sources, source{system + " and " + processor, m.URL(t.os, t.arch), sum})
	}
	return sources, nil
}
