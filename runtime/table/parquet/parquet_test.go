package parquet

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"gosphere/runtime/table"
)

func all(t *table.Table) string {
	rows := []string{fmt.Sprint(t.Columns()), fmt.Sprint(t.Types())}
	for i := range t.Len() {
		rows = append(rows, fmt.Sprint(t.Row(i)))
	}
	return strings.Join(rows, "\n")
}

func sample() *table.Table {
	t := table.New("b", "a", "x", "ok", "at", "wait", "more", "gap")
	at := time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC)
	t.Append(1, "κ", 0.5, true, at, time.Second, []any{1, "x"}, nil)
	t.Append(nil, nil, math.NaN(), nil, nil, nil, nil, nil)
	t.Append(math.MinInt64, "", math.Inf(-1), false, at.Add(-1e18), -time.Hour, 5, nil)
	return t
}

func written(t testing.TB, of *table.Table) *bytes.Reader {
	t.Helper()
	var file bytes.Buffer
	if err := Write(&file, of); err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(file.Bytes())
}

func TestTablesAreWrittenAndReadAgain(t *testing.T) {
	r := written(t, sample())
	got, err := Read(r, r.Size())
	if err != nil {
		t.Fatal(err)
	}
	want := sample()
	text := strings.NewReplacer("time.Duration", "int", "1s", "1000000000", "-1h0m0s", "-3600000000000", "[1 x]", `[1,"x"]`, "any any", "string string").Replace(all(want))
	if all(got) != text {
		t.Errorf("got\n%s\nwant\n%s", all(got), text)
	}
	early := table.New("t")
	early.Append(time.Date(1500, 1, 1, 0, 0, 0, 0, time.UTC))
	if err := Write(&bytes.Buffer{}, early); err == nil || !strings.Contains(err.Error(), `column "t", row 0: 1500-01-01 00:00:00 +0000 UTC is before 1678`) {
		t.Error(err)
	}
	if err := Write(&bytes.Buffer{}, table.New()); err == nil {
		t.Error("a file without columns")
	}
	empty := written(t, table.New("a", "b"))
	if got, err := Read(empty, empty.Size()); err != nil || got.Len() != 0 || len(got.Columns()) != 2 {
		t.Error(got, err)
	}
}

// Missing, empty and nested values are told apart.
func TestNestedValues(t *testing.T) {
	type address struct {
		City string  `parquet:"city"`
		Zip  *uint32 `parquet:"zip"`
	}
	type person struct {
		Name    string   `parquet:"name"`
		Address *address `parquet:"address"`
		Tags    []string `parquet:"tags,list"`
		Plain   []int32  `parquet:"plain"`
		Born    int32    `parquet:"born,date"`
	}
	zip := uint32(4000000000)
	var file bytes.Buffer
	if err := parquet.Write(&file, []person{
		{"Ann", &address{"Rome", &zip}, []string{"a", "b"}, []int32{1}, 1},
		{"Bob", &address{"Oslo", nil}, []string{}, nil, 2},
		{"Cid", nil, nil, []int32{2, 3}, 3},
	}); err != nil {
		t.Fatal(err)
	}
	r := bytes.NewReader(file.Bytes())
	got, err := Read(r, r.Size())
	want := "[name address.city address.zip tags plain born]\n[string string int any any time.Time]\n" +
		"[Ann Rome 4000000000 [a b] [1] 1970-01-02 00:00:00 +0000 UTC]\n[Bob Oslo <nil> [] [] 1970-01-03 00:00:00 +0000 UTC]\n[Cid <nil> <nil> [] [2 3] 1970-01-04 00:00:00 +0000 UTC]"
	if err != nil || all(got) != want {
		t.Errorf("%v, got\n%s", err, all(got))
	}
	type gaps struct {
		List []*int64 `parquet:"list,list"`
		Some *[]int64 `parquet:"some,optional"`
	}
	one := int64(1)
	file.Reset()
	if err := parquet.Write(&file, []gaps{{List: []*int64{&one, nil}}}); err == nil {
		r := bytes.NewReader(file.Bytes())
		if got, err := Read(r, r.Size()); err != nil || fmt.Sprint(got.Row(0)[0]) != "[1 <nil>]" {
			t.Error(all(got), err)
		}
	}
}

// Lists of lists, structs in lists and maps are values of one column.
func TestListsOfListsStructsAndMaps(t *testing.T) {
	type item struct {
		Name   string   `parquet:"name"`
		Prices []*int64 `parquet:"prices,list"`
	}
	type row struct {
		ID     int64            `parquet:"id"`
		Matrix [][]float64      `parquet:"matrix,list"`
		Items  []item           `parquet:"items,list"`
		Plain  []item           `parquet:"plain"`
		Counts map[string]int32 `parquet:"counts"`
		Codes  map[int64]string `parquet:"codes"`
		Box    *struct {
			Items []item `parquet:"items,list"`
		} `parquet:"box"`
		Last string `parquet:"last"`
	}
	price := int64(7)
	rows := []row{
		{ID: 1, Matrix: [][]float64{{1, 2}, {}, {3}}, Items: []item{{"a", []*int64{&price, nil}}, {"b", nil}}, Plain: []item{{"p", []*int64{&price}}}, Counts: map[string]int32{"x": 1, "y": 2}, Codes: map[int64]string{5: "five"}, Last: "end"},
		{ID: 2},
		{ID: 3, Items: []item{{"c", []*int64{&price}}}, Box: &struct {
			Items []item `parquet:"items,list"`
		}{[]item{{"z", nil}}}, Last: "stop"},
	}
	for range 600 { // more than a buffer of values
		rows = append(rows, rows[0], rows[1])
	}
	var file bytes.Buffer
	if err := parquet.Write(&file, rows); err != nil {
		t.Fatal(err)
	}
	r := bytes.NewReader(file.Bytes())
	got, err := Read(r, r.Size())
	if err != nil {
		t.Fatal(err)
	}
	if columns := fmt.Sprint(got.Columns()); columns != "[id matrix items plain counts codes box.items last]" || got.Len() != len(rows) {
		t.Fatal(columns, got.Len())
	}
	first := "[1 [[1 2] [] [3]] [map[name:a prices:[7 <nil>]] map[name:b prices:[]]] [map[name:p prices:[7]]] map[x:1 y:2] [map[key:5 value:five]] <nil> end]"
	for i := range got.Len() {
		want := "[2 [] [] [] map[] map[] <nil> ]"
		switch {
		case i == 2:
			want = "[3 [] [map[name:c prices:[7]]] [] map[] map[] [map[name:z prices:[]]] stop]"
		case i%2 == 1 && i > 2 || i == 0:
			want = first
		}
		if row := fmt.Sprint(got.Row(i)); row != want {
			t.Fatalf("row %d: %s, want %s", i, row, want)
		}
	}
}

func TestBatchesFollowEachOther(t *testing.T) {
	long := table.New("n", "list")
	for n := range 1000 {
		long.Append(n, fmt.Sprint(n%3))
	}
	r := written(t, long)
	rows, batches := 0, 0
	for batch, err := range Batches(r, r.Size(), 300) {
		if err != nil {
			t.Fatal(err)
		}
		if batch.At(0, "n") != rows {
			t.Errorf("batch %d begins with %v", batches, batch.At(0, "n"))
		}
		rows, batches = rows+batch.Len(), batches+1
	}
	if rows != 1000 || batches != 4 {
		t.Errorf("%d rows in %d batches", rows, batches)
	}
	for range Batches(r, r.Size(), 10) {
		break
	}
}

func FuzzRead(f *testing.F) {
	for _, of := range []*table.Table{sample(), table.New("a")} {
		r := written(f, of)
		text := make([]byte, r.Size())
		_, _ = r.ReadAt(text, 0)
		f.Add(text)
	}
	f.Add([]byte("PAR1PAR1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := Read(bytes.NewReader(text), int64(len(text)))
		if err == nil && len(got.Types()) != len(got.Columns()) {
			t.Error(got)
		}
	})
}
