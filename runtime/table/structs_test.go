package table

import (
	"database/sql"
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"
)

type region string

type place struct {
	Land region `json:"land"`
	City string `json:"city,omitempty"`
}

type keyed struct {
	ID   uint16
	Note string `table:"-"`
}

type order struct {
	*keyed
	place
	Price  float32 `table:"unit price" json:"price"`
	Limit  sql.NullInt64
	Paid   sql.Null[time.Duration]
	Host   netip.Addr
	Month  time.Month
	Parts  []int `json:"-"`
	City   *string
	hidden int //lint:ignore U1000 Of must leave it out
}

func TestColumnsOfOtherTypes(t *testing.T) {
	got := New("n", "x", "word", "gap", "host", "wait")
	got.Append(1, 0.5, "a", nil, "10.0.0.1", time.Second)
	got.Append(200, math.NaN(), "b", 7, "10.0.0.2", nil)

	ints, err := Column[int](got, "n")
	if err != nil || !reflect.DeepEqual(ints, []int{1, 200}) {
		t.Errorf("got %v, %v", ints, err)
	}
	ints[0] = 9 // a copy
	if got.At(0, "n") != 1 {
		t.Error("the slice is that of the table")
	}
	floats, err := Column[float64](got, "n")
	if err != nil || !reflect.DeepEqual(floats, []float64{1, 200}) {
		t.Errorf("got %v, %v", floats, err)
	}
	words, err := Column[region](got, "word")
	if err != nil || !reflect.DeepEqual(words, []region{"a", "b"}) {
		t.Errorf("got %v, %v", words, err)
	}
	gaps, err := Column[*int](got, "gap")
	if err != nil || gaps[0] != nil || *gaps[1] != 7 {
		t.Errorf("got %v, %v", gaps, err)
	}
	nulls, err := Column[sql.Null[float64]](got, "gap")
	if err != nil || !reflect.DeepEqual(nulls, []sql.Null[float64]{{}, {V: 7, Valid: true}}) {
		t.Errorf("got %v, %v", nulls, err)
	}
	hosts, err := Column[netip.Addr](got, "host")
	if err != nil || hosts[1] != netip.MustParseAddr("10.0.0.2") {
		t.Errorf("got %v, %v", hosts, err)
	}
	values, err := Column[any](got, "wait")
	if err != nil || !reflect.DeepEqual(values, []any{time.Second, nil}) {
		t.Errorf("got %v, %v", values, err)
	}
}

func TestColumnsThatDoNotFitNameTheValue(t *testing.T) {
	got := New("n", "x", "word", "gap", "wait")
	got.Append(1<<53+1, 1e300, "a", nil, time.Second)
	for want, call := range map[string]func() error{
		`table: column "n", row 0: 9007199254740993 of type int is no value for float64`:    func() error { _, err := Column[float64](got, "n"); return err },
		`table: column "n", row 0: 9007199254740993 of type int is no value for int16`:      func() error { _, err := Column[int16](got, "n"); return err },
		`table: column "n", row 0: 9007199254740993 of type int is no value for string`:     func() error { _, err := Column[string](got, "n"); return err },
		`table: column "x", row 0: 1e+300 of type float64 is no value for float32`:          func() error { _, err := Column[float32](got, "x"); return err },
		`table: column "x", row 0: 1e+300 of type float64 is no value for int`:              func() error { _, err := Column[int](got, "x"); return err },
		`table: column "word", row 0: "a" of type string is no value for float64`:           func() error { _, err := Column[float64](got, "word"); return err },
		`table: column "wait", row 0: 1000000000 of type time.Duration is no value for int`: func() error { _, err := Column[int](got, "wait"); return err },
		`table: column "n", row 0: 9007199254740993 of type int is no value for time.Duration`: func() error {
			_, err := Column[time.Duration](got, "n")
			return err
		},
		`table: column "word", row 0: "a" of type string is no value for netip.Addr: ParseAddr("a"): unable to parse IP`: func() error {
			_, err := Column[netip.Addr](got, "word")
			return err
		},
		`table: column "gap", row 0: the value is missing, want a value for int; a pointer or sql.Null takes missing values`: func() error {
			_, err := Column[int](got, "gap")
			return err
		},
		`table: no column "m", want one of n, x, word, gap, wait`: func() error { _, err := Column[int](got, "m"); return err },
		`table: DecodeColumn: got int, want a pointer to a slice`: func() error { return got.DecodeColumn("n", 3) },
		`table: Decode: got *[]int, want a pointer to a slice of structs`: func() error {
			_, err := As[int](got)
			return err
		},
	} {
		if err := call(); fmt.Sprint(err) != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestTablesOfStructsAndBack(t *testing.T) {
	city := "Lyon"
	orders := []order{
		{keyed: &keyed{ID: 7, Note: "x"}, place: place{Land: "FR", City: "hidden"}, Price: 1.5, Limit: sql.NullInt64{Int64: 3, Valid: true},
			Host: netip.MustParseAddr("::1"), Month: time.May, City: &city},
		{place: place{Land: "DE"}, Paid: sql.Null[time.Duration]{V: time.Minute, Valid: true}, Month: time.June},
	}
	got := Of(orders)
	if want := "ID int, land string, city string, unit price float64, Limit int, Paid time.Duration, Host any, Month any, City string"; columnsAndTypes(got) != want {
		t.Errorf("got  %s\nwant %s", columnsAndTypes(got), want)
	}
	want := [][]any{
		{7, "FR", "hidden", 1.5, 3, nil, netip.MustParseAddr("::1"), time.May, "Lyon"},
		{nil, "DE", "", 0.0, nil, time.Minute, netip.Addr{}, time.June, nil},
	}
	if !reflect.DeepEqual(all(got), want) {
		t.Errorf("got %v", all(got))
	}
	back, err := As[order](got.Head(1).Rename("City", "CITY"))
	if err == nil || !strings.Contains(err.Error(), "the field ID of table.order is in an embedded pointer that is not exported") {
		t.Errorf("got %v, %v", back, err)
	}
	type exported struct {
		place
		Price float32 `table:"unit price"`
		Limit *uint8
		Month time.Month
		Wait  sql.Null[time.Duration] `json:"Paid"`
	}
	rows, err := As[*exported](got)
	if err != nil || rows[0].Land != "FR" || rows[0].City != "hidden" || rows[0].Price != 1.5 || *rows[0].Limit != 3 || rows[1].Limit != nil || rows[1].Month != time.June ||
		rows[1].Wait.V != time.Minute || rows[0].Wait.Valid {
		t.Errorf("got %+v, %v", rows, err)
	}
}

func columnsAndTypes(t *Table) string {
	var list []string
	for k, name := range t.Columns() {
		list = append(list, name+" "+t.Types()[k])
	}
	return strings.Join(list, ", ")
}

func TestFieldsThatNameOneColumnAreRefused(t *testing.T) {
	type twice struct {
		A int `json:"x"`
		B int `table:"x"`
	}
	type chain struct {
		*chain //lint:ignore U1000 Of must refuse it
		Next   int
	}
	for want, call := range map[string]func(){
		`table: Of: two fields of table.twice are the column "x": A and B`: func() { Of([]twice{}) },
		`table: Of: table.chain embeds itself`:                             func() { Of([]chain{}) },
	} {
		if got := panicOf(call); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	got := New("Name", "NAME")
	if _, err := As[struct{ Name string }](got); err != nil {
		t.Error(err)
	}
	if _, err := As[struct{ NaMe string }](got); fmt.Sprint(err) != `table: both the columns "Name" and "NAME" differ from "NaMe" in case only, for the field NaMe of struct { NaMe string }` {
		t.Error(err)
	}
}
