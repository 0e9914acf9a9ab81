package table

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// A recorded case has the rows that pandas and polars return for an operation.
type recorded struct {
	Name                 string
	Polars, Pandas, Both [][]any
}

// The recorded results are made by testdata/compare/make.py, which lists the operations.
func TestResultsAreThoseOfPandasAndPolars(t *testing.T) {
	text, err := os.ReadFile("testdata/compare/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Versions map[string]any
		Cases    []recorded
	}
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	rows, err := Read("testdata/compare/rows.csv")
	if err != nil {
		t.Fatal(err)
	}
	others, err := Read("testdata/compare/others.csv")
	if err != nil {
		t.Fatal(err)
	}
	if len(expected.Cases) < 500 {
		t.Errorf("%d cases", len(expected.Cases))
	}
	for _, c := range expected.Cases {
		got := operation(t, c.Name, rows, others)
		if got == nil {
			t.Errorf("%s: no such operation", c.Name)
			continue
		}
		for source, want := range map[string][][]any{"polars": c.Polars, "pandas": c.Pandas, "both": c.Both} {
			if want == nil {
				continue
			}
			if difference := differs(got, want); difference != "" {
				t.Errorf("%s: %s: %s (%v)", c.Name, source, difference, expected.Versions)
			}
		}
	}
}

// differs describes the first difference between a table and recorded rows.
func differs(got *Table, want [][]any) string {
	if got.Len() != len(want) {
		return fmt.Sprintf("%d rows, want %d", got.Len(), len(want))
	}
	for i, row := range want {
		if len(row) != len(got.columns) {
			return fmt.Sprintf("%d columns, want %d", len(got.columns), len(row))
		}
		for k, value := range row {
			if !same(got.data[k].at(i), value) {
				return fmt.Sprintf("column %q, row %d: %v, want %v", got.columns[k], i, got.data[k].at(i), value)
			}
		}
	}
	return ""
}

func same(got, want any) bool {
	switch value := got.(type) {
	case time.Time:
		return value.UTC().Format("2006-01-02T15:04:05Z") == want
	case time.Duration:
		got = value.Seconds()
	}
	x, ok := number(got)
	if !ok {
		return got == want
	}
	y, ok := want.(float64)
	return ok && math.Abs(x-y) <= 1e-9*math.Max(1, math.Abs(y)) || math.IsNaN(x) && want == "NaN"
}

// operation returns the result of the operation with a name in make.py.
func operation(t *testing.T, name string, rows, others *Table) *Table {
	words := strings.Fields(name)
	switch words[0] {
	case "all", "group", "pivot":
		return statisticOperation(words, rows)
	case "cut":
		return cutOperation(words, rows)
	case "resample":
		return resampleOperation(strings.TrimPrefix(name, "resample "), rows)
	case "filter":
		return filterOperation(words, rows)
	case "join", "asof":
		return joinOperation(words, rows, others)
	case "lag", "lead", "fill_forward", "fill_backward", "cum_count", "cum_min", "cum_max", "cum_sum", "diff", "rank", "rolling":
		return windowOperation(words, rows)
	}
	if len(words) > 1 && (words[0] == "truncate" || strings.Contains(words[1], "/") || words[1] == "UTC") {
		return timeOperation(t, words, rows)
	}
	return otherOperation(name, words, rows)
}

// statistic returns the aggregate of a name such as x_mean.
func statistic(name string) Expr {
	of, function, _ := strings.Cut(name, "_")
	if q, err := strconv.ParseFloat(strings.TrimPrefix(function, "q"), 64); err == nil {
		return Quantile(of, q)
	}
	switch name {
	case "corr":
		return Corr("i", "x")
	case "spearman":
		return Spearman("i", "x")
	case "len", "x_len":
		return Len()
	}
	return map[string]func(string) Expr{"count": Count, "null_count": NullCount, "sum": Sum, "mean": Mean, "median": Median, "std": Std, "var": Var,
		"min": Min, "max": Max, "first": First, "last": Last, "n_unique": NUnique}[function](of)
}

func statisticOperation(words []string, rows *Table) *Table {
	switch words[0] {
	case "all":
		return rows.Aggregate(statistic(words[1]))
	case "pivot":
		return rows.GroupBy(words[1]).Pivot(words[2], statistic("x_"+words[3]))
	}
	if words[2] == "spearman" {
		rows = rows.DropNull("i", "x") // so that the groups have the recorded order
	}
	return rows.GroupBy(strings.Split(words[1], "+")...).Aggregate(statistic(words[2]))
}

// cutOperation returns the codes of bins.
func cutOperation(words []string, rows *Table) *Table {
	of := words[2]
	bins := Bins{Edges: []float64{-50, -12.5, 0, 7, 60}, LeftClosed: words[1] == "left"}
	switch words[1] {
	case "equal":
		bins = Bins{Equal: 5}
	case "quantiles":
		bins = Bins{Quantiles: []float64{0, 0.1, 0.5, 0.75, 1}}
	default:
		rows = rows.Filter(Or(IsNull(of), And(Ge(of, -50), Le(of, 60))))
	}
	return rows.WithColumns(bins.Of(of)).WithColumns(Map(of, Category.Code)).Select(of)
}

func resampleOperation(name string, rows *Table) *Table {
	shifted := rows.WithColumns(Map("u", func(t time.Time) time.Time { return t.Add(7 * time.Minute) }))
	for _, unit := range []Unit{Minute.Times(15), Hour.Times(6), Day, Week, Month, Quarter} {
		if unit.String() == name {
			return shifted.Resample("u", unit, Len(), Sum("x"), Max("i"))
		}
	}
	return nil
}

func filterOperation(words []string, rows *Table) *Table {
	conditions := map[string]func(string, any) Expr{"eq": Eq, "ne": Ne, "lt": Lt, "le": Le, "gt": Gt, "ge": Ge}
	values := map[string]any{"i": 7, "x": 3.5, "k": "été", "s": "z", "t": time.Date(2027, 1, 1, 12, 0, 0, 0, time.UTC), "g": 2.5}
	if condition := conditions[words[1]]; condition != nil {
		return rows.Filter(condition(words[2], values[words[2]])).Select("row")
	}
	return rows.Filter(map[string]Expr{"in": In("k", "été", "Ω"), "is_null": IsNull("x"), "not_null": NotNull("x"), "columns": Gt("i", Col("x")),
		"eq_missing": EqMissing("i", Col("g"))}[words[1]]).Select("row")
}

func joinOperation(words []string, rows, others *Table) *Table {
	if words[1] == "cross" {
		return rows.Select("row").CrossJoin(others.Select("other"))
	}
	if words[0] == "asof" {
		how := AsOf{On: "u", Forward: words[len(words)-1] == "forward"}
		left, right := rows.Select("row", "u", "k").DropNull(), others.Select("u", "k", "other").DropNull()
		switch words[1] {
		case "by":
			how.By = []string{"k"}
		case "tolerance":
			how.By, how.Tolerance = []string{"k"}, 30*time.Hour
		default:
			right = right.Drop("k")
		}
		return how.Join(left, right).Select("row", "other")
	}
	j := Join{NullsEqual: words[1] == "nulls"}
	if j.NullsEqual {
		words = words[2:]
	}
	j.On = strings.Split(words[2], "+")
	right := others.Select(append(slices.Clone(j.On), "other", "y")...)
	made := map[string]func(left, right *Table) *Table{"inner": j.Inner, "left": j.Left, "right": j.Right, "full": j.Full, "semi": j.Semi, "anti": j.Anti}[words[1]](rows.Select("k", "g", "row"), right)
	if words[1] == "semi" || words[1] == "anti" {
		return made.Select("row")
	}
	return made.Select("k", "g", "row", "other", "y")
}

func windowOperation(words []string, rows *Table) *Table {
	if words[1] == "time" {
		return rows.WithColumns(Window{By: "u", Span: 48 * time.Hour}.Of(statistic("x_" + words[2])).As("v")).Select("v")
	}
	over := words[len(words)-1]
	of := words[len(words)-3]
	rankings := map[string]Ranking{"average": AverageRank, "min": MinRank, "max": MaxRank, "dense": DenseRank, "ordinal": OrdinalRank}
	var x Expr
	switch words[0] {
	case "lag":
		x = Lag(of, 1)
	case "lead":
		x = Lead(of, 2)
	case "diff":
		x = Diff(of, 1)
	case "rank":
		if words[2] == "down" {
			of = "-" + of
		}
		x = Rank(of, rankings[words[1]])
	case "rolling":
		least, _ := strconv.Atoi(words[2])
		x = Window{Rows: 3, Known: least}.Of(statistic(of + "_" + words[1]))
	default:
		x = map[string]func(string) Expr{"fill_forward": FillForward, "fill_backward": FillBackward, "cum_count": CumCount, "cum_min": CumMin,
			"cum_max": CumMax, "cum_sum": CumSum}[words[0]](of)
	}
	if over == "None" {
		return rows.WithColumns(x.As("v")).Select("v")
	}
	return rows.GroupBy(over).WithColumns(x.As("v")).Select("v")
}

func timeOperation(t *testing.T, words []string, rows *Table) *Table {
	zone, err := time.LoadLocation(words[len(words)-1])
	if err != nil {
		t.Fatal(err)
	}
	local := rows.WithColumns(InZone("t", zone)).Select("t")
	if words[0] == "truncate" {
		for _, unit := range []Unit{Hour, Day, Week, Month, Quarter, Year} {
			if unit.String() == words[1] {
				return local.WithColumns(Truncate("t", unit))
			}
		}
	}
	return local.WithColumns(Map("t", map[string]func(time.Time) int{
		"year": time.Time.Year, "day": time.Time.Day, "hour": time.Time.Hour, "ordinal_day": time.Time.YearDay,
		"month":   func(t time.Time) int { return int(t.Month()) },
		"weekday": func(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 },
		"week":    func(t time.Time) int { _, week := t.ISOWeek(); return week },
	}[words[0]]))
}

func otherOperation(name string, words []string, rows *Table) *Table {
	texts := map[string]any{
		"lower": strings.ToLower, "length": utf8.RuneCountInString, "bytes": func(s string) int { return len(s) }, "strip": strings.TrimSpace,
		"contains": func(s string) bool { return strings.Contains(s, "é") }, "replace": func(s string) string { return strings.ReplaceAll(s, "e", "E") },
	}
	if f := texts[name]; f != nil {
		return rows.WithColumns(Map("k", f)).Select("k")
	}
	exprs := map[string]Expr{
		"and": And(Gt("i", 0), Gt("x", 0)), "or": Or(Gt("i", 0), Gt("x", 0)), "not": Not(Col("b")), "coalesce": Coalesce("i", "g", "row"),
		"absolute": Map("x", math.Abs), "square root": Map("x", func(x float64) float64 { return math.Sqrt(math.Abs(x)) }),
	}
	if x, ok := exprs[name]; ok {
		return rows.WithColumns(x.As("v")).Select("v")
	}
	switch words[0] {
	case "sort":
		return rows.Sort(words[1:]...).Select("row")
	case "unique":
		return rows.Unique(strings.Split(words[1], "+")...).Select("row")
	case "value_counts":
		return rows.ValueCounts(words[1])
	case "drop_nulls":
		return rows.DropNull(words[1:]...).Select("row")
	}
	switch name {
	case "fill_null i":
		return rows.FillNull(0, "i").Select("i")
	case "fill_null s":
		return rows.FillNull("ø", "s").Select("s")
	case "fill_nan z":
		return rows.FillNaN(0, "z").Select("z")
	case "fill_nan null z":
		return rows.FillNaN(nil, "z").Select("z")
	case "melt":
		return rows.Select("row", "k", "i", "x").Melt("variable", "value", "i", "x")
	case "concat":
		return Concat(rows.Select("row", "i"), rows.Select("i", "row"))
	case "concat fill":
		return ConcatFill(rows.Select("row", "i"), rows.Select("row", "x"))
	case "upsample week":
		weeks := rows.Select("t", "i").DropNull().WithColumns(Truncate("t", Week))
		return weeks.GroupBy("t").Aggregate(Sum("i")).Upsample("t", Week)
	case "upper":
		return rows.Filter(Not(Map("k", func(s string) bool { return strings.Contains(s, "ß") }))).WithColumns(Map("k", strings.ToUpper)).Select("k")
	case "computed":
		return rows.With("v", func(r Row) any { return r.Float("x")*r.Float("i") + 1 }).Select("v")
	}
	return nil
}
