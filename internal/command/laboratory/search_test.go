package laboratory

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// searching runs the subcommand.
func searching(t *testing.T, arguments ...string) (string, error) {
	t.Helper()
	var command Search
	if err := parse(t, &command, arguments...); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err := command.run(&out)
	return out.String(), err
}

func TestSearchFindsTheNearestRowsOfAFile(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	write := func(name string, values []float32, columns int) {
		if err := embedding.WriteNPY(in(name), embedding.Float32Array(values, len(values)/columns, columns)); err != nil {
			t.Fatal(err)
		}
	}
	write("gallery.npy", []float32{1, 0, 0, 2, 3, 3}, 2)
	write("queries.npy", []float32{0, 5, 1, 1}, 2)
	for name, text := range map[string]string{"names.txt": "right\nup\nboth\n", "names.json": `["right", "up", "both, at once"]`, "two.txt": "a\nb", "bad.json": `{"a": 1}`} {
		if err := os.WriteFile(in(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for want, arguments := range map[string][]string{
		"query,place,row,score\n0,1,1,1\n0,2,2,0.707107\n1,1,2,1\n1,2,0,0.707107\n": {"-k", "2"},
		"query,place,row,score,id\n0,1,2,15,both\n1,1,2,6,both\n":                   {"-k", "1", "--by", "product", "--ids", in("names.txt")},
		"query,place,row,score,id\n0,1,1,1,up\n1,1,2,1,\"both, at once\"\n":         {"-k", "1", "--ids", in("names.json")},
	} {
		text, err := searching(t, append([]string{in("gallery.npy"), in("queries.npy")}, arguments...)...)
		if err != nil || text != want {
			t.Errorf("%q: %v, table\n%s", arguments, err, text)
		}
	}
	if text, err := searching(t, in("gallery.npy"), in("queries.npy"), "-o", in("table.csv")); err != nil || text != "" {
		t.Errorf("%q, %v", text, err)
	}
	if table, err := os.ReadFile(in("table.csv")); err != nil || strings.Count(string(table), "\n") != 7 {
		t.Errorf("%s, %v", table, err)
	}
	write("three.npy", []float32{1, 2, 3}, 3)
	for want, arguments := range map[string][]string{
		"queries have 3 columns, the gallery 2": {in("gallery.npy"), in("three.npy")},
		"two.txt has 2 names":                   {in("gallery.npy"), in("queries.npy"), "--ids", in("two.txt")},
		"bad.json: want a list of texts":        {in("gallery.npy"), in("queries.npy"), "--ids", in("bad.json")},
		"none.npy":                              {in("none.npy"), in("queries.npy")},
	} {
		if _, err := searching(t, arguments...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", arguments, err, want)
		}
	}
}
