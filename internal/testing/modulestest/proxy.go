// Package modulestest makes module proxies in folders, for tests.
package modulestest

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
)

// A Proxy is a folder with module files in the layout that GOPROXY=file://… requires.
type Proxy struct {
	Dir string
	t   testing.TB
}

// New returns an empty proxy.
func New(t testing.TB) *Proxy { return In(t, t.TempDir()) }

// In returns an empty proxy in a folder.
func In(t testing.TB, dir string) *Proxy { return &Proxy{dir, t} }

// URL returns the GOPROXY entry for the proxy.
func (p *Proxy) URL() string { return "file://" + filepath.ToSlash(p.Dir) }

// Add adds a version of a module. files maps names to contents. If there is no go.mod, Add makes
// one with the module path.
func (p *Proxy) Add(path, version string, files map[string]string) {
	p.t.Helper()
	if _, ok := files["go.mod"]; !ok {
		with := map[string]string{"go.mod": "module " + path + "\n\ngo 1.21\n"}
		for name, text := range files {
			with[name] = text
		}
		files = with
	}
	escaped, err := module.EscapePath(path)
	if err != nil {
		p.t.Fatal(err)
	}
	dir := filepath.Join(p.Dir, filepath.FromSlash(escaped), "@v")
	p.write(filepath.Join(dir, version+".mod"), files["go.mod"])
	p.write(filepath.Join(dir, version+".info"), fmt.Sprintf(`{"Version":%q,"Time":"2026-01-02T03:04:05Z"}`, version))
	list, _ := os.ReadFile(filepath.Join(dir, "list"))
	p.write(filepath.Join(dir, "list"), string(list)+version+"\n")
	var b strings.Builder
	w := zip.NewWriter(&b)
	for name, text := range files {
		f, err := w.Create(path + "@" + version + "/" + name)
		if err == nil {
			_, err = io.WriteString(f, text)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		p.t.Fatal(err)
	}
	p.write(filepath.Join(dir, version+".zip"), b.String())
}

func (p *Proxy) write(name, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
}

// Use sets the environment so that only this proxy and a separate module cache are used.
func (p *Proxy) Use() {
	cache := filepath.Join(p.t.TempDir(), "mod")
	p.t.Cleanup(func() { // the folders are read-only
		_ = filepath.WalkDir(cache, func(name string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				_ = os.Chmod(name, 0o777)
			}
			return nil
		})
	})
	for name, value := range map[string]string{"GOPROXY": p.URL(), "GOSUMDB": "off", "GOMODCACHE": cache, "GOFLAGS": "", "GONOSUMDB": "", "GOPRIVATE": "", "GOWORK": "off"} {
		if setter, ok := p.t.(interface{ Setenv(string, string) }); ok {
			setter.Setenv(name, value)
		}
	}
}
