package modules

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// commit commits files and tags the commit unless the tag is "".
func gitRepository(t *testing.T) (dir string, commit func(tag string, files map[string]string)) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on PATH")
	}
	dir = t.TempDir()
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull, "GIT_CONFIG_COUNT": "1",
		"GIT_CONFIG_KEY_0": "url.file://" + filepath.ToSlash(dir) + ".insteadOf", "GIT_CONFIG_VALUE_0": "https://github.com/some/repo",
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com",
		"GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
	} {
		t.Setenv(name, value)
	}
	run := func(arguments ...string) {
		t.Helper()
		if _, err := git(t.Context(), dir, arguments...); err != nil {
			t.Fatal(err)
		}
	}
	run("init", "--quiet", "--initial-branch=main")
	return dir, func(tag string, files map[string]string) {
		t.Helper()
		for name, text := range files {
			file := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		run("add", "-A")
		run("commit", "--quiet", "-m", "x")
		if tag != "" {
			run("tag", tag)
		}
	}
}

func TestModulesComeFromTheirRepositories(t *testing.T) {
	_, commit := gitRepository(t)
	commit("v1.0.0", map[string]string{"go.mod": "module github.com/some/repo\ngo 1.21\n", "a.go": "package repo\nconst A = 1", "sub/go.mod": "module github.com/some/repo/sub\n", "sub/s.go": "package sub"})
	commit("sub/v0.2.0", map[string]string{"sub/s.go": "package sub\nconst S = 2"})
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOPROXY", "direct")
	t.Setenv("GONOSUMDB", "*")
	t.Setenv("GOFLAGS", "")
	fresh := func() *Set { return New(FromEnvironment()) }
	s := fresh()
	mustRequire(t, s, "github.com/some/repo", "github.com/some/repo/sub@latest")
	if a, b := s.Selected("github.com/some/repo"), s.Selected("github.com/some/repo/sub"); a != "v1.0.0" || b != "v0.2.0" {
		t.Errorf("selected are %s and %s", a, b)
	}
	place, err := s.Find(t.Context(), nil, "github.com/some/repo/sub")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(place.Dir, "s.go")); err != nil || !strings.Contains(string(text), "S = 2") {
		t.Errorf("%v, %s", err, text)
	}
	commit("v1.1.0", map[string]string{"a.go": "package repo\nconst A = 2"}) // after the clone was made
	commit("", map[string]string{"a.go": "package repo\nconst A = 3"})
	s = fresh()
	mustRequire(t, s, "github.com/some/repo@v1.1.0")
	mustRequire(t, s, "github.com/some/repo@main")
	if v := s.Selected("github.com/some/repo"); !strings.HasPrefix(v, "v1.1.1-0.20260102030405-") && !strings.HasPrefix(v, "v0.0.0-20260102030405-") {
		t.Errorf("the branch is %s", v)
	}
	place, err = s.Find(t.Context(), nil, "github.com/some/repo")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(place.Dir, "a.go")); err != nil || !strings.Contains(string(text), "A = 3") {
		t.Errorf("%v, %s", err, text)
	}
	if _, err := fresh().Require(t.Context(), nil, "github.com/some/repo@v3.0.0"); err == nil {
		t.Error("a version that is not there is found")
	}
}

// Private modules come from their repositories although the proxy has others of their name, and the
// checksum database, which cannot be reached, is not asked.
func TestPrivateModulesComeFromTheirRepositories(t *testing.T) {
	_, p := newSet(t)
	_, commit := gitRepository(t)
	commit("v1.0.0", map[string]string{"go.mod": "module github.com/some/repo\ngo 1.21\n", "a.go": "package repo // own"})
	p.Add("github.com/some/repo", "v1.0.0", map[string]string{"a.go": "package repo // of the proxy"})
	t.Setenv("GOSUMDB", "sum.invalid+01234567+AAAA")
	t.Setenv("GONOSUMDB", "")
	for private, want := range map[string]string{"github.com/some/*": "own", "": "of the proxy"} {
		t.Setenv("GOMODCACHE", t.TempDir())
		t.Setenv("GOPRIVATE", private)
		if private == "" {
			t.Setenv("GONOSUMDB", "github.com/some") // the database only
		}
		s := New(FromEnvironment())
		mustRequire(t, s, "github.com/some/repo@v1.0.0")
		place, err := s.Find(t.Context(), nil, "github.com/some/repo")
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(filepath.Join(place.Dir, "a.go")); err != nil || !strings.HasSuffix(string(text), want) {
			t.Errorf("with GOPRIVATE=%s the source is %q, %v", private, text, err)
		}
		t.Setenv("GONOSUMDB", "")
	}
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOPRIVATE", "")
	s := New(FromEnvironment())
	if _, err := s.Require(t.Context(), nil, "github.com/some/repo@v1.0.0"); err == nil {
		if _, err = s.Find(t.Context(), nil, "github.com/some/repo"); err == nil {
			t.Error("a public module is used without the checksum database")
		}
	}
}

func TestGoWorkOfTheFolderCounts(t *testing.T) {
	s, p := newSet(t)
	t.Setenv("GOWORK", "")
	p.Add("example.com/dep", "v1.0.0", map[string]string{"d.go": "package dep"})
	p.Add("example.com/dep", "v1.2.0", map[string]string{"d.go": "package dep"})
	p.Add("example.com/gone", "v1.0.0", map[string]string{"g.go": "package gone"})
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.work":      "go 1.21\nuse (\n\t./one\n\t./two\n)\nreplace example.com/gone => ./here\n",
		"one/go.mod":   "module example.com/one\ngo 1.21\nrequire example.com/dep v1.0.0\n",
		"one/o.go":     "package one",
		"two/go.mod":   "module example.com/two\ngo 1.21\nrequire (\n\texample.com/dep v1.2.0\n\texample.com/gone v1.0.0\n)\n",
		"two/in/t.go":  "package in",
		"here/go.mod":  "module example.com/gone\ngo 1.21\n",
		"here/g.go":    "package gone",
		"notes/nb.txt": "",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	file, err := s.Open(filepath.Join(dir, "notes"))
	if err != nil || filepath.Base(file) != "go.work" {
		t.Fatal(file, err)
	}
	for path, want := range map[string]string{"example.com/one": filepath.Join(dir, "one"), "example.com/two/in": filepath.Join(dir, "two", "in"), "example.com/gone": filepath.Join(dir, "here")} {
		if place, err := s.Find(t.Context(), nil, path); err != nil || place.Dir != want {
			t.Errorf("%s is in %v, %v; want %s", path, place, err, want)
		}
	}
	if place, err := s.Find(t.Context(), nil, "example.com/dep"); err != nil || place.Module.Version != "v1.2.0" {
		t.Errorf("%v, %v", place, err)
	}
}
