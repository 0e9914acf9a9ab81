package process

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheSourceIsFoundOrAskedFor(t *testing.T) {
	source, elsewhere := t.TempDir(), t.TempDir()
	writeFiles(t, source, map[string]string{"go.mod": "module gosphere\n\ngo 1.27\n", "bin/gosphere": ""})
	writeFiles(t, elsewhere, map[string]string{"go.mod": "module gospherical\n"})
	t.Chdir(elsewhere)
	program := func() (string, error) { return filepath.Join(source, "bin", "gosphere"), nil }
	if got, err := FindSource("", program); got.Folder != source || err != nil {
		t.Errorf("beside the program: %q, %v", got, err)
	}
	elsewhereProgram := func() (string, error) { return filepath.Join(elsewhere, "bin", "gosphere"), nil }
	if _, err := FindSource("", elsewhereProgram); err == nil || !strings.Contains(err.Error(), "--source") {
		t.Errorf("without a source: %v", err)
	}
	if _, err := FindSource(elsewhere, elsewhereProgram); err == nil || !strings.Contains(err.Error(), elsewhere) {
		t.Errorf("in a wrong folder: %v", err)
	}
}

// releasedFrom makes the program a release of 1.2.3 whose source can be downloaded.
func releasedFrom(t *testing.T, url, sum string) {
	before := [3]string{released, sourceURL, sourceSum}
	released, sourceURL, sourceSum = "v1.2.3", url, sum
	t.Cleanup(func() { released, sourceURL, sourceSum = before[0], before[1], before[2] })
}

// sourceArchive returns an archive of files, and its sum.
func sourceArchive(t *testing.T, files ...string) (content []byte, sum string) {
	t.Helper()
	var b bytes.Buffer
	compressor := gzip.NewWriter(&b)
	w := tar.NewWriter(compressor)
	for i := 0; i < len(files); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: files[i], Mode: 0o644, Size: int64(len(files[i+1])), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := compressor.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "archive")
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	sum, err := fileSum(name)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), sum
}

func nowhere() (string, error) { return "", os.ErrNotExist }

func TestAReleaseDownloadsItsSourceOnceAndChecksIt(t *testing.T) {
	content, sum := sourceArchive(t, "gosphere-1.2.3/go.mod", "module gosphere\n", "gosphere-1.2.3/a/b.go", "package a\n")
	asked, offered := 0, content
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.URL.Path != "/v1.2.3/gosphere_1.2.3_source.tar.gz" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(offered)
	}))
	defer server.Close()
	releasedFrom(t, server.URL+"/v1.2.3", sum)
	t.Chdir(t.TempDir())
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, t.TempDir())
	}
	bring := func() (string, error) {
		source, err := FindSource("", nowhere)
		if err != nil {
			return "", err
		}
		folder := t.TempDir()
		return folder, source.Unpack(context.Background(), folder)
	}
	offered = append(bytes.Clone(content), 0)
	if _, err := bring(); err == nil || !strings.Contains(err.Error(), "SHA-256") || !strings.Contains(err.Error(), sum) {
		t.Errorf("another archive: %v", err)
	}
	offered, asked = content, 0
	for range 2 {
		folder, err := bring()
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(filepath.Join(folder, "a", "b.go")); err != nil || string(text) != "package a\n" {
			t.Errorf("unpacked is %q, %v", text, err)
		}
	}
	if asked != 1 {
		t.Errorf("%d downloads, want 1: the second time it is in the cache", asked)
	}
	sourceURL = server.URL + "/elsewhere"
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("LocalAppData", t.TempDir())
	if _, err := bring(); err == nil || !strings.Contains(err.Error(), "404") || !strings.Contains(err.Error(), "--source") {
		t.Errorf("without the archive: %v", err)
	}
	sourceURL = ""
	if _, err := bring(); err == nil || !strings.Contains(err.Error(), "gosphere_1.2.3_source.tar.gz") || !strings.Contains(err.Error(), sum) {
		t.Errorf("without an address: %v", err)
	}
}

func TestAnArchiveBesideTheProgramIsChecked(t *testing.T) {
	content, sum := sourceArchive(t, "x/go.mod", "module gosphere\n")
	folder := t.TempDir()
	archive := filepath.Join(folder, "gosphere_1.2.3_source.tar.gz")
	if err := os.WriteFile(archive, content, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	program := func() (string, error) { return filepath.Join(folder, "gosphere"), nil }
	for _, c := range []struct{ sum, want string }{{sum, ""}, {fmt.Sprintf("%064d", 0), archive + ": SHA-256 is " + sum}} {
		releasedFrom(t, "", c.sum)
		source, err := FindSource("", program)
		if err != nil || source.Archive != archive {
			t.Fatalf("found is %v, %v", source, err)
		}
		if err := source.Unpack(context.Background(), t.TempDir()); err == nil != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("sum %s: %v", c.sum, err)
		}
	}
	if source, err := FindSource(archive, nowhere); err != nil || source.Archive != archive || source.Sum != "" {
		t.Errorf("--source with an archive: %v, %v", source, err)
	}
}

func TestArchivesCannotWriteElsewhere(t *testing.T) {
	for _, name := range []string{"x/../../evil.go", "x//evil.go"} {
		content, _ := sourceArchive(t, "x/go.mod", "module gosphere\n", name, "package evil\n")
		archive := filepath.Join(t.TempDir(), "a.tar.gz")
		if err := os.WriteFile(archive, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := (Source{Archive: archive}).Unpack(context.Background(), t.TempDir()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	content, _ := sourceArchive(t, "x/go.mod", "module other\n")
	archive := filepath.Join(t.TempDir(), "a.tar.gz")
	if err := os.WriteFile(archive, content, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := (Source{Archive: archive}).Unpack(context.Background(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "no source of gosphere") {
		t.Errorf("another module: %v", err)
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
