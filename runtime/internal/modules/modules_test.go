package modules

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/internal/testing/modulestest"
)

// newSet returns a set whose only source is a proxy in a folder.
func newSet(t *testing.T) (*Set, *modulestest.Proxy) {
	t.Helper()
	p := modulestest.New(t)
	p.Use()
	return New(FromEnvironment()), p
}

func mustRequire(t *testing.T, s *Set, specs ...string) []Change {
	t.Helper()
	changes, err := s.Require(t.Context(), nil, specs...)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func TestRequireFindsVersions(t *testing.T) {
	s, p := newSet(t)
	for _, v := range []string{"v1.0.0", "v1.2.0", "v1.3.0-rc.1", "v1.10.0"} {
		p.Add("example.com/a", v, map[string]string{"a.go": "package a"})
	}
	for query, want := range map[string]string{"": "v1.10.0", "@latest": "v1.10.0", "@v1.2.0": "v1.2.0", "@v1": "v1.10.0", "@v1.2": "v1.2.0", "@v1.3.0-rc.1": "v1.3.0-rc.1"} {
		mustRequire(t, s, "example.com/a"+query)
		if got := s.selected["example.com/a"]; got != want {
			t.Errorf("%q gives %s, want %s", query, got, want)
		}
	}
	for query, want := range map[string]string{"@v9.9.9": "v9.9.9", "@nothing": "not found", "@v3": "not found"} {
		if _, err := s.Require(t.Context(), nil, "example.com/a"+query); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", query, err)
		}
	}
	if _, err := s.Require(t.Context(), nil, "example.com/../x"); err == nil {
		t.Error("a path with dots is accepted")
	}
}

func TestSelectionTakesTheHighestRequirement(t *testing.T) {
	s, p := newSet(t)
	p.Add("example.com/a", "v1.0.0", map[string]string{"go.mod": "module example.com/a\ngo 1.20\nrequire (\n example.com/b v1.1.0\n example.com/c v1.0.0\n)", "a.go": "package a"})
	p.Add("example.com/b", "v1.1.0", map[string]string{"go.mod": "module example.com/b\ngo 1.20\nrequire (\n example.com/c v1.4.0\n example.com/far v1.0.0\n)", "b.go": "package b"})
	p.Add("example.com/c", "v1.0.0", map[string]string{"c.go": "package c"})
	p.Add("example.com/c", "v1.4.0", map[string]string{"c.go": "package c"})
	p.Add("example.com/old", "v1.0.0", map[string]string{"go.mod": "module example.com/old\ngo 1.16\nrequire example.com/b v1.1.0", "o.go": "package old"})
	p.Add("example.com/far", "v1.0.0", map[string]string{"f.go": "package far"})
	mustRequire(t, s, "example.com/a@v1.0.0")
	if got := s.selected["example.com/c"]; got != "v1.0.0" {
		t.Errorf("c is %s: the requirements of b are not those of a pruned graph", got)
	}
	if _, ok := s.selected["example.com/far"]; ok {
		t.Error("far is selected, which only a module requires that a requires")
	}
	mustRequire(t, s, "example.com/old@v1.0.0")
	if s.selected["example.com/c"] != "v1.4.0" || s.selected["example.com/far"] != "v1.0.0" {
		t.Errorf("a module from before Go 1.17 brings %v", s.selected)
	}
}

func TestPackagesAreFoundInTheLongestModule(t *testing.T) {
	s, p := newSet(t)
	p.Add("example.com/a", "v1.0.0", map[string]string{"a.go": "package a", "sub/s.go": "package sub", "deep/x/x.go": "package x"})
	p.Add("example.com/a/deep", "v1.5.0", map[string]string{"x/x.go": "package x"})
	p.Add("example.com/Upper", "v1.0.0", map[string]string{"u.go": "package upper"})
	mustRequire(t, s, "example.com/a@v1.0.0", "example.com/a/deep@v1.5.0", "example.com/Upper@v1.0.0")
	for path, want := range map[string]string{
		"example.com/a": "example.com/a@v1.0.0", "example.com/a/sub": "example.com/a@v1.0.0",
		"example.com/a/deep/x": "example.com/a/deep@v1.5.0", "example.com/Upper": "example.com/Upper@v1.0.0",
	} {
		place, err := s.Find(t.Context(), nil, path)
		if err != nil || place.Module.String() != want || place.GoVersion != "go1.21" {
			t.Errorf("%s is found in %+v, %v", path, place, err)
		}
	}
	for _, path := range []string{"example.com/a/none", "example.org/x"} {
		_, err := s.Find(t.Context(), nil, path)
		var unknown *UnknownError
		if !errors.As(err, &unknown) || (unknown.Known == "") != strings.HasPrefix(path, "example.org") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestChangedModulesAreRefused(t *testing.T) {
	s, p := newSet(t)
	p.Add("example.com/a", "v1.0.0", map[string]string{"a.go": "package a"})
	mustRequire(t, s, "example.com/a@v1.0.0")
	if _, err := s.Find(t.Context(), nil, "example.com/a"); err != nil {
		t.Fatal(err)
	}
	_, sums := s.Requirements()
	if len(sums) != 2 || !strings.HasPrefix(sums[0], "example.com/a v1.0.0 h1:") {
		t.Fatalf("sums are %q", sums)
	}
	// Another kernel with a separate cache receives other content under the same version.
	other, q := newSet(t)
	q.Add("example.com/a", "v1.0.0", map[string]string{"a.go": "package a // changed"})
	other.Lock(nil, sums, false)
	if _, err := other.Require(t.Context(), nil, "example.com/a@v1.0.0"); err != nil {
		t.Fatal(err)
	}
	_, err := other.Find(t.Context(), nil, "example.com/a")
	var mismatch *MismatchError
	if !errors.As(err, &mismatch) {
		t.Fatalf("a changed module gives %v", err)
	}
	if dir, _ := other.unpacked(mismatch.Module); dirExists(dir) {
		t.Error("a changed module was unpacked")
	}
	if name, _ := other.file(mismatch.Module, ".zip"); dirExists(name) {
		t.Error("the zip file of a changed module stays in the cache")
	}
}

func TestLockedVersionsStay(t *testing.T) {
	s, p := newSet(t)
	for _, v := range []string{"v1.0.0", "v1.1.0"} {
		p.Add("example.com/a", v, map[string]string{"a.go": "package a"})
	}
	p.Add("example.com/b", "v1.0.0", map[string]string{"b.go": "package b"})
	s.Lock([]string{"example.com/a@v1.0.0"}, nil, false)
	mustRequire(t, s, "example.com/a", "example.com/b")
	if s.selected["example.com/a"] != "v1.0.0" {
		t.Errorf("selected are %v", s.selected)
	}
	s.Lock([]string{"example.com/a@v1.0.0"}, nil, true)
	for spec, want := range map[string]string{"example.com/a@v1.1.0": "has example.com/a in version v1.0.0", "example.com/b": "do not include example.com/b"} {
		if _, err := s.Require(t.Context(), nil, spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
	mustRequire(t, s, "example.com/a@latest")
}

func dirExists(name string) bool { _, err := os.Stat(name); return err == nil }

func TestZipFilesThatLeadOutOfTheirFolderAreRefused(t *testing.T) {
	s, p := newSet(t)
	p.Add("example.com/a", "v1.0.0", map[string]string{"a.go": "package a", "../../out.txt": "x"})
	mustRequire(t, s, "example.com/a@v1.0.0")
	if place, err := s.Find(t.Context(), nil, "example.com/a"); err == nil {
		t.Errorf("found at %v", place)
	}
	if matches, _ := filepath.Glob(filepath.Join(s.environment.Cache, "example.com", "*")); len(matches) > 0 {
		t.Errorf("left are %v", matches)
	}
}

func TestWarmCacheNeedsNoProxy(t *testing.T) {
	s, p := newSet(t)
	p.Add("example.com/a", "v1.0.0", map[string]string{"a.go": "package a"})
	mustRequire(t, s, "example.com/a")
	if _, err := s.Find(t.Context(), nil, "example.com/a"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOPROXY", "off")
	offline := New(FromEnvironment())
	mustRequire(t, offline, "example.com/a@v1.0.0")
	if _, err := offline.Find(t.Context(), nil, "example.com/a"); err != nil {
		t.Error(err)
	}
	mustRequire(t, New(FromEnvironment()), "example.com/a") // the newest in the cache
	if _, err := offline.Require(t.Context(), nil, "example.com/b@v1.0.0"); err == nil || !strings.Contains(err.Error(), "GOPROXY=off") {
		t.Errorf("a module that is not there gives %v", err)
	}
}

func TestUsedVersionsStay(t *testing.T) {
	s, p := newSet(t)
	p.Add("example.com/a", "v1.0.0", map[string]string{"a.go": "package a"})
	p.Add("example.com/a", "v1.1.0", map[string]string{"a.go": "package a"})
	mustRequire(t, s, "example.com/a@v1.0.0")
	if _, err := s.Find(t.Context(), nil, "example.com/a"); err != nil {
		t.Fatal(err)
	}
	_, err := s.Require(t.Context(), nil, "example.com/a@v1.1.0")
	var conflict *ConflictError
	if !errors.As(err, &conflict) || s.selected["example.com/a"] != "v1.0.0" {
		t.Errorf("another version gives %v, selected is %v", err, s.selected)
	}
}

func TestGoModOfTheFolderCounts(t *testing.T) {
	s, p := newSet(t)
	p.Add("example.com/a", "v1.0.0", map[string]string{"a.go": "package a"})
	p.Add("example.com/a", "v1.5.0", map[string]string{"a.go": "package a"})
	p.Add("example.com/b", "v1.0.0", map[string]string{"b.go": "package b"})
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module home\ngo 1.24\nrequire (\n example.com/a v1.0.0\n example.com/b v1.0.0\n example.com/c v0.0.0\n)\nreplace example.com/b => example.com/a v1.5.0\nreplace example.com/c => ./c\n",
		"own/own.go":     "package own",
		"c/go.mod":       "module example.com/c",
		"c/c.go":         "package c",
		"notebooks/x.md": "",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if file, err := s.Open(filepath.Join(dir, "notebooks")); err != nil || file != filepath.Join(dir, "go.mod") {
		t.Fatal(file, err)
	}
	for path, want := range map[string]string{"home/own": filepath.Join(dir, "own"), "example.com/c": filepath.Join(dir, "c")} {
		if place, err := s.Find(t.Context(), nil, path); err != nil || place.Dir != want {
			t.Errorf("%s is found at %+v, %v", path, place, err)
		}
	}
	place, err := s.Find(t.Context(), nil, "example.com/b")
	if err != nil || !strings.HasSuffix(filepath.ToSlash(place.Dir), "example.com/a@v1.5.0") {
		t.Errorf("the replaced module is found at %+v, %v", place, err)
	}
}

// The go command does not read the go.mod files of requirements that provide no package of the
// build, if the go.mod of the main module is of Go 1.17 or later.
func TestUnrelatedRequirementsNeedNotBeReadable(t *testing.T) {
	for version, want := range map[string]string{"1.25": "", "1.16": "example.com/private@v1.0.0"} {
		s, p := newSet(t)
		p.Add("example.com/a", "v1.0.0", map[string]string{"a.go": "package a", "go.mod": "module example.com/a\ngo 1.20\nrequire example.com/b v1.0.0"})
		p.Add("example.com/b", "v1.0.0", map[string]string{"b.go": "package b", "go.mod": "module example.com/b\ngo 1.20"})
		dir := t.TempDir()
		text := "module m\n\ngo " + version + "\n\nrequire (\n\texample.com/private v1.0.0\n\texample.com/a v1.0.0\n\texample.com/b v1.0.0 // indirect\n)\n"
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Open(dir); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"example.com/a", "example.com/b"} {
			place, err := s.Find(t.Context(), nil, path)
			if want == "" && (err != nil || place.Module.Version != "v1.0.0") {
				t.Errorf("go %s: %s: %+v, %v", version, path, place, err)
			}
			if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("go %s: %s: %v, want an error that names %s", version, path, err, want)
			}
		}
		if _, err := s.Find(t.Context(), nil, "example.com/private/x"); err == nil || !strings.Contains(err.Error(), "example.com/private@v1.0.0") {
			t.Errorf("go %s: a package of the private module: %v", version, err)
		}
	}
}

func TestAVersionThatAnotherRequirementRaisesIsAnError(t *testing.T) {
	s, p := newSet(t)
	p.Add("example.com/a", "v1.0.0", map[string]string{"a.go": "package a"})
	p.Add("example.com/a", "v1.1.0", map[string]string{"a.go": "package a"})
	p.Add("example.com/b", "v1.0.0", map[string]string{"b.go": "package b", "go.mod": "module example.com/b\ngo 1.20\nrequire example.com/a v1.1.0"})
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n\ngo 1.25\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.0.0\n)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(dir); err != nil {
		t.Fatal(err)
	}
	if place, err := s.Find(t.Context(), nil, "example.com/a"); err != nil || place.Module.Version != "v1.0.0" {
		t.Fatalf("%+v, %v", place, err)
	}
	if _, err := s.Find(t.Context(), nil, "example.com/unknown"); err == nil || !strings.Contains(err.Error(), "requires example.com/a v1.0.0, but another requirement needs v1.1.0: update the file with go mod tidy") {
		t.Errorf("got %v", err)
	}
}

func TestVendorFolderServesPackages(t *testing.T) {
	s, p := newSet(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                      "module home\ngo 1.24\nrequire example.com/a v1.0.0\n",
		"vendor/modules.txt":          "# example.com/a v1.0.0\n## explicit; go 1.19\nexample.com/a\n",
		"vendor/example.com/a/a.go":   "package a",
		"vendor/example.com/a/b/b.go": "package b",
	} {
		_ = os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Open(dir); err != nil {
		t.Fatal(err)
	}
	place, err := s.Find(t.Context(), nil, "example.com/a")
	if err != nil || place.GoVersion != "go1.19" || place.Module.Version != "v1.0.0" {
		t.Errorf("found %+v, %v", place, err)
	}
	if _, err := s.Find(t.Context(), nil, "example.com/a/b"); err == nil {
		t.Error("a package that modules.txt does not list is found")
	}
	var unknown *UnknownError
	_, err = s.Find(t.Context(), nil, "example.org/other")
	if !errors.As(err, &unknown) || unknown.Missing() != "" || !strings.Contains(err.Error(), filepath.Join(dir, "vendor")+" does not have it") || !strings.Contains(err.Error(), "go mod vendor") {
		t.Errorf("a module that is not in the vendor folder gives %v", err)
	}
	if _, err := s.Require(t.Context(), nil, "example.com/b@v1.0.0"); err == nil || !strings.Contains(err.Error(), "vendor") {
		t.Errorf("requiring beside a vendor folder gives %v", err)
	}
	p.Add("example.com/a", "v1.0.0", map[string]string{"a.go": "package a"})
	for flags, vendored := range map[string]bool{"-mod=vendor": true, "-mod=mod": false, "-mod=vendor -mod=readonly": false, "-v --mod=vendor": true} {
		t.Setenv("GOFLAGS", flags)
		s := New(FromEnvironment())
		if _, err := s.Open(dir); err != nil {
			t.Fatal(err)
		}
		if place, err := s.Find(t.Context(), nil, "example.com/a"); err != nil || strings.Contains(place.Dir, "vendor") != vendored {
			t.Errorf("with GOFLAGS=%s the package is in %+v, %v", flags, place, err)
		}
	}
}

func TestInterruptLeavesEverythingAsItWas(t *testing.T) {
	s, p := newSet(t)
	p.Add("example.com/a", "v1.0.0", map[string]string{"a.go": "package a"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Require(ctx, nil, "example.com/a@v1.0.0"); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted requirement gives %v", err)
	}
	if _, err := s.Find(t.Context(), nil, "example.com/a"); err == nil {
		t.Error("an interrupted requirement counts")
	}
	mustRequire(t, s, "example.com/a@v1.0.0")
}

func TestProxiesAreAskedInOrder(t *testing.T) {
	s, p := newSet(t)
	p.Add("example.com/a", "v1.0.0", map[string]string{"a.go": "package a"})
	empty := "file://" + filepath.ToSlash(t.TempDir())
	for setting, works := range map[string]bool{
		empty + "," + p.URL(): true, empty + "|" + p.URL(): true, "https://127.0.0.1:1|" + p.URL(): true,
		"https://127.0.0.1:1," + p.URL(): false, "off," + p.URL(): false, empty: false, "ftp://x": false,
	} {
		s.environment.Proxy = setting
		_, err := s.Require(t.Context(), nil, "example.com/a@latest")
		if (err == nil) != works {
			t.Errorf("GOPROXY=%s: %v", setting, err)
		}
	}
}

func TestCredentialsAreThoseOfTheHost(t *testing.T) {
	file := filepath.Join(t.TempDir(), "netrc")
	if err := os.WriteFile(file, []byte("machine a.example login x password y\nmachine b.example\n\tlogin bob password secret\ndefault login d password e\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]string{"a.example": "x y", "b.example": "bob secret", "c.example": ""} {
		login, password, ok := credentials(file, host)
		if got := strings.TrimSpace(login + " " + password); ok != (want != "") || got != want {
			t.Errorf("%s: %q, %t, want %q", host, got, ok, want)
		}
	}
}

// The file that NETRC names opens a proxy that requires a password, by https alone. It gives no
// password to a redirect that leaves https.
func TestProxiesGetTheCredentialsOfTheNetrcFile(t *testing.T) {
	p := modulestest.New(t)
	p.Use()
	p.Add("example.com/secret", "v1.0.0", map[string]string{"s.go": "package secret"})
	files := http.FileServer(http.Dir(p.Dir))
	guarded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if login, password, _ := r.BasicAuth(); login != "ann" || password != "key" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		files.ServeHTTP(w, r)
	})
	secure, plain := httptest.NewTLSServer(guarded), httptest.NewServer(guarded)
	defer secure.Close()
	defer plain.Close()
	moved := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, plain.URL+r.URL.Path, http.StatusFound)
	}))
	defer moved.Close()
	netrc := filepath.Join(t.TempDir(), "passwords")
	t.Setenv("NETRC", netrc)
	for _, test := range []struct{ proxy, entry, want string }{
		{secure.URL, "machine 127.0.0.1 login ann password key", ""},
		{secure.URL, "machine 127.0.0.1 login ann password wrong", "401"},
		{secure.URL, "default login ann password key", "401"},
		{plain.URL, "machine 127.0.0.1 login ann password key", "401"},
		{strings.Replace(plain.URL, "//", "//ann:key@", 1), "", ""},
		{moved.URL, "machine 127.0.0.1 login ann password key", "redirected from a secure URL"},
	} {
		if err := os.WriteFile(netrc, []byte(test.entry), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("GOMODCACHE", t.TempDir())
		t.Setenv("GOPROXY", test.proxy)
		s := New(FromEnvironment())
		trusted := secure.Client().Transport.(*http.Transport).Clone()
		s.client.Transport = trusted
		_, err := s.Require(t.Context(), nil, "example.com/secret@v1.0.0")
		if got := fmt.Sprint(err); (err == nil) != (test.want == "") || err != nil && !strings.Contains(got, test.want) {
			t.Errorf("%s with %q: %v, want %q", test.proxy, test.entry, err, test.want)
		}
		if err != nil && strings.Contains(err.Error(), "key") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
}

// The requirements of an export are those that its packages use, in the versions with which the
// cells ran.
func TestClosureTakesPreferredVersionsOfUsedModules(t *testing.T) {
	s, p := newSet(t)
	p.Add("example.com/a", "v1.0.0", map[string]string{
		"go.mod": "module example.com/a\ngo 1.21\nrequire example.com/b v1.0.0\nrequire example.com/rest v1.0.0",
		"a.go":   "package a\nimport _ \"example.com/b\"",
		"no.go":  "//go:build ignore && linux\npackage main\nimport _ \"example.com/tool\"",
	})
	for _, v := range []string{"v1.0.0", "v1.4.0"} {
		p.Add("example.com/b", v, map[string]string{"b.go": "//go:build !riscv64 && !loong64\npackage b\nimport _ \"example.com/c\""})
	}
	p.Add("example.com/c", "v1.0.0", map[string]string{"c.go": "package c", "c_plan9.go": "package c\nimport _ \"example.com/plan9\""})
	p.Add("example.com/rest", "v1.0.0", map[string]string{"r.go": "package rest"})
	mustRequire(t, s, "example.com/a@v1.0.0", "example.com/b@v1.0.0")
	if _, err := s.Find(t.Context(), nil, "example.com/b"); err != nil {
		t.Fatal(err)
	}
	prefer := map[string]string{"example.com/b": "v1.4.0", "example.com/c": "v1.0.0", "example.com/unused": "v1.0.0"}
	needed, sums, err := s.Closure(t.Context(), nil, []string{"example.com/a", "fmt", "own/x"}, prefer, func(path string) bool { return path == "own/x" })
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, n := range needed {
		list = append(list, fmt.Sprintf("%s %t", n.Version, n.Direct))
	}
	if got := strings.Join(list, ", "); got != "example.com/a@v1.0.0 true, example.com/b@v1.4.0 false, example.com/c@v1.0.0 false" {
		t.Errorf("needed are %s", got)
	}
	var summed []string
	for _, line := range sums {
		summed = append(summed, strings.Join(strings.Fields(line)[:2], "@"))
	}
	want := "example.com/a@v1.0.0 example.com/a@v1.0.0/go.mod example.com/b@v1.4.0 example.com/b@v1.4.0/go.mod example.com/c@v1.0.0 example.com/c@v1.0.0/go.mod"
	if got := strings.Join(summed, " "); got != want {
		t.Errorf("sums are of\n%s, want\n%s", got, want)
	}
	if place, err := s.Find(t.Context(), nil, "example.com/b"); err != nil || place.Module.Version != "v1.0.0" {
		t.Errorf("afterwards cells find %v, %v", place, err)
	}
}
