package table

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

func sizes(list ...any) *Table {
	t := New("size")
	for _, size := range list {
		t.Append(size)
	}
	return t.WithColumns(Categories("size", "S", "M", "L", "XL"))
}

func TestCategoriesKeepTheirOrder(t *testing.T) {
	got := sizes("L", "S", nil, "M", "L")
	if kinds := got.Types(); !reflect.DeepEqual(kinds, []string{"table.Category"}) {
		t.Errorf("types %q", kinds)
	}
	for want, made := range map[string]*Table{
		"S M L L <nil>":       got.Sort("size"),
		"L L M S <nil>":       got.Sort("-size"),
		"L L":                 got.Filter(Gt("size", "M")),
		"L M L":               got.Filter(In("size", "M", "L")),
		"S":                   got.Aggregate(Min("size")),
		"L S XL M L":          got.FillNull("XL"),
		"L S <nil> M L S":     Concat(got, sizes("S")),
		"L S <nil> M L other": Concat(got, Of([]struct{ Size string }{{"other"}}).Rename("Size", "size")),
		"l s <nil> m l":       got.WithColumns(Map("size", strings.ToLower)),
		"2 0 <nil> 1 2":       got.WithColumns(Map("size", Category.Code)),
		"L S <nil> M":         got.Unique("size"),
	} {
		var list []string
		for i := range made.Len() {
			list = append(list, fmt.Sprint(made.Row(i)[0]))
		}
		if text := strings.Join(list, " "); text != want {
			t.Errorf("got %s, want %s", text, want)
		}
	}
	if counts := separated(got.ValueCounts("size")); counts != "size,count L,2 S,1 M,1 XL,0" {
		t.Errorf("counts %s", counts)
	}
	if joined := got.InnerJoin(sizes("S", "XL").With("n", func(Row) any { return 1 }), "size"); joined.Len() != 1 {
		t.Errorf("joined %v", all(joined))
	}
	text, err := json.Marshal(got.Head(1))
	if err != nil || string(text) != `[{"size":"L"}]` {
		t.Errorf("%s, %v", text, err)
	}
	texts, err := Column[*string](got, "size")
	if err != nil || *texts[0] != "L" || texts[2] != nil {
		t.Errorf("%v, %v", texts, err)
	}
	if back := Of([]struct{ Size Category }{{got.At(0, "size").(Category)}, {}}); back.Types()[0] != "table.Category" || back.At(1, "Size") != nil {
		t.Errorf("got %v of %v", all(back), back.Types())
	}
	if list := got.At(0, "size").(Category).All(); !reflect.DeepEqual(list, []string{"S", "M", "L", "XL"}) {
		t.Errorf("categories %q", list)
	}
}

func TestTextsOutsideOfTheCategoriesAreErrors(t *testing.T) {
	words := New("size", "x")
	words.Append("S", 1.5)
	words.Append("huge", 70.0)
	words.Append("S", math.NaN())
	for want, call := range map[string]func(){
		`table: Categories: column "size", row 1: "huge" is none of the categories "S", "M"`:          func() { words.WithColumns(Categories("size", "S", "M")) },
		`table: Categories: column "size": the category "S" is named twice`:                           func() { Categories("size", "S", "S") },
		`table: eq: column "size": "XS" is none of its categories "S", "M", "L", "XL"`:                func() { sizes("S").Filter(Eq("size", "XS")) },
		`table: FillNull: column "size": "XS" is none of its categories "S", "M", "L", "XL"`:          func() { sizes("S", nil).FillNull("XS") },
		`table: column "x", row 1: 70 is not between 0 and 65, the edges of the bins`:                 func() { words.WithColumns(Cut("x", 0, 65)) },
		`table: column "x", row 2: NaN is not between 0 and +Inf, the edges of the bins`:              func() { words.WithColumns(Cut("x", 0, math.Inf(1))) },
		`table: column "size", row 0: "S" is not a number`:                                            func() { words.WithColumns(Cut("size", 0, 65)) },
		`table: Bins: column "x": edges [3 2], want them in ascending order`:                          func() { Cut("x", 3, 2) },
		`table: Bins: column "x": 0 bins, want 1 to 1000000`:                                          func() { Cut("x", 3) },
		`table: Bins: column "x": want one of Edges, Equal and Quantiles`:                             func() { Bins{}.Of("x") },
		`table: Bins: column "x": 1 labels for 2 bins`:                                                func() { Bins{Equal: 2, Labels: []string{"a"}}.Of("x") },
		`table: Bins: column "x": quantiles [0.1 1], want them to begin with 0 and to end with 1`:     func() { Bins{Quantiles: []float64{0.1, 1}}.Of("x") },
		`table: Bins: column "x": the values from 1.5 to 1.5 are too close for 3 bins of equal width`: func() { words.Head(1).WithColumns(Bins{Equal: 3}.Of("x")) },
		`table: Bins: column "x": the groups have different edges: give Labels`:                       func() { words.GroupBy("size").WithColumns(Bins{Equal: 3}.Of("x")) },
		`table: cross join: it has the keys ["x"], want none`:                                         func() { Join{On: []string{"x"}}.Cross(words, words) },
		`table: 7 times minute, want a divisor of 60`:                                                 func() { Minute.Times(7) },
		`table: 2 times week, want seconds, minutes, hours or months`:                                 func() { Week.Times(2) },
		`table: column "size", row 0: "S" is not a value of type time.Time`:                           func() { words.Resample("size", Day, Len()) },
	} {
		if got := panicOf(call); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestBinsOfGroupsHaveTheirOwnEdges(t *testing.T) {
	got := New("g", "x")
	for i, x := range []float64{1, 2, 3, 10, 20, 30} {
		got.Append(i/3, x)
	}
	halves := Bins{Quantiles: []float64{0, 0.5, 1}, Labels: []string{"low", "high"}}.Of("x")
	if text := separated(got.GroupBy("g").WithColumns(halves)); text != "g,x 0,low 0,low 0,high 1,low 1,low 1,high" {
		t.Errorf("got %s", text)
	}
	if text := separated(got.WithColumns(Cut("x", math.Inf(-1), 2, 20, 30))); text != `g,x 0,(-Inf, 2] 0,(-Inf, 2] 0,(2, 20] 1,(2, 20] 1,(2, 20] 1,(20, 30]` {
		t.Errorf("got %s", text)
	}
}

// The clocks of Lord Howe Island are set forward at 2:00 to 2:30 on 4 October 2026, and back at
// 2:00 to 1:30 on 4 April 2027.
func TestHoursAreCutByChangesOfHalfAnHour(t *testing.T) {
	zone, err := time.LoadLocation("Australia/Lord_Howe")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from string
		unit Unit
		want []string
	}{
		{"2026-10-03T13:00:00Z", Hour, []string{"23:00+10:30", "00:00+10:30", "01:00+10:30", "02:30+11:00", "03:00+11:00", "04:00+11:00"}},
		{"2027-04-03T13:00:00Z", Hour, []string{"00:00+11:00", "01:00+11:00", "01:30+10:30", "02:00+10:30", "03:00+10:30", "04:00+10:30"}},
		{"2027-04-03T13:00:00Z", Hour.Times(2), []string{"00:00+11:00", "02:00+10:30", "04:00+10:30"}},
		{"2027-04-03T14:30:00Z", Minute.Times(20), []string{"01:20+11:00", "01:40+11:00", "01:30+10:30", "01:40+10:30", "02:00+10:30", "02:20+10:30"}},
	} {
		from, _ := time.Parse(time.RFC3339, c.from)
		var begins []string
		for at := from.In(zone); at.Before(from.Add(5 * time.Hour)); at = at.Add(5 * time.Minute) {
			begin := c.unit.begin(at)
			if begin.After(at) || !c.unit.begin(begin).Equal(begin) {
				t.Errorf("%v: %v begins at %v", c.unit, at, begin)
			}
			if text := begin.Format("15:04Z07:00"); len(begins) == 0 || begins[len(begins)-1] != text {
				begins = append(begins, text)
			}
		}
		if len(begins) < len(c.want) || !reflect.DeepEqual(begins[:len(c.want)], c.want) {
			t.Errorf("%v from %s: %v, want %v", c.unit, c.from, begins, c.want)
		}
		at := c.unit.begin(from.In(zone))
		for n, want := range begins {
			if text := at.Format("15:04Z07:00"); text != want {
				t.Errorf("%v from %s: number %d is %s, want %s", c.unit, c.from, n, text, want)
			}
			at = c.unit.next(at)
		}
	}
}

func TestResampleShowsPeriodsWithoutRows(t *testing.T) {
	got := New("shop", "day", "units")
	day := func(n int) time.Time { return time.Date(2026, 1, n, 15, 4, 5, 0, time.UTC) }
	got.Append("b", day(5), 2)
	got.Append("a", day(2), 1)
	got.Append("b", day(3), 4)
	got.Append("b", day(3), nil)
	if text := separated(got.GroupBy("shop").Resample("day", Day, Len(), Sum("units"), Mean("units"))); text !=
		"shop,day,len,units_sum,units_mean b,2026-01-03T00:00:00Z,2,4,4 b,2026-01-04T00:00:00Z,0,0,~ b,2026-01-05T00:00:00Z,1,2,2 a,2026-01-02T00:00:00Z,1,1,1" {
		t.Errorf("got %s", text)
	}
	if made := got.Head(0).Resample("day", Day, Len()); made.Len() != 0 || fmt.Sprint(made.Columns()) != "[day len]" {
		t.Errorf("got %v", made)
	}
	got.Append("a", nil, 1)
	if text := panicOf(func() { got.Resample("day", Day, Len()) }); text != `table: column "day", row 4: the value is missing, want a time: use DropNull` {
		t.Errorf("got %s", text)
	}
}
