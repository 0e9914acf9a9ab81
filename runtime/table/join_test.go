package table

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestJoinsKeepTheirOrder(t *testing.T) {
	left, right := fromCSV(t, "k,x b,1 a,2 ,3 a,4 c,5"), fromCSV(t, "k,y a,10 d,20 ,30 a,40 b,50")
	for want, got := range map[string]*Table{
		"k,x,y b,1,50 a,2,10 a,2,40 a,4,10 a,4,40":                           left.InnerJoin(right, "k"),
		"k,x,y b,1,50 a,2,10 a,2,40 ~,3,~ a,4,10 a,4,40 c,5,~":               left.LeftJoin(right, "k"),
		"k,x,y b,1,50 a,2,10 a,2,40 a,4,10 a,4,40 d,~,20 ~,~,30":             left.RightJoin(right, "k"),
		"k,x,y b,1,50 a,2,10 a,2,40 ~,3,~ a,4,10 a,4,40 c,5,~ d,~,20 ~,~,30": left.FullJoin(right, "k"),
		"k,x b,1 a,2 a,4": left.SemiJoin(right, "k"),
		"k,x ~,3 c,5":     left.AntiJoin(right, "k"),
		"k,x,y b,1,50 a,2,10 a,2,40 ~,3,30 a,4,10 a,4,40": Join{On: []string{"k"}, NullsEqual: true}.Inner(left, right),
		"k,x c,5": Join{On: []string{"k"}, NullsEqual: true}.Anti(left, right),
		"k,x,k_right b,1,a a,2,d ~,3,~ a,4,a c,5,b":                                left.InnerJoin(right.With("y", func(r Row) any { return r.Int("y") / 10 }), "x=y"),
		"k,x,x_of b,1,b a,2,a a,2,a a,4,a a,4,a":                                   Join{On: []string{"k"}, Suffix: "_of"}.Inner(left, right.Select("k").WithColumns(Col("k").As("x"))),
		"k,x,y b,1,50 a,2,10 a,2,40 ~,3,~ a,4,10 a,4,40 c,5,~ d,~,20 ~,~,30 d,~,9": left.FullJoin(Concat(right, fromCSV(t, "y,k 9,d")), "k"),
	} {
		if separated(got) != want {
			t.Errorf("got  %s\nwant %s", separated(got), want)
		}
	}
	if empty := left.Head(0).FullJoin(right.Head(0), "k"); empty.Len() != 0 || fmt.Sprint(empty.Columns()) != "[k x y]" {
		t.Errorf("got %v", empty)
	}
}

func TestKeysOfJoinsHaveTheirTypes(t *testing.T) {
	integers, numbers := fromCSV(t, "k,x 1,a 2,b"), fromCSV(t, "k,y 2,c 2.5,d")
	if got := integers.FullJoin(numbers, "k"); separated(got) != "k,x,y 1,a,~ 2,b,c 2.5,~,d" || got.Types()[0] != "float64" {
		t.Errorf("got %s of %v", separated(got), got.Types())
	}
	if got := integers.LeftJoin(numbers, "k"); separated(got) != "k,x,y 1,a,~ 2,b,c" || got.Types()[0] != "int" {
		t.Errorf("got %s of %v", separated(got), got.Types())
	}
	missing := New("k", "y")
	missing.Append(nil, 1)
	if got := integers.LeftJoin(missing, "k"); separated(got) != "k,x,y 1,a,~ 2,b,~" {
		t.Errorf("got %s", separated(got))
	}
	at := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	utc, paris := New("t"), New("t", "y")
	utc.Append(at)
	paris.Append(at.In(time.FixedZone("", 3600)), 1)
	if got := utc.InnerJoin(paris, "t").Len(); got != 1 {
		t.Errorf("%d rows with equal instants", got)
	}
}

func TestWrongJoinsAreNamed(t *testing.T) {
	left, right := fromCSV(t, "k,x,x_right b,1,1 a,2,2 a,3,3"), fromCSV(t, "k,x a,1 b,1 b,2")
	for want, call := range map[string]func(){
		`table: join: no columns`: func() { left.InnerJoin(right) },
		`table: no column "y", want one of k, x, x_right, for the join on "y"`:                               func() { left.InnerJoin(right, "y") },
		`table: no column "z", want one of k, x, for the join on "k=z"`:                                      func() { left.InnerJoin(right, "k=z") },
		`table: join: column "k" has type string and "x" of the right table int`:                             func() { left.InnerJoin(right, "k=x") },
		`table: join: a column of ["k" "k"] occurs twice in it`:                                              func() { left.InnerJoin(right, "k", "k") },
		`table: join: column "x" of the right table has no name in the result: "x_right" exists: set Suffix`: func() { left.InnerJoin(right, "k") },
		`table: join: the key k "b" occurs in rows 1 and 2 of the right table, want it once`:                 func() { Join{On: []string{"k"}, Relation: ManyToOne}.Left(left, right) },
		`table: join: the key k "a" occurs in rows 1 and 2 of the left table, want it once`:                  func() { Join{On: []string{"k"}, Relation: OneToMany}.Left(left, right) },
		`table: join: a table is nil`: func() { left.InnerJoin(nil, "k") },
		`table: Concat: table 1 lacks column "x_right" of table 0: use ConcatFill`:                                                            func() { Concat(left, right) },
		`table: Concat: table 1 has column "x_right", table 0 only k, x: use ConcatFill`:                                                      func() { Concat(right, left) },
		`table: Concat: column "x" has type string in table 1 and int in tables before it`:                                                    func() { Concat(right, right.WithColumns(Col("k").As("x"))) },
		`table: as-of join: column "k" has type string and "k" of the right table string, want times, durations, integers or numbers in both`: func() { AsOf{On: "k"}.Join(left, right) },
		`table: as-of join: column "x" has type int, and the tolerance is 1s (time.Duration)`:                                                 func() { AsOf{On: "x", Tolerance: time.Second}.Join(left, right) },
	} {
		if got := panicOf(call); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := (Join{On: []string{"k"}, Relation: OneToOne}).Inner(left.Unique("k").Select("k"), right.Unique("k")).Len(); got != 2 {
		t.Errorf("%d rows", got)
	}
}

// A join has the pairs that two loops over the rows find.
func TestJoinsAreThoseOfTwoLoops(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	random := func(n int, name string) *Table {
		of := New("a", "b", name)
		for i := range n {
			var a, b any = draw.IntN(6), strings.Repeat("ß", draw.IntN(4))
			if draw.IntN(8) == 0 {
				a = nil
			}
			of.Append(a, b, i)
		}
		return of
	}
	for range 20 {
		left, right := random(draw.IntN(60), "l"), random(draw.IntN(60), "r")
		var pairs, alone strings.Builder
		rights := make([]bool, right.Len())
		for i := range left.Len() {
			found := false
			for j := range right.Len() {
				if left.At(i, "a") != nil && left.At(i, "a") == right.At(j, "a") && left.At(i, "b") == right.At(j, "b") {
					fmt.Fprintf(&pairs, "%d-%d ", i, j)
					found, rights[j] = true, true
				}
			}
			if !found {
				fmt.Fprintf(&pairs, "%d-<nil> ", i)
			}
		}
		for j, found := range rights {
			if !found {
				fmt.Fprintf(&alone, "<nil>-%d ", j)
			}
		}
		var got strings.Builder
		for _, r := range left.FullJoin(right, "a", "b").Rows() {
			fmt.Fprintf(&got, "%v-%v ", r.Value("l"), r.Value("r"))
		}
		if got.String() != pairs.String()+alone.String() {
			t.Fatalf("got  %s\nwant %s%s", got.String(), pairs.String(), alone.String())
		}
	}
}

func TestAsOfJoinsFindTheLatestRow(t *testing.T) {
	left, right := fromCSV(t, "k,t b,5 a,1 a,2 a,2.5 ,3 a, a,9"), fromCSV(t, "k,t,y a,2,1 a,1.5,2 a,2,3 b,6,4 a,8,5 a,,6 ,1,7")
	for want, got := range map[string]*Table{
		"k,t,y b,5,~ a,1,~ a,2,3 a,2.5,3 ~,3,~ a,~,~ a,9,5": AsOf{On: "t", By: []string{"k"}}.Join(left, right),
		"k,t,y b,5,4 a,1,2 a,2,1 a,2.5,5 ~,3,~ a,~,~ a,9,~": AsOf{On: "t", By: []string{"k"}, Forward: true}.Join(left, right),
		"k,t,y b,5,~ a,1,~ a,2,3 a,2.5,3 ~,3,~ a,~,~ a,9,~": AsOf{On: "t", By: []string{"k"}, Tolerance: 0.5}.Join(left, right),
		"k,t,y b,5,4 a,1,2 a,2,1 a,2.5,~ ~,3,~ a,~,~ a,9,~": AsOf{On: "t", By: []string{"k"}, Tolerance: 1, Forward: true}.Join(left, right),
		"t,at,y 5,2,3": AsOf{On: "t=at"}.Join(left.Select("t").Head(1), right.Rename("t", "at").Select("at", "y")),
	} {
		if separated(got) != want {
			t.Errorf("got  %s\nwant %s", separated(got), want)
		}
	}
	at := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	sales, prices := New("t"), New("t", "price")
	sales.Append(at.Add(time.Hour))
	sales.Append(at.Add(time.Hour + 1))
	prices.Append(at, 3)
	if got := separated(AsOf{On: "t", Tolerance: time.Hour}.Join(sales, prices)); got != "t,price 2026-01-02T01:00:00Z,3 2026-01-02T01:00:00.000000001Z,~" {
		t.Errorf("got %s", got)
	}
}

func TestTablesAreStackedByName(t *testing.T) {
	a, b, c := fromCSV(t, "x,y 1,a"), fromCSV(t, "y,x b,2.5 ,3"), fromCSV(t, "z,x 2026-01-02,4")
	if got := Concat(a, b, a.Head(0)); separated(got) != "x,y 1,a 2.5,b 3,~" || got.Types()[0] != "float64" {
		t.Errorf("got %s", separated(got))
	}
	if got := ConcatFill(a, c, b); separated(got) != "x,y,z 1,a,~ 4,~,2026-01-02T00:00:00Z 2.5,b,~ 3,~,~" {
		t.Errorf("got %s", separated(got))
	}
	var many []*Table
	for range 100 {
		many = append(many, b, a)
	}
	if got := Concat(many...); got.Len() != 300 || got.At(299, "y") != "a" || got.Filter(IsNull("y")).Len() != 100 {
		t.Errorf("got %v", got)
	}
	big := New("x", "y")
	big.Append(1<<53+1, "a")
	want := `table: Concat: column "x" has type int in table 0 and float64 in tables before it`
	if got := panicOf(func() { Concat(big, b) }); got != want || Concat().Len() != 0 {
		t.Errorf("got %s, want %s", got, want)
	}
}
