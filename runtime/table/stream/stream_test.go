package stream

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gosphere/runtime/table"
	_ "gosphere/runtime/table/parquet"
)

func all(t *table.Table) string {
	rows := []string{fmt.Sprint(t.Columns(), t.Types())}
	for i := range t.Len() {
		rows = append(rows, fmt.Sprint(t.Row(i)))
	}
	return strings.Join(rows, "\n")
}

// sample has more rows than a batch.
func sample() *table.Table {
	n := Batch + 1000
	keys, ints, floats, times := make([]string, n), make([]int, n), make([]float64, n), make([]time.Time, n)
	valid := make([]uint64, (n+63)/64)
	for i := range n {
		keys[i], ints[i], floats[i] = fmt.Sprint("k", i*i%7), i%1000-500, float64(i%64)/4
		times[i] = time.Unix(int64(i), 0).UTC()
		if i%5 > 0 {
			valid[i/64] |= 1 << (i % 64)
		}
	}
	return table.FromColumns(table.Values{Name: "k", List: keys}, table.Values{Name: "n", List: ints, Valid: valid}, table.Values{Name: "x", List: floats},
		table.Values{Name: "t", List: times})
}

func TestAggregatesAreThoseOfTheWholeTable(t *testing.T) {
	whole, dir := sample(), t.TempDir()
	aggregates := []table.Expr{table.Len(), table.Count("n"), table.NullCount("n"), table.Sum("n"), table.Mean("n"), table.Min("n"), table.Max("x"), table.First("n"),
		table.Last("x"), table.Mean("x").As("average"), table.Max("t"), table.Min("k")}
	for _, ending := range []string{".csv", ".csv.gz", ".parquet"} {
		path := filepath.Join(dir, "a"+ending)
		if err := table.Write(path, whole); err != nil {
			t.Fatal(err)
		}
		s, err := OpenCSV(path, table.CSV{Notes: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.GroupBy("k").Aggregate(aggregates...)
		if want := whole.GroupBy("k").Aggregate(aggregates...); err != nil || all(got) != all(want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", ending, err, all(got), all(want))
		}
		got, err = s.Filter(table.Gt("x", 1), table.NotNull("n")).Aggregate(table.Len(), table.Sum("n"))
		if want := whole.Filter(table.Gt("x", 1), table.NotNull("n")).Aggregate(table.Len(), table.Sum("n")); err != nil || all(got) != all(want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", ending, err, all(got), all(want))
		}
		head, err := s.Select("n").Head(3)
		if err != nil || all(head) != all(whole.Select("n").Head(3)) {
			t.Errorf("%s: %v", ending, err)
		}
	}
	s, err := Open(dir + "/a.[cp]*v") // a.csv
	if err != nil {
		t.Fatal(err)
	}
	if read, err := s.Read(); err != nil || read.Len() != whole.Len() {
		t.Error(read, err)
	}
}

func TestErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	if err := os.WriteFile(path, []byte("a,b\n1,2\n3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.GroupBy("a").Aggregate(table.Len()); fmt.Sprint(err) != "stream: "+path+": line 3 has 1 value, want 2" {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte("a,b\n1,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for want, call := range map[string]func() error{
		"stream: the aggregate b_median needs all rows: read the file with table.Read": func() error { _, err := s.Aggregate(table.Median("b")); return err },
		`table: no column "c", want one of a, b`:                                       func() error { _, err := s.GroupBy("c").Aggregate(table.Len()); return err },
		"stream: open none.csv: no such file or directory":                             func() error { _, err := Open("none.csv"); return err },
	} {
		if err := call(); fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := os.WriteFile(dir+"/b.json", []byte("[]"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir + "/b.json"); err == nil || !strings.Contains(err.Error(), `the format ".json" is not read in batches`) {
		t.Error(err)
	}
}

// Means of integers near the limits are errors and not wrong.
func TestSumsThatOverflowAreErrors(t *testing.T) {
	big := table.New("n")
	big.Append(math.MaxInt64)
	twice := func(yield func(*table.Table, error) bool) {
		for range 2 {
			if !yield(big, nil) {
				return
			}
		}
	}
	if _, err := Of(twice).Aggregate(table.Sum("n")); err == nil || !strings.Contains(err.Error(), "exceeds int") {
		t.Error(err)
	}
	got, err := Of(twice).Aggregate(table.Max("n"), table.Len())
	if err != nil || fmt.Sprint(got.Row(0)) != "[9223372036854775807 2]" {
		t.Error(got, err)
	}
}
