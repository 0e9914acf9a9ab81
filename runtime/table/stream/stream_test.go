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
		"stream: the aggregate corr(a,b) needs all rows: read the file with table.Read": func() error { _, err := s.Aggregate(table.Corr("a", "b").As("corr(a,b)")); return err },
		`table: no column "c", want one of a, b`:                                        func() error { _, err := s.GroupBy("c").Aggregate(table.Len()); return err },
		"stream: open none.csv: no such file or directory":                              func() error { _, err := Open("none.csv"); return err },
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

// Deviations and quantiles of batches are those of the whole table, also where the means are large
// and groups are missing in some batches.
func TestDeviationsAndQuantilesAreThoseOfTheWholeTable(t *testing.T) {
	var batches []*table.Table
	for n := range 7 {
		batch := table.New("k", "x", "n")
		for i := range 50 * n {
			x := any(1e6 + float64(i*i%97)/8 + float64(n))
			if i%11 == 0 {
				x = nil
			}
			batch.Append((i+n*n)%(n+1), x, i%7)
		}
		batches = append(batches, batch)
	}
	one := table.New("k", "x", "n") // a group with one value and one with none
	one.Append(100, 1.5, 1)
	one.Append(101, nil, nil)
	batches = append(batches, one)
	whole := table.Concat(batches...)
	s := Of(func(yield func(*table.Table, error) bool) {
		for _, batch := range batches {
			if !yield(batch, nil) {
				return
			}
		}
	})
	aggregates := []table.Expr{table.Std("x"), table.Var("n"), table.Median("x"), table.Quantile("n", 0.9), table.Quantile("x", 0), table.Mean("n"), table.Std("n").As("s")}
	for _, keys := range [][]string{{"k"}, nil} {
		var got, want *table.Table
		var err error
		if keys == nil {
			got, err = s.Aggregate(aggregates...)
			want = whole.Aggregate(aggregates...)
		} else {
			got, err = s.GroupBy(keys...).Aggregate(aggregates...)
			want = whole.GroupBy(keys...).Aggregate(aggregates...)
		}
		if err != nil || fmt.Sprint(got.Columns()) != fmt.Sprint(want.Columns()) || got.Len() != want.Len() {
			t.Fatal(got, want, err)
		}
		for _, name := range got.Columns() {
			for i := range got.Len() {
				a, aNumber := got.At(i, name).(float64)
				b, bNumber := want.At(i, name).(float64)
				if aNumber != bNumber || math.Abs(a-b) > 1e-9*math.Abs(b) || !aNumber && got.At(i, name) != want.At(i, name) {
					t.Errorf("%s, row %d: %v, want %v", name, i, got.At(i, name), want.At(i, name))
				}
			}
		}
	}
	defer func(old int) { maxValues = old }(maxValues)
	maxValues = 100
	if _, err := s.Aggregate(table.Median("x")); err == nil || !strings.Contains(err.Error(), `column "x" keeps its values in memory, and these are more than 100`) {
		t.Error(err)
	}
	if _, err := s.Aggregate(table.Std("x")); err != nil {
		t.Error(err)
	}
	texts := table.New("s", "d")
	texts.Append("a", time.Second)
	of := Of(func(yield func(*table.Table, error) bool) { yield(texts, nil) })
	for _, x := range []table.Expr{table.Median("s"), table.Median("d"), table.Std("s"), table.Std("d")} {
		if got, err := of.Aggregate(x); err == nil {
			t.Error(all(got))
		}
	}
}
