package program

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sourceOf writes a folder as gosphere's source would be.
func sourceOf(t *testing.T, name string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), name)
	mod := "module gosphere\n\ngo 1.26\n\nrequire example.org/one v1.2.3\n\nrequire (\n\tgonum.org/v1/gonum v0.16.0\n\tmodernc.org/sqlite v1.0.0 // indirect\n)\n\ntool honnef.co/go/tools/cmd/staticcheck\n"
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"go.mod": mod, "go.sum": "sums\n"} {
		if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestModulesAreRequiredWhereTheyAreImported(t *testing.T) {
	folder := sourceOf(t, "source")
	const required = "require (\n\texample.org/one v1.2.3\n\tgonum.org/v1/gonum v0.16.0\n\tmodernc.org/sqlite v1.0.0\n)\n"
	const own = "require (\n\tgosphere v0.0.0\n\texample.org/one v1.2.3\n\tgonum.org/v1/gonum v0.16.0\n\tmodernc.org/sqlite v1.0.0\n)\n"
	for _, test := range []struct {
		name      string
		imports   []string
		mod, sum  string
		wantName  string
		wantBring []string
	}{
		{"plain", []string{"fmt", "math/rand/v2"}, "module plain\n\ngo 1.26\n", "", "plain", nil},
		{"of-gonum", []string{"fmt", "gonum.org/v1/gonum/stat"}, "module of-gonum\n\ngo 1.26\n\n" + required, "sums\n", "of-gonum", []string{"gonum.org/v1/gonum/stat"}},
		{"own", []string{"gosphere/runtime/display"}, "module own\n\ngo 1.26\n\n" + own + "\nreplace gosphere => " + folder + "\n", "sums\n", "own", []string{"gosphere/runtime/display"}},
		{"2-ways", nil, "module notebook-2-ways\n\ngo 1.26\n", "", "", nil},
		{"", nil, "module notebook\n\ngo 1.26\n", "", "", nil},
	} {
		exported := &Exported{Imports: test.imports}
		mod, sum, err := exported.Module(test.name, folder)
		if err != nil || mod != test.mod || sum != test.sum {
			t.Errorf("%q: %v\n%s\nwant\n%s", test.name, err, mod, test.mod)
		}
		if got := exported.Brought(); !slices.Equal(got, test.wantBring) || exported.NeedsSource() != (len(test.wantBring) > 0) {
			t.Errorf("%q brings %q", test.name, got)
		}
	}
}

func TestFoldersWithBlanksAreQuoted(t *testing.T) {
	folder := sourceOf(t, "my source (1)")
	mod, _, err := (&Exported{Imports: []string{"gosphere/asymvlm/sphere"}}).Module("m", folder)
	if err != nil || !strings.HasSuffix(mod, "replace gosphere => `"+folder+"`\n") {
		t.Errorf("%v\n%s", err, mod)
	}
}

func TestAFolderThatIsNoSourceIsNamed(t *testing.T) {
	needs, plain := &Exported{Imports: []string{"gosphere/asymvlm/sphere"}}, &Exported{Imports: []string{"fmt"}}
	folder := t.TempDir()
	if _, _, err := needs.Module("m", folder); err == nil || !strings.Contains(err.Error(), "the source of gosphere: ") || !strings.Contains(err.Error(), "go.mod") {
		t.Errorf("without go.mod: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module gosphere\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := needs.Module("m", folder); err == nil || !strings.Contains(err.Error(), "go.sum") {
		t.Errorf("without go.sum: %v", err)
	}
	if _, _, err := plain.Module("m", filepath.Join(folder, "nowhere")); err != nil {
		t.Errorf("a program that needs no source: %v", err)
	}
}

func TestSeveralModulesOfOneFolderAgree(t *testing.T) {
	folder := sourceOf(t, "source")
	first, sum, err := (&Exported{Imports: []string{"gosphere/asymvlm/sphere", "gonum.org/v1/gonum/stat", "fmt"}}).Module("m", folder)
	if err != nil {
		t.Fatal(err)
	}
	second, again, err := (&Exported{Imports: []string{"gosphere/runtime/display"}}).Module("m", folder)
	if err != nil || first != second || sum != again {
		t.Errorf("programs of one source require different modules, %v:\n%s\n%s", err, first, second)
	}
	if strings.Count(first, "\tgosphere v0.0.0\n") != 1 {
		t.Errorf("gosphere is not required once:\n%s", first)
	}
}
