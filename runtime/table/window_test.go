package table

import (
	"fmt"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

func TestPivotAndMelt(t *testing.T) {
	long := fromCSV(t, "k,c,x a,u,1 b,v,2 a,,3 ,u,4 a,u,5")
	for want, got := range map[string]*Table{
		"k,u,v,null a,6,~,3 b,~,2,~ ~,4,~,~": long.GroupBy("k").Pivot("c", Sum("x")),
		"k,u,v a,5,~ b,~,2 ~,4,~":            long.DropNull("c").GroupBy("k").Pivot("c", Last("x")),
		"c,1,2,3,4,5 u,a,~,~,~,a v,~,b,~,~,~ ~,~,~,a,~,~": func() *Table {
			wide := long.GroupBy("c").Pivot("x", Only("k"))
			return wide
		}(),
		"c,1.5,2 u,1,~ v,~,1":             fromCSV(t, "c,x u,1.5 v,2").GroupBy("c").Pivot("x", Len()),
		"k,n,v a,x,1 ~,x,2 a,y,0.5 ~,y,~": fromCSV(t, "k,x,y a,1,0.5 ,2,").Melt("n", "v", "x", "y"),
		"n,v x,1 x,2 y,a y,b":             fromCSV(t, "x,y 1,a 2,b").WithColumns(Map("x", func(n int) string { return fmt.Sprint(n) })).Melt("n", "v"),
	} {
		if separated(got) != want {
			t.Errorf("got  %s\nwant %s", separated(got), want)
		}
	}
	for want, call := range map[string]func(){
		`table: Only: column "x": 1 in row 0 and 5 in row 4 in the group k "a", c "u": use an aggregate such as Sum or First`: func() { long.GroupBy("k").Pivot("c", Only("x")) },
		`table: Pivot: column "k" is a key of the groups`:                                                                     func() { long.GroupBy("k").Pivot("k", Sum("x")) },
		`table: Pivot: column "c", row 1: a column "k" exists`:                                                                func() { fromCSV(t, "k,c a,u b,k").GroupBy("k").Pivot("c", Len()) },
		`table: Melt: columns ["c" "x"] have types string, int, which have no common one`:                                     func() { long.Melt("n", "v", "c", "x") },
		`table: Melt: a column "k" exists`:                                                                                    func() { long.Melt("k", "v", "x") },
		`table: Melt: column "x" is named twice`:                                                                              func() { long.Melt("n", "v", "x", "x") },
	} {
		if got := panicOf(call); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestWindowsAreWithinGroups(t *testing.T) {
	of := fromCSV(t, "k,x a,1 b,5 a, b,7 a,3 a,3")
	for want, x := range map[string]Expr{
		"[<nil> <nil> 1 5 <nil> 3]":      Lag("x", 1),
		"[<nil> 7 3 <nil> 3 <nil>]":      Lead("x", 1),
		"[<nil> <nil> 1 5 <nil>  3]":     Lag("x", 1).As("y"),
		"[<nil> <nil> <nil> 2 <nil> 0]":  Diff("x", 1),
		"[1 5 <nil> 12 4 7]":             CumSum("x"),
		"[1 5 <nil> 5 1 1]":              CumMin("x"),
		"[1 5 <nil> 7 3 3]":              CumMax("x"),
		"[1 1 1 2 2 3]":                  CumCount("x"),
		"[1 1 2 2 3 4]":                  RowNumber(),
		"[1 1 <nil> 2 2.5 2.5]":          Rank("x", AverageRank),
		"[1 1 <nil> 2 2 2]":              Rank("x", MinRank),
		"[1 1 <nil> 2 3 3]":              Rank("x", MaxRank),
		"[3 2 <nil> 1 1 1]":              Rank("-x", MinRank),
		"[2 2 <nil> 1 1 1]":              Rank("-x", DenseRank),
		"[1 1 <nil> 2 2 3]":              Rank("x", OrdinalRank),
		"[1 5 1 7 3 3]":                  FillForward("x"),
		"[1 5 3 7 3 3]":                  FillBackward("x"),
		"[<nil> <nil> <nil> 12 <nil> 6]": Window{Rows: 2}.Of(Sum("x")),
		"[1 5 1 12 3 6]":                 Window{Rows: 2, Known: 1}.Of(Sum("x")),
		"[1 1 2 2 2 2]":                  Window{Rows: 2, Known: 1}.Of(Len()),
		"[1 5 1 7 3 3 ]":                 Window{Rows: 9, Known: 1}.Of(Max("x")),
	} {
		got := of.GroupBy("k").WithColumns(x.As("y"))
		list, err := got.Column("y")
		if text := fmt.Sprint(list); err != nil || text != strings.ReplaceAll(strings.ReplaceAll(want, "  ", " "), " ]", "]") {
			t.Errorf("%s: got %s, want %s", x.name, text, want)
		}
	}
}

// A statistic of a window is that of the rows of the window.
func TestMovingStatisticsAreThoseOfTheirRows(t *testing.T) {
	of := New("day", "x", "y")
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 60 {
		var x any = float64(i * i % 17)
		if i%7 == 3 {
			x = nil
		}
		of.Append(at.Add(time.Duration(i/2*(1+i%3))*time.Hour), x, i)
	}
	of = of.Sort("day")
	for _, statistic := range []Expr{Sum("x"), Mean("x"), Median("x"), Std("x"), Min("x"), Last("x"), Corr("x", "y"), Func("f", func(g *Table) any { return g.Len() })} {
		rows := of.WithColumns(Window{Rows: 5, Known: 1}.Of(statistic).As("z"))
		span := of.WithColumns(Window{By: "day", Span: 7 * time.Hour}.Of(statistic).As("z"))
		for i := range of.Len() {
			now := of.At(i, "day").(time.Time)
			near := of.Where(func(r Row) bool { return !r.Time("day").After(now) && r.Time("day").After(now.Add(-7*time.Hour)) })
			for n, got := range []any{rows.At(i, "z"), span.At(i, "z")} {
				want := [2]*Table{of.Head(i + 1).Tail(5), near}[n].Aggregate(statistic.As("z")).At(0, "z")
				if statistic.name == "x_sum" && [2]*Table{of.Head(i + 1).Tail(5), near}[n].DropNull("x").Len() == 0 {
					want = nil
				}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%s, row %d, window %d: got %v, want %v", statistic.name, i, n, got, want)
				}
			}
		}
	}
	for want, call := range map[string]func(){
		`table: Window: set Rows, or By and Span, to more than 0`:        func() { Window{}.Of(Sum("x")) },
		`table: Window: "x_lag" is not an aggregate such as Sum or Mean`: func() { Window{Rows: 2}.Of(Lag("x", 1)) },
		`table: column "s", row 2: "c" is not a number`:                  func() { fromCSV(t, "s,x ,1 ,2 c,3").WithColumns(Window{Rows: 2}.Of(Sum("s"))) },
		`table: column "x", row 0: 1 is not a time`:                      func() { fromCSV(t, "x 1").WithColumns(Window{By: "x", Span: 1}.Of(Len())) },
		`table: Window: column "day", row 1: 2026-01-01 00:00:00 +0000 UTC is before 2026-01-02 00:00:00 +0000 UTC in row 0: call Sort first`: func() {
			fromCSV(t, "day 2026-01-02 2026-01-01").WithColumns(Window{By: "day", Span: 1}.Of(Len()))
		},
		`table: CumSum: column "n", row 1: the sum of 9223372036854775807 and 1 exceeds int`:            func() { fromCSV(t, "n 9223372036854775807 1").WithColumns(CumSum("n")) },
		`table: Diff: column "n", row 1: the difference of -9223372036854775808 and 1 exceeds its type`: func() { fromCSV(t, "n 1 -9223372036854775808").WithColumns(Diff("n", 1)) },
		`table: Diff: column "n", row 1: the difference of 1 and -9223372036854775808 exceeds its type`: func() { fromCSV(t, "n -9223372036854775808 1").WithColumns(Diff("n", 1)) },
		`table: Rank: column "n": ranking 9, want AverageRank to OrdinalRank`:                           func() { Rank("n", 9) },
	} {
		if got := panicOf(call); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestNaNInWindows(t *testing.T) {
	of := fromCSV(t, "x 2 NaN 1 ")
	for want, x := range map[string]Expr{
		"[2 NaN NaN]":   CumSum("x"),
		"[2 NaN NaN ]":  CumMin("x"),
		"[2 3 1]":       Rank("x", MinRank),
		"[1 3 2]":       Rank("-x", MinRank),
		"[2 NaN NaN  ]": Window{Rows: 2, Known: 1}.Of(Max("x")),
	} {
		list, err := of.WithColumns(x.As("y")).Column("y")
		if text := fmt.Sprint(list); err != nil || text != strings.ReplaceAll(strings.ReplaceAll(want, " ]", "]"), " ]", "]") {
			t.Errorf("%s: got %s, want %s", x.name, text, want)
		}
	}
}

func TestTimesAreCutInTheirZones(t *testing.T) {
	zone := func(name string) *time.Location {
		place, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		return place
	}
	berlin, cairo, havana, sydney := zone("Europe/Berlin"), zone("Africa/Cairo"), zone("America/Havana"), zone("Australia/Sydney")
	for _, test := range []struct {
		at   time.Time
		unit Unit
		want string
	}{
		{time.Date(2026, 3, 29, 23, 30, 1, 5, berlin), Day, "2026-03-29T00:00:00+01:00"},
		{time.Date(2026, 3, 29, 23, 30, 1, 5, berlin), Week, "2026-03-23T00:00:00+01:00"},
		{time.Date(2026, 3, 30, 0, 30, 1, 5, berlin), Week, "2026-03-30T00:00:00+02:00"},
		{time.Date(2026, 3, 29, 23, 30, 1, 5, berlin), Month, "2026-03-01T00:00:00+01:00"},
		{time.Date(2026, 12, 29, 23, 30, 1, 5, berlin), Quarter, "2026-10-01T00:00:00+02:00"},
		{time.Date(2026, 12, 29, 23, 30, 1, 5, sydney), Year, "2026-01-01T00:00:00+11:00"},
		{time.Date(2026, 12, 29, 23, 30, 1, 5, berlin), Hour, "2026-12-29T23:00:00+01:00"},
		{time.Date(2026, 12, 29, 23, 30, 1, 5, berlin), Minute, "2026-12-29T23:30:00+01:00"},
		{time.Date(2026, 12, 29, 23, 30, 1, 5, berlin), Second, "2026-12-29T23:30:01+01:00"},
		{time.Date(2026, 4, 24, 12, 0, 0, 0, cairo), Day, "2026-04-24T01:00:00+03:00"},  // the clock skips midnight
		{time.Date(2025, 11, 2, 12, 0, 0, 0, havana), Day, "2025-11-02T00:00:00-04:00"}, // and shows it twice
		{time.Date(1, 1, 1, 12, 0, 0, 0, time.UTC), Week, "0001-01-01T00:00:00Z"},
	} {
		if got := test.unit.begin(test.at); got.Format(time.RFC3339) != test.want || !test.unit.begin(got).Equal(got) {
			t.Errorf("the %v of %v begins at %v, want %s", test.unit, test.at, got, test.want)
		}
		if next := test.unit.next(test.unit.begin(test.at)); !next.After(test.at) || !test.unit.begin(next.Add(-1)).Equal(test.unit.begin(test.at)) {
			t.Errorf("the %v after that of %v begins at %v", test.unit, test.at, next)
		}
	}
	of := fromCSV(t, "t 2026-03-29T01:59:59.5")
	for want, wall := range map[string]string{
		"[2026-03-29 01:59:59.5 +0100 CET]": "2026-03-29T01:59:59.5",
		"[2026-10-25 01:30:00 +0200 CEST]":  "2026-10-25T01:30:00",
		"[2026-10-25 03:00:00 +0100 CET]":   "2026-10-25T03:00:00",
		`table: column "t", row 0: time.Date(2026, time.March, 29, 2, 30, 0, 0, time.UTC): the clocks of Europe/Berlin do not show this time`:  "2026-03-29T02:30:00",
		`table: column "t", row 0: time.Date(2026, time.October, 25, 2, 30, 0, 0, time.UTC): the clocks of Europe/Berlin show this time twice`: "2026-10-25T02:30:00",
	} {
		of = fromCSV(t, "t "+wall)
		got := panicOf(func() { panic(of.WithColumns(Localize("t", berlin)).Row(0)) })
		if got != want {
			t.Errorf("%s: got %s, want %s", wall, got, want)
		}
	}
	text := New("t")
	text.Append("2026-10-25T02:30:00+01:00")
	text.Append(nil)
	if got := separated(text.WithColumns(ParseTime("t", berlin))); got != "t 2026-10-25T02:30:00+01:00 ~" {
		t.Errorf("got %s", got)
	}
	text.Append("soon")
	want := `table: column "t", row 2: "soon": no layout of ["02.01.2006"] fits`
	if got := panicOf(func() { text.Tail(1).WithColumns(ParseTime("t", berlin, "02.01.2006")) }); got != strings.Replace(want, "row 2", "row 0", 1) {
		t.Errorf("got %s", got)
	}
	want = `table: column "t", row 2: "soon": no layout of`
	if got := panicOf(func() { text.WithColumns(ParseTime("t", berlin)) }); !strings.HasPrefix(got, want) {
		t.Errorf("got %s", got)
	}
}

func TestPeriodsWithoutRowsAreAdded(t *testing.T) {
	of := fromCSV(t, "x,day 1,2026-01-31 2,2026-01-28 3,2026-01-31")
	if got := separated(of.Upsample("day", Day)); got != "x,day 2,2026-01-28T00:00:00Z ~,2026-01-29T00:00:00Z ~,2026-01-30T00:00:00Z 1,2026-01-31T00:00:00Z 3,2026-01-31T00:00:00Z" {
		t.Errorf("got %s", got)
	}
	want := `table: Upsample: column "day", row 0: 2026-01-31 00:00:00 +0000 UTC is not the beginning of a week: use Truncate`
	if got := panicOf(func() { of.Upsample("day", Week) }); got != want {
		t.Errorf("got %s", got)
	}
	want = `table: column "day", row 0: the value is missing, want a time`
	if got := panicOf(func() { of.WithColumns(Lag("day", 1).As("day")).Upsample("day", Day) }); got != want || of.Head(0).Upsample("day", Day).Len() != 0 {
		t.Errorf("got %s", got)
	}
}
