package main

import (
	"bytes"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/runtime/internal/packages"
)

// committed is the path of package symbols relative to this package.
const committed = ".."

// needGenerator skips the test if the generator cannot run or would describe another release.
func needGenerator(t *testing.T) {
	t.Helper()
	out, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		t.Skip("the go command is not there to generate with")
	}
	version := strings.TrimSpace(string(out))
	if made := openCommitted(t, platforms[0]).GoVersion(); made != version {
		t.Skipf("the tables were made with %s, this is %s", made, version)
	}
}

func openCommitted(t *testing.T, p platform) *packages.Store {
	t.Helper()
	var archive []byte
	for _, name := range []string{"shared", p.os + "_" + p.arch} {
		data, err := os.ReadFile(filepath.Join(committed, "archive", name+".bin"))
		if err != nil {
			t.Fatal(err)
		}
		archive = append(archive, data...)
	}
	return open(t, archive)
}

func open(t *testing.T, archive []byte) *packages.Store {
	t.Helper()
	store, err := packages.Open(string(archive))
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// Only a few packages, so that it can run with the fast tests. Some of them differ between
// platforms.
func TestGeneratingSomePackagesAgainChangesNothing(t *testing.T) {
	needGenerator(t)
	paths := []string{"fmt", "log/syslog", "math", "os", "path/filepath", "slices", "unsafe"}
	files, err := generate(committed, selection{only: paths})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if !strings.HasPrefix(name, "table_") {
			continue
		}
		kept, err := os.ReadFile(filepath.Join(committed, name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(kept, data) {
			t.Errorf("%s is not what the generator writes: run make symbols", name)
		}
	}
	for _, p := range platforms {
		archive := slices.Concat(files["archive/shared.bin"], files["archive/"+p.os+"_"+p.arch+".bin"])
		samePackages(t, p, paths, openCommitted(t, p), open(t, archive))
	}
}

func samePackages(t *testing.T, p platform, paths []string, a, b *packages.Store) {
	t.Helper()
	for _, path := range paths {
		left, err := a.Import(path)
		if err != nil {
			t.Error(err)
			continue
		}
		right, err := b.Import(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if a.Doc(path, "") != b.Doc(path, "") {
			t.Errorf("%s for %s has another text than the generator finds", path, p)
		}
		if !slices.Equal(left.Scope().Names(), right.Scope().Names()) {
			t.Errorf("%s for %s exports %v, the generator finds %v", path, p, left.Scope().Names(), right.Scope().Names())
			continue
		}
		for _, name := range left.Scope().Names() {
			x, y := describeObject(a, left.Scope().Lookup(name)), describeObject(b, right.Scope().Lookup(name))
			if x != y {
				t.Errorf("%s.%s for %s is\n%s\nthe generator finds\n%s", path, name, p, x, y)
			}
		}
	}
}

// describeObject writes an object with its methods and their documentation.
func describeObject(store *packages.Store, object types.Object) string {
	path := object.Pkg().Path()
	text := object.String() + "\n" + store.Doc(path, object.Name())
	if name, ok := object.(*types.TypeName); ok {
		methods := types.NewMethodSet(types.NewPointer(name.Type()))
		for i := range methods.Len() {
			method := methods.At(i).Obj()
			text += "\n" + method.String() + "\n" + store.Doc(path, name.Name()+"."+method.Name())
		}
	}
	return text
}

// committedOwn returns our own packages in the committed tables.
func committedOwn(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(openCommitted(t, platforms[0]).Paths(), func(p string) bool { return !strings.HasPrefix(p, "gosphere/") })
}

// Our own packages change more often than the release of Go. If this test fails, run the generator
// again.
func TestTablesOfOwnPackagesFollowTheirSource(t *testing.T) {
	needGenerator(t)
	paths := committedOwn(t)
	if len(paths) == 0 {
		t.Skip("the committed tables hold no packages of our own")
	}
	if !slices.Equal(paths, own) {
		t.Errorf("tables hold %v, the list says %v", paths, own)
	}
	p := platforms[0]
	u, err := p.load(committed, paths)
	if err != nil {
		t.Skipf("a package or the module cache is missing: %.200v", err)
	}
	o := &output{packages: map[string]*variants{}}
	segment := packages.Segment{GoVersion: "test"}
	for _, path := range paths {
		if err := o.collect(u, path); err != nil {
			t.Fatal(err)
		}
		v := o.packages[path]
		segment.Packages = append(segment.Packages, packages.Package{Path: path, Name: v.name, Types: v.types[p], Docs: v.docs[p]})
	}
	archive, err := segment.Encode()
	if err != nil {
		t.Fatal(err)
	}
	samePackages(t, p, paths, openCommitted(t, p), open(t, archive))
}

func TestGeneratingEverythingAgainChangesNothing(t *testing.T) {
	if os.Getenv("GOSPHERE_GENERATE") == "" {
		t.Skip("set GOSPHERE_GENERATE=1 to generate everything again")
	}
	needGenerator(t)
	files, err := generate(committed, selection{own: committedOwn(t)})
	if err != nil {
		t.Fatal(err)
	}
	old, err := generatedFiles(committed)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(old)
	if made := slices.Sorted(maps.Keys(files)); !slices.Equal(made, old) {
		t.Errorf("files are %v, the generator writes %v", old, made)
	}
	for name, data := range files {
		if kept, err := os.ReadFile(filepath.Join(committed, name)); err == nil && !bytes.Equal(kept, data) {
			t.Errorf("%s is not what the generator writes: run make symbols", name)
		}
	}
}

func TestReplaceRemovesOnlyWhatWasGenerated(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"symbols.go", "table_old.go"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("package symbols\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := replace(dir, map[string][]byte{"table_new.go": []byte("new"), "archive/shared.bin": {1}}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"symbols.go": true, "table_old.go": false, "table_new.go": true, "archive/shared.bin": true} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); (err == nil) != want {
			t.Errorf("%s exists: %t, want %t", name, err == nil, want)
		}
	}
}

func TestListHasNoPackageTwice(t *testing.T) {
	seen := map[string]bool{}
	for _, path := range slices.Concat(thirdParty, popular, carried, thirdPartyOn["linux"], carriedOn["linux"], own, slices.Collect(maps.Keys(omitted))) {
		if seen[path] {
			t.Errorf("%s is listed twice", path)
		}
		seen[path] = true
	}
}

// A package of a popular module comes from source in another version only if no compiled package of
// another module shares its types.
func TestNoOtherModuleSharesTypesOfPopularPackages(t *testing.T) {
	module := func(path string) string {
		return strings.Join(strings.SplitN(path, "/", 4)[:min(3, strings.Count(path, "/")+1)], "/")
	}
	modules := map[string]bool{}
	for _, path := range popular {
		modules[module(path)] = true
	}
	store := openCommitted(t, platforms[0])
	for _, path := range store.Paths() {
		pkg, err := store.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range pkg.Imports() {
			if m := module(i.Path()); modules[m] && m != module(path) {
				t.Errorf("%s shares types of %s", path, i.Path())
			}
		}
	}
}
