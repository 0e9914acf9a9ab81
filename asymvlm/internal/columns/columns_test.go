package columns

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

// A record has the forms in which data sets store pictures, captions and embeddings.
type record struct {
	Caption  string   `parquet:"caption"`
	Captions []string `parquet:"captions,list"`
	Image    struct {
		Bytes []byte `parquet:"bytes"`
	} `parquet:"image"`
	Vector []float32 `parquet:"vector,list"`
	Wide   []float64 `parquet:"wide"`
	Number int64     `parquet:"number"`
	Maybe  *float64  `parquet:"maybe,optional"`
}

// written stores records and returns the path.
func written(t testing.TB, n int, options ...parquet.WriterOption) string {
	t.Helper()
	var rows []record
	for i := range n {
		r := record{Caption: fmt.Sprint("caption ", i), Vector: []float32{float32(i), 0.5, -1}, Number: int64(i)}
		for j := range i % 3 {
			r.Captions = append(r.Captions, fmt.Sprint(i, ".", j))
			r.Wide = append(r.Wide, float64(j)+0.25)
		}
		r.Image.Bytes = []byte{byte(i), 2}
		if i%2 == 1 {
			r.Maybe = new(float64)
		}
		rows = append(rows, r)
	}
	path := filepath.Join(t.TempDir(), "a.parquet")
	if err := parquet.WriteFile(path, rows, options...); err != nil {
		t.Fatal(err)
	}
	return path
}

// all opens a file and reads all its columns to the end.
func all(path string) (string, error) {
	table, err := Open(path)
	if err != nil {
		return "", err
	}
	defer table.Close()
	var known []Column
	for _, c := range table.Columns() {
		if c.Kind != Other {
			known = append(known, c)
		}
	}
	var text strings.Builder
	for row, err := range table.Rows(known...) {
		if err != nil {
			return "", err
		}
		for i, c := range known {
			if c.Kind == Text {
				fmt.Fprintf(&text, "%s=%q ", c.Name, row[i].Texts())
			} else {
				fmt.Fprintf(&text, "%s=%v ", c.Name, row[i].Float64s(nil))
			}
		}
		text.WriteByte('\n')
	}
	return text.String(), nil
}

func TestColumnsOfAllFormsAreRead(t *testing.T) {
	path := written(t, 3000, parquet.MaxRowsPerRowGroup(1100), parquet.PageBufferSize(512))
	got, err := all(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(got, "\n")
	want := `caption=["caption 1502"] captions=["1502.0" "1502.1"] image.bytes=["\xde\x02"] vector=[1502 0.5 -1] wide=[0.25 1.25] number=[1502] maybe=[] `
	if len(lines) != 3001 || lines[1502] != want {
		t.Errorf("%d lines; got\n%s\nwant\n%s", len(lines), lines[min(1502, len(lines)-1)], want)
	}
	table, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if c, ok := table.Column("embedding", "vector"); !ok || !c.List || !c.Floating || table.Count != 3000 {
		t.Errorf("column %+v, %d rows", c, table.Count)
	}
	if _, ok := table.Column("embedding"); ok {
		t.Error("there is no column embedding")
	}
}

func TestDamagedFilesAreErrors(t *testing.T) {
	whole, err := os.ReadFile(written(t, 40))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "b.parquet")
	for at := 0; at < len(whole); at += 7 {
		for _, data := range [][]byte{whole[:at], append(append(append([]byte{}, whole[:at]...), whole[at]^0x55), whole[at+1:]...)} {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			// The goroutine owns the file until it is read.
			go func() {
				_, err := all(path)
				done <- err
			}()
			select {
			case err := <-done:
				if err != nil && !strings.Contains(err.Error(), path) {
					t.Errorf("byte %d: the error does not name the file: %v", at, err)
				}
			case <-time.After(2 * time.Minute):
				t.Fatalf("byte %d of %d: reading does not end", at, len(whole))
			}
		}
	}
}
