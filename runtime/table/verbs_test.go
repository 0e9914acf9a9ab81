package table

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// separated returns the table as CSV in one line, with ~ for a missing value.
func separated(t *Table) string {
	var text bytes.Buffer
	fmt.Fprint(&text, strings.Join(t.columns, ","))
	for i := range t.Len() {
		for k, value := range t.Row(i) {
			if value == nil {
				value = "~"
			}
			fmt.Fprint(&text, " ,"[min(k, 1):min(k, 1)+1], written(value))
		}
	}
	return text.String()
}

func fromCSV(t testing.TB, text string) *Table {
	t.Helper()
	read, err := CSV{Comma: ','}.Read(strings.NewReader(strings.ReplaceAll(text, " ", "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// The groups and their statistics follow the comment of the package.
func TestGroupsKeepMissingKeysAndTheirOrder(t *testing.T) {
	of := fromCSV(t, "k,x b,1 ,2 a,3 b, ,5 b,NaN")
	for want, got := range map[string]*Table{
		"k,len b,3 ~,2 a,1":                             of.GroupBy("k").Aggregate(Len()),
		"k,len a,1 b,3 ~,2":                             of.GroupBy("k").Aggregate(Len()).Sort("k"),
		"k,x_count b,2 a,1":                             of.DropNull("k").GroupBy("k").Aggregate(Count("x")),
		"k,x_sum b,NaN ~,7 a,3":                         of.GroupBy("k").Aggregate(Sum("x")),
		"k,x_mean b,NaN ~,3.5 a,3":                      of.GroupBy("k").Aggregate(Mean("x")),
		"k,x_min,x_max b,NaN,NaN ~,2,5 a,3,3":           of.GroupBy("k").Aggregate(Min("x"), Max("x")),
		"k,x_median,x_std b,NaN,NaN ~,3.5,2.121":        of.GroupBy("k").Aggregate(Median("x"), Std("x").As("x_std")).Head(2).With("x_std", func(r Row) any { return math.Floor(r.Float("x_std")*1000) / 1000 }),
		"k,x_first,x_last b,1,NaN ~,2,5 a,3,3":          of.GroupBy("k").Aggregate(First("x"), Last("x")),
		"k,x_n_unique b,2 ~,2 a,1":                      of.GroupBy("k").Aggregate(NUnique("x")),
		"k,x_q0,x_q1 b,NaN,NaN ~,2,5 a,3,3":             of.GroupBy("k").Aggregate(Quantile("x", 0), Quantile("x", 1)),
		"k,count b,3 a,1":                               of.ValueCounts("k"),
		"k b ~ a":                                       of.Select("k").Unique(),
		"k,x,x_max b,1,1 ~,2,5 a,3,3 b,~,1 ~,5,5 b,~,1": of.FillNaN(nil).GroupBy("k").WithColumns(Max("x")),
		"k,x b,1 ~,2 a,3 b,~ ~,5 b,0":                   of.FillNaN(0, "x"),
		"k,x b,1 ~,2 a,3 b,7 ~,5 b,NaN":                 of.FillNull(7, "x"),
		"k,x z,~ z,2":                                   of.FillNull("z", "k").Filter(Eq("k", "z")).With("x", func(r Row) any { return notFive(r.Float("x")) }).Sort("-x").take([]int{1, 0}),
	} {
		if separated(got) != want {
			t.Errorf("got %s, want %s", separated(got), want)
		}
	}
}

func notFive(x float64) any {
	if x == 5 {
		return nil
	}
	return x
}

func TestStatisticsOfNothing(t *testing.T) {
	for _, of := range []*Table{fromCSV(t, "x").Head(0), fromCSV(t, "x,y ,1 ,2").Select("x"), fromCSV(t, "x 1").Head(0)} {
		got := of.Aggregate(Len().As("n"), Count("x"), Sum("x"), Mean("x"), Median("x"), Std("x"), Min("x"), Max("x"), First("x"), Last("x"), NUnique("x"))
		want := fmt.Sprint([]any{of.Len(), 0, 0.0, nil, nil, nil, nil, nil, nil, nil, 0})
		if fmt.Sprint(got.Row(0)) != want || got.Len() != 1 {
			t.Errorf("%v: got %v, want %s", of, got.Row(0), want)
		}
		if n := of.GroupBy("x").Aggregate(Sum("x")).Len(); n != min(1, of.Len()) {
			t.Errorf("%d groups", n)
		}
	}
	one := fromCSV(t, "x 4").Aggregate(Std("x"), Var("x"), Quantile("x", 0.3), Corr("x", "x"))
	if got := fmt.Sprint(one.Row(0)); got != "[<nil> <nil> 4 <nil>]" {
		t.Errorf("statistics of one value are %s", got)
	}
}

func TestStatisticsHaveTheTypesOfTheirColumns(t *testing.T) {
	at := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	of := New("n", "x", "b", "d", "t", "s")
	of.Append(1, 0.5, true, time.Second, at, "ä")
	of.Append(2, 1.5, false, 4*time.Second, at.Add(time.Hour), "z")
	for name, want := range map[string]string{
		"n": "[3 1.5 1.5 0.7071067811865476 1 2] int float64 float64 float64 int int",
		"x": "[2 1 1 0.7071067811865476 0.5 1.5] float64 float64 float64 float64 float64 float64",
		"d": "[5s 2.5s 2.5s 2.121320344s 1s 4s] time.Duration time.Duration time.Duration time.Duration time.Duration time.Duration",
	} {
		got := of.Aggregate(Sum(name), Mean(name), Median(name), Std(name), Min(name), Max(name))
		if text := fmt.Sprint(got.Row(0), " ", strings.Join(got.Types(), " ")); text != want {
			t.Errorf("%s: got %s, want %s", name, text, want)
		}
	}
	got := of.Aggregate(Sum("b"), Mean("b"), Max("b"), Max("t"), Min("s"), Max("s"))
	if text := fmt.Sprint(got.Row(0)); text != "[1 0.5 true 2026-01-02 01:00:00 +0000 UTC z ä]" {
		t.Errorf("got %s", text)
	}
}

func TestSumsDoNotWrap(t *testing.T) {
	of := fromCSV(t, "k,n a,9223372036854775807 a,1 a,-1 b,9223372036854775807 b,1 c,-9223372036854775808 c,-1")
	if got := separated(of.Filter(Eq("k", "a")).Aggregate(Sum("n"))); got != "n_sum 9223372036854775807" {
		t.Errorf("got %s", got)
	}
	want := `table: Sum: column "n": the sum 9223372036854775808 in the group k "b" exceeds int: use BigSum`
	if got := panicOf(func() { of.GroupBy("k").Aggregate(Sum("n")) }); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := separated(of.GroupBy("k").Aggregate(BigSum("n"), Mean("n"))); got != "k,n_big_sum,n_mean "+
		"a,9223372036854775807,3.0744573456182584e+18 b,9223372036854775808,4.611686018427388e+18 c,-9223372036854775809,-4.611686018427388e+18" {
		t.Errorf("got %s", got)
	}
	long := New("d")
	long.Append(time.Duration(math.MaxInt64))
	long.Append(time.Duration(1))
	if got := panicOf(func() { long.Aggregate(Sum("d")) }); got != `table: Sum: column "d": the sum 9223372036854775808 exceeds time.Duration` {
		t.Errorf("got %s", got)
	}
	sum := fromCSV(t, "x 1e16 1 -1e16").Aggregate(Sum("x"))
	if got := separated(sum); got != "x_sum 1" {
		t.Errorf("got %s", got)
	}
	if got := separated(fromCSV(t, "x 1e308 1e308 1").Aggregate(Sum("x"))); got != "x_sum +Inf" {
		t.Errorf("got %s", got)
	}
}

// Keys are equal as Go's values are, except that NaN is equal to NaN, and times to times of the
// same instant in other zones.
func TestKeysOfEachType(t *testing.T) {
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	for n, keys := range [][]any{
		{1, 2, 1, nil, 1 << 60, -5, 2, nil},
		{0.0, math.NaN(), math.Copysign(0, -1), nil, math.Inf(1), 1e-300, math.NaN(), nil},
		{"a", "ä", "a", nil, "", "b", "ä", nil},
		{at, at.Add(1), at.In(time.FixedZone("", 3600)), nil, time.Time{}, at.Add(2), at.Add(1), nil},
		{time.Second, time.Minute, time.Second, nil, time.Duration(0), time.Hour, time.Minute, nil},
		{1, "1", 1.0, nil, []any{1}, true, "1", nil},
		{at, []any{"x"}, at.In(time.FixedZone("", 3600)), nil, 2.5, map[string]any{}, []any{"x"}, nil},
	} {
		of := New("key", "row")
		for i, key := range keys {
			of.Append(key, i)
		}
		got, err := of.GroupBy("key").Aggregate(First("row").As("row"), Len()).Column("row")
		if err != nil || fmt.Sprint(got) != "[0 1 3 4 5]" {
			t.Errorf("keys %d of type %s: first rows %v, %v", n, of.Types()[0], got, err)
		}
	}
}

// The same groups come from a map of Go, for each way in which columns are numbered.
func TestGroupsAreThoseOfAMap(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	of := New("near", "far", "x", "s")
	type key struct {
		near, far int
		x         float64
		s         string
	}
	groups := map[key][]int{}
	var order []key
	for i := range 5000 {
		k := key{draw.IntN(5), draw.IntN(4) << 55, float64(draw.IntN(3)) / 8, strings.Repeat("é", draw.IntN(3))}
		of.Append(k.near, k.far, k.x, k.s)
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], i)
	}
	g := of.GroupBy("near", "far", "x", "s")
	if g.Len() != len(order) {
		t.Fatalf("%d groups, want %d", g.Len(), len(order))
	}
	for n, k := range order {
		if got := g.e.groups.rows(n); !slices.Equal(got, groups[k]) {
			t.Fatalf("group %d: %v has rows %v, want %v", n, k, got, groups[k])
		}
	}
	if many := of.With("i", func(r Row) any { return r.at << 40 }).GroupBy("i"); many.Len() != 5000 {
		t.Errorf("%d groups, want 5000", many.Len())
	}
}

func TestConditionsOfMissingValues(t *testing.T) {
	of := fromCSV(t, "x,y a,1 b,2 ,3 c,")
	for want, x := range map[string]Expr{
		"true false ~ false":     Eq("x", "a"),
		"false true ~ true":      Ne("x", "a"),
		"true true ~ false":      Lt("x", "c"),
		"true false false ~":     Le("y", 1.5),
		"false true true ~":      Ge("y", 2),
		"false false true ~":     Gt("y", Mean("y")),
		"true false false false": Not(Or(Ne("x", "a"), Ne("y", 1))),
		"true true false ~":      And(Ne("x", "z"), Lt("y", 3)),
		"true true true ~":       Or(Eq("x", "b"), Ge("y", 0)),
		"false false true no":    IsNull("x"),
	} {
		list, err := of.WithColumns(x.As("c")).Column("c")
		got := strings.ReplaceAll(strings.Trim(fmt.Sprint(list...), "[]"), "<nil>", "~")
		got = strings.Join(strings.Fields(strings.ReplaceAll(strings.ReplaceAll(got, "true", " true "), "false", " false ")), " ")
		got = strings.ReplaceAll(got, "~~", "~ ~")
		if want = strings.Replace(want, "no", "false", 1); err != nil || got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	numbers := New("x")
	numbers.Append(math.NaN())
	numbers.Append(1.5)
	for want, x := range map[int]Expr{0: Gt("x", 2), 1: Ne("x", 1.5), 2: NotNull("x")} {
		if got := numbers.Filter(x).Len(); got != want {
			t.Errorf("%s: %d rows, want %d", x.name, got, want)
		}
	}
	if got := of.Filter().Len() + of.Filter(In("x", "a", "c", "z")).Len() + of.Filter(EqMissing("x", nil)).Len(); got != 7 {
		t.Errorf("%d rows, want 7", got)
	}
}

// Arithmetic with a missing value gives a missing value, and with NaN gives NaN.
func TestComputedColumnsKeepMissingValues(t *testing.T) {
	of := fromCSV(t, "a,b 1,2 ,2 NaN,2")
	got := of.With("sum", func(r Row) any { return r.Float("a") + r.Float("b") })
	if separated(got) != "a,b,sum 1,2,3 ~,2,~ NaN,2,NaN" || separated(of) != "a,b 1,2 ~,2 NaN,2" {
		t.Errorf("got %s from %s", separated(got), separated(of))
	}
	got = of.With("b", func(r Row) any { return max(0, r.Int("b")) }).With("c", func(r Row) any {
		if r.IsNull("a") {
			return 1
		}
		return 0.5
	})
	if separated(got) != "a,b,c 1,2,0.5 ~,2,1 NaN,2,0.5" || !reflect.DeepEqual(got.Types(), []string{"float64", "int", "float64"}) {
		t.Errorf("got %s of %v", separated(got), got.Types())
	}
	of.Append(7, 8)
	if got.Len() != 3 {
		t.Error("a row reached a table made before")
	}
}

func TestSamplesAreRepeatable(t *testing.T) {
	of := New("i")
	for i := range 100 {
		of.Append(i)
	}
	counts := make([]int, 100)
	for seed := range uint64(200) {
		list, err := of.Sample(10, seed).Column("i")
		again := of.Sample(10, seed)
		if err != nil || len(list) != 10 || separated(of.Sample(10, seed)) != separated(again) {
			t.Fatalf("seed %d: %v, %v", seed, list, err)
		}
		for n, i := range list {
			if n > 0 && i.(int) <= list[n-1].(int) {
				t.Fatalf("seed %d: rows %v are not different and in order", seed, list)
			}
			counts[i.(int)]++
		}
	}
	if slices.Min(counts) < 5 || slices.Max(counts) > 40 {
		t.Errorf("rows were drawn from %d to %d times, expected 20", slices.Min(counts), slices.Max(counts))
	}
}

// Each message names the column, and the row and the value if there is one.
func TestWrongOperationsAreNamed(t *testing.T) {
	of := fromCSV(t, "k,x a,1 b,2")
	anyOf := func(r Row) any { return []any{1, "one"}[r.at] }
	for want, call := range map[string]func(){
		`table: no column "y", want one of k, x`:                                                            func() { of.GroupBy("y") },
		`table: GroupBy: no columns: use Aggregate for all rows`:                                            func() { of.GroupBy() },
		`table: GroupBy: column "k" is named twice`:                                                         func() { of.GroupBy("k", "k") },
		`table: column "k", row 0: "a" is not a number`:                                                     func() { of.Aggregate(Sum("k")) },
		`table: column "k", row 0: "a" is not an integer`:                                                   func() { of.Aggregate(BigSum("k")) },
		`table: Aggregate: two columns are named "k": name one with As`:                                     func() { of.GroupBy("k").Aggregate(Len().As("k")) },
		`table: Aggregate: "x" has a value for each row, want one for each group, as of Sum, Mean or First`: func() { of.Aggregate(Col("x")) },
		`table: WithColumns: two columns are named "x": name one with As`:                                   func() { of.WithColumns(Col("x"), FillForward("x")) },
		`table: Quantile: 90 of column "x", want a number from 0 to 1`:                                      func() { Quantile("x", 90) },
		`table: With: column "y", row 1: "one" is a string among values of type int`:                        func() { of.With("y", anyOf) },
		`table: Func: column "y", row 1: "one" is a string among values of type int`: func() {
			of.GroupBy("k").Aggregate(Func("y", func(g *Table) any { return []any{1, "one"}[g.At(0, "x").(int)-1] }))
		},
		`table: Rename: "x" exists`: func() { of.Rename("k", "x") },
		`table: Sample: -1 rows`:    func() { of.Sample(-1, 0) },
		`table: FillNull: column "x" has type int: 0.5 does not fit, for row 1`:                                       func() { fromCSV(t, "x,y 1,1 ,1").FillNull(0.5) },
		`table: FillNull: nil for column "x" is a missing value itself`:                                               func() { fromCSV(t, "x,y 1,1 ,1").FillNull(nil) },
		`table: FillNaN: column "x" has type int, want float64`:                                                       func() { of.FillNaN(0, "x") },
		`table: FillNaN: "0" is not a number`:                                                                         func() { of.FillNaN("0") },
		`table: eq: column "x" has type int, which is not compared with "1" of type string`:                           func() { of.Filter(Eq("x", "1")) },
		`table: lt: column "x" has type int, which is not compared with "k" of type string`:                           func() { of.Filter(Lt("x", Col("k"))) },
		`table: eq: column "k" has type string, which is not compared with []byte{0x61} of type any`:                  func() { of.Filter(Eq("k", []byte("a"))) },
		`table: ne: column "x" is compared with nil, which gives no row: use IsNull`:                                  func() { of.Filter(Ne("x", nil)) },
		`table: Filter: the expression "x" has type int, want bool`:                                                   func() { of.Filter(Col("x")) },
		`table: column "k", row 0: "a" is not a value of type float64`:                                                func() { of.WithColumns(Map("k", math.Sqrt)) },
		`table: Map: column "k": got int, want a function of one value that returns a value, or a value and an error`: func() { Map("k", 1) },
		`table: Coalesce: columns "k, x" have no common type: "x" has type int`:                                       func() { of.WithColumns(Coalesce("k", "x")) },
		`table: column "k", row 0: "a" is not a value of type int8`:                                                   func() { of.WithColumns(Map("k", func(int8) int { return 0 })) },
		`table: an Expr that no function of this package has made`:                                                    func() { of.WithColumns(Expr{}) },
	} {
		if got := panicOf(call); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestFunctionsOfEachType(t *testing.T) {
	of := New("s", "n", "x", "t", "d")
	of.Append("é", 1, 0.5, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), time.Minute)
	of.Append(nil, nil, nil, nil, nil)
	type month int
	for want, x := range map[string]Expr{
		"[É <nil>] string":              Map("s", strings.ToUpper),
		"[2 <nil>] int":                 Map("s", func(s string) int { return len(s) }),
		"[1.5 <nil>] float64":           Map("n", func(x float64) float64 { return x + 0.5 }),
		"[0.5 <nil>] float64":           Map("n", func(n int) float64 { return float64(n) / 2 }),
		"[2026 <nil>] int":              Map("t", time.Time.Year),
		"[Friday <nil>] any":            Map("t", time.Time.Weekday),
		"[60 <nil>] float64":            Map("d", time.Duration.Seconds),
		"[true <nil>] bool":             Map("x", func(x float32) bool { return x == 0.5 }),
		"[3 <nil>] int":                 Map("n", func(n int16) int8 { return int8(n) + 2 }),
		"[7 <nil>] any":                 Map("n", func(n any) month { return 7 }),
		"[<nil> <nil>] any":             Map("n", func(n int) any { return nil }),
		"[[233] <nil>] any":             Map("s", func(s string) []rune { return []rune(s) }),
		"[24h0m0s <nil>] time.Duration": Map("t", func(t time.Time) time.Duration { return t.Sub(t.AddDate(0, 0, -1)) }),
	} {
		got := of.WithColumns(x.As("y"))
		list, err := got.Column("y")
		if text := fmt.Sprint(list, " ", got.Types()[len(got.Types())-1]); err != nil || text != want {
			t.Errorf("got %s, want %s", text, want)
		}
	}
}

// Long tables are sorted by digits and short ones by comparisons, with the same result.
func TestLongTablesAreSortedAsShortOnesAre(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	long := New("i", "x", "d", "row")
	for row := range 10_000 {
		values := []any{draw.IntN(100) - 50, []any{draw.NormFloat64(), math.Copysign(0, -1), 0.0, math.Inf(1), math.NaN()}[draw.IntN(5)], time.Duration(draw.IntN(9) - 4), row}
		if draw.IntN(10) == 0 {
			values[draw.IntN(3)] = nil
		}
		long.Append(values...)
	}
	for _, keys := range [][]string{{"i"}, {"-i"}, {"x"}, {"-x"}, {"d"}, {"-d"}, {"i", "x"}, {"-x", "d", "-row"}} {
		places := upTo(0, long.height)
		slices.SortStableFunc(places, func(i, j int) int {
			for _, key := range keys {
				if way := long.order(key)(i, j); way != 0 {
					return way
				}
			}
			return 0
		})
		want, err := long.take(places).Column("row")
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := long.Sort(keys...).Column("row"); !reflect.DeepEqual(got, want) {
			t.Errorf("the order by %q differs", keys)
		}
	}
}

// Groups by columns whose numbers do not fit in one key are those of the texts of their keys.
func TestGroupsByManyColumns(t *testing.T) {
	draw := rand.New(rand.NewPCG(8, 9))
	for _, columns := range []int{2, 3, 9} {
		names := make([]string, columns)
		for k := range names {
			names[k] = fmt.Sprint("c", k)
		}
		data := New(names...)
		for range 3000 {
			row := make([]any, columns)
			for k := range row {
				if row[k] = draw.IntN(1 + 700*max(k%2, columns/9)); draw.IntN(50) == 0 {
					row[k] = nil
				}
			}
			data.Append(row...)
			if draw.IntN(3) == 0 {
				data.Append(row...)
			}
		}
		seen := map[string]int{}
		groups := data.grouped(names)
		for i := range data.Len() {
			key := fmt.Sprint(data.Row(i)...)
			if _, ok := seen[key]; !ok {
				seen[key] = len(seen)
			}
			if int(groups.of[i]) != seen[key] {
				t.Fatalf("%d columns, row %d: group %d, want %d", columns, i, groups.of[i], seen[key])
			}
		}
	}
}

// Rows of a left join with unique partners share the columns of the left table, and changes of one
// are not in the other.
func TestJoinedTablesAreIndependent(t *testing.T) {
	left, right := New("k", "x"), New("k", "y")
	for i := range 5000 {
		left.Append(i%7, i)
	}
	for i := range 6 {
		right.Append(i, fmt.Sprint("y", i))
	}
	joined := left.LeftJoin(right, "k")
	joined.Append(1, 2, "z")
	left.Append(3, 4)
	if left.Len() != 5001 || joined.Len() != 5001 || joined.At(5000, "x") != 2 || left.At(5000, "x") != 4 || joined.At(6, "y") != nil || joined.At(5, "y") != "y5" {
		t.Error(left.Len(), joined.Len(), joined.Row(5000), left.Row(5000), joined.Row(6))
	}
	if inner := left.InnerJoin(right, "k"); inner.Len() != 5001-714 {
		t.Error(inner.Len())
	}
}
