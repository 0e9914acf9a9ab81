package table

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func zipped(t *testing.T, names ...string) string {
	t.Helper()
	var text bytes.Buffer
	w := zip.NewWriter(&text)
	for _, name := range names {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(f, "name,n\n%s,1\n", name)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestTablesAreWrittenAndReadInEachFormat(t *testing.T) {
	want := New("name", "n", "x")
	want.Append("κ,\"", 1, 0.5)
	want.Append(nil, nil, 2.0)
	for _, ending := range []string{".csv", ".tsv", ".json", ".jsonl", ".csv.gz", ".json.zst", ".CSV"} {
		path := filepath.Join(t.TempDir(), "a"+ending)
		if err := Write(path, want); err != nil {
			t.Error(err)
			continue
		}
		got, err := Read(path)
		if err != nil || separated(got) != separated(want) {
			t.Errorf("%s: %v, %v", ending, got, err)
		}
	}
	for path, message := range map[string]string{
		"a.txt":      `table: a.txt: unknown extension ".txt", want one of .csv, .tsv, .json, .jsonl, .ndjson, .db, .parquet`,
		"a.xlsx":     "table: a.xlsx: this program does not know .xlsx files: import gosphere/runtime/table/excel",
		"none/a.csv": "table: ",
	} {
		if err := Write(path, want); err == nil || !strings.HasPrefix(err.Error(), message) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestArchivesAndFoldersAreRead(t *testing.T) {
	dir := t.TempDir()
	one := writeFile(t, filepath.Join(dir, "zips", "one.zip"), zipped(t, "b/", "b/a.csv", "__MACOSX/b/a.csv"))
	two := writeFile(t, filepath.Join(dir, "zips", "two.zip"), zipped(t, "a.csv", "b.tsv", "c.csv"))
	writeFile(t, filepath.Join(dir, "data", "2.csv"), "a,b\n3,x\n")
	writeFile(t, filepath.Join(dir, "data", "1.csv"), "a,b\n1.5,\n")
	writeFile(t, filepath.Join(dir, "data", "notes.txt"), "none")
	for name, want := range map[string]string{
		one:                        "name,n b/a.csv,1",
		two + "/c.csv":             "name,n c.csv,1",
		filepath.Join(dir, "data"): "a,b 1.5,~ 3,x",
		dir + "/data/[2].csv":      "a,b 3,x",
	} {
		got, err := Read(name)
		if err != nil || separated(got) != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	for name, want := range map[string]string{
		two:                 `the archive has 3 files: ["a.csv" "b.tsv" "c.csv"]; name one after the archive, as in a.zip/b.csv`,
		two + "/d.csv":      "open d.csv: file does not exist",
		dir + "/zips/*.csv": "no file matches",
		dir + "/zips":       "has no files of tables",
		writeFile(t, filepath.Join(dir, "bad.csv.gz"), "name,price\n1,2\n"):  "gzip: invalid header",
		writeFile(t, filepath.Join(dir, "bad.csv.zst"), "name,price\n1,2\n"): "magic number mismatch",
		writeFile(t, filepath.Join(dir, "bad.zip"), "a,b"):                   "not a valid zip file",
	} {
		if _, err := Read(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	writeFile(t, filepath.Join(dir, "data", "3.csv"), "a,c\n4,1\n")
	if _, err := Read(dir + "/data"); fmt.Sprint(err) != `table: Concat: table 2 lacks column "b" of table 0: use ConcatFill` {
		t.Error(err)
	}
	got, err := Files{Source: "from", Fill: true}.Read(dir + "/data/[23].csv")
	if want := fmt.Sprintf("a,b,from,c 3,x,%[1]s/2.csv,~ 4,~,%[1]s/3.csv,1", dir+"/data"); err != nil || separated(got) != want {
		t.Errorf("%v, %v", got, err)
	}
}

func TestAddressesAreRead(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/a.csv":
			fmt.Fprint(w, "a,b\n1,2\n")
		case "/a.csv.gz":
			z := gzip.NewWriter(w)
			fmt.Fprint(z, "a,b\n1,2\n")
			_ = z.Close()
		case "/zipped.zip":
			fmt.Fprint(w, zipped(t, "a.csv"))
		case "/query":
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			fmt.Fprint(w, `[{"a": 1, "b": 2}]`)
		case "/moved.csv":
			http.Redirect(w, r, "/a.csv", http.StatusFound)
		case "/round.csv":
			http.Redirect(w, r, "/round.csv", http.StatusFound)
		case "/page":
			w.Header().Set("Content-Type", "text/html")
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	for path, want := range map[string]string{"/a.csv": "a,b 1,2", "/a.csv?x=1": "a,b 1,2", "/a.csv.gz": "a,b 1,2", "/zipped.zip": "name,n a.csv,1", "/query": "a,b 1,2", "/moved.csv": "a,b 1,2"} {
		got, err := Read(server.URL + path)
		if err != nil || separated(got) != want {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
	for path, want := range map[string]string{"/none.csv": "the server answers 404 Not Found", "/round.csv": "10 redirections", "/page": `unknown extension "", want one of`} {
		if _, err := Read(server.URL + path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}
