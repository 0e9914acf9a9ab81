package golden

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// An ending is a test that ends as soon as it is skipped or fails.
type ending struct {
	testing.TB
	how string
}

// An end is the panic value with which an ending ends.
type end struct{}

func (e *ending) Helper()             {}
func (e *ending) Logf(string, ...any) {}
func (e *ending) Skipf(format string, args ...any) {
	e.how = "skip: " + fmt.Sprintf(format, args...)
	panic(end{})
}
func (e *ending) Fatal(args ...any) {
	e.how = "fatal: " + fmt.Sprint(args...)
	panic(end{})
}
func (e *ending) Fatalf(format string, args ...any) { e.Fatal(fmt.Sprintf(format, args...)) }

// how runs a test and returns how it ended.
func how(test func(t testing.TB)) string {
	e := &ending{}
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(end{}) {
				panic(r)
			}
		}()
		test(e)
	}()
	return e.how
}

// inRoom changes to a folder three levels below a new one, as a package is below the folder that
// contains the repository, and returns the path of the reference material's folder.
func inRoom(t *testing.T) (material string) {
	top := t.TempDir()
	room := filepath.Join(top, "repository", "asymvlm", "room")
	material = filepath.Join(top, "shared", "golden")
	for _, folder := range []string{room, material} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(room)
	return material
}

func TestFilesAreLookedForAboveThePackage(t *testing.T) {
	material := inRoom(t)
	if got := how(func(t testing.TB) { File(t, "golden/absent.npz") }); got != "skip: golden: the reference file golden/absent.npz is not here" {
		t.Errorf("ended with %q", got)
	}
	if err := os.WriteFile(filepath.Join(material, "there.txt"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := File(t, "golden/there.txt")
	if text, err := os.ReadFile(path); err != nil || string(text) != "x" {
		t.Errorf("%s: %q (error %v)", path, text, err)
	}
	// Folders further up than a package can be are not searched.
	deep := filepath.Join("a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(deep)
	if got := how(func(t testing.TB) { File(t, "golden/there.txt") }); !strings.HasPrefix(got, "skip") {
		t.Errorf("ended with %q", got)
	}
}

// writeArchive writes a .npz file of one array.
func writeArchive(t *testing.T, path, entry string, values []float64) {
	t.Helper()
	single := filepath.Join(t.TempDir(), "single.npy")
	if err := embedding.WriteNPY(single, embedding.Float64Array(values)); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(single)
	if err != nil {
		t.Fatal(err)
	}
	var buffer bytes.Buffer
	archive := zip.NewWriter(&buffer)
	w, err := archive.Create(entry)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = archive.Close()
	}
	if err == nil {
		err = os.WriteFile(path, buffer.Bytes(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestArraysAreReadByName(t *testing.T) {
	material := inRoom(t)
	writeArchive(t, filepath.Join(material, "some.npz"), "group/x.npy", []float64{1.5, -2, math.Pi})
	array := Open(t, "some.npz")
	if got := array("group/x"); len(got) != 3 || got[2] != math.Pi {
		t.Errorf("values %v", got)
	}
	if got := how(func(t testing.TB) { Open(t, "some.npz")("group/y") }); got != `fatal: golden: some.npz has no array "group/y"` {
		t.Errorf("ended with %q", got)
	}
	if got := how(func(t testing.TB) { Open(t, "other.npz") }); !strings.HasPrefix(got, "skip: ") {
		t.Errorf("ended with %q", got)
	}
	if err := os.WriteFile(filepath.Join(material, "broken.npz"), []byte("PK no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := how(func(t testing.TB) { Open(t, "broken.npz") }); !strings.HasPrefix(got, "fatal: ") || !strings.Contains(got, "broken.npz") {
		t.Errorf("ended with %q", got)
	}
}

func TestNearTakesInfiniteReferencesForWrong(t *testing.T) {
	for _, c := range []struct {
		got, want float64
		fails     bool
	}{
		{math.Inf(1), math.Inf(1), true}, // nothing can be compared
		{1, math.Inf(1), true}, {math.Inf(1), 1, true}, {1, math.NaN(), true}, {math.NaN(), math.NaN(), true},
		{0, math.Copysign(0, -1), false}, {1 + 1e-12, 1, false}, {1 - 1e-6, 1, true},
	} {
		r := &recorder{TB: t}
		Near(r, "value", []float64{c.got, 2}, []float64{c.want, 2}, 1e-9)
		if (r.errors > 0) != c.fails {
			t.Errorf("%g for %g: %d errors, want some: %v", c.got, c.want, r.errors, c.fails)
		}
	}
}

func TestRowsThatAreIncompleteAreLeftOut(t *testing.T) {
	if rows := Rows([]float64{1, 2, 3, 4, 5}, 2); len(rows) != 2 || rows[1][1] != 4 {
		t.Errorf("rows %v", rows)
	}
	if rows := Rows(nil, 3); len(rows) != 0 {
		t.Errorf("rows %v of nothing", rows)
	}
	// A row has no spare capacity, so appending to it does not change the next.
	rows := Rows([]float64{1, 2, 3, 4}, 2)
	_ = append(rows[0], 99)
	if rows[1][0] != 3 {
		t.Errorf("appending to a row changed the next: %v", rows)
	}
}
