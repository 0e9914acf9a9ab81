package table_test

import (
	"fmt"
	"math"
	"os"
	"time"

	"gosphere/runtime/table"
)

func ExampleCut() {
	t := table.New("name", "age")
	t.Append("Ann", 41)
	t.Append("Bob", 18)
	t.Append("Cid", nil)
	t.WithColumns(table.Cut("age", 0, 18, 65, math.Inf(1)).As("group")).WriteCSV(os.Stdout)
	// Output:
	// name,age,group
	// Ann,41,"(18, 65]"
	// Bob,18,"[0, 18]"
	// Cid,,
}

func ExampleBins_Of() {
	t := table.New("income")
	for _, income := range []int{10, 80, 25, 40} {
		t.Append(income)
	}
	halves := table.Bins{Quantiles: []float64{0, 0.5, 1}, Labels: []string{"low", "high"}}
	t.WithColumns(halves.Of("income").As("class"), table.Bins{Equal: 2}.Of("income").As("half")).WriteCSV(os.Stdout)
	// Output:
	// income,class,half
	// 10,low,"[10, 45]"
	// 80,high,"(45, 80]"
	// 25,low,"[10, 45]"
	// 40,high,"[10, 45]"
}

func ExampleCategories() {
	t := table.New("size")
	for _, size := range []string{"large", "small", "large"} {
		t.Append(size)
	}
	sizes := t.WithColumns(table.Categories("size", "small", "medium", "large"))
	sizes.Filter(table.Gt("size", "small")).WriteCSV(os.Stdout)
	sizes.ValueCounts("size").WriteCSV(os.Stdout)
	// Output:
	// size
	// large
	// large
	// size,count
	// large,2
	// small,1
	// medium,0
}

func ExampleSpearman() {
	t := table.New("x", "y")
	for x, y := range []float64{1, 10, 100, 99} {
		t.Append(x, y)
	}
	fmt.Printf("%.2f\n", t.Aggregate(table.Spearman("x", "y")).Row(0)[0])
	// Output: 0.80
}

func ExampleTable_CrossJoin() {
	sizes, colors := table.New("size"), table.New("color")
	sizes.Append("S")
	sizes.Append("M")
	colors.Append("red")
	colors.Append("blue")
	sizes.CrossJoin(colors).WriteCSV(os.Stdout)
	// Output:
	// size,color
	// S,red
	// S,blue
	// M,red
	// M,blue
}

func ExampleJoin_Cross() {
	t := table.New("n")
	t.Append(1)
	t.Append(2)
	fmt.Println(table.Join{Suffix: "_too"}.Cross(t, t).Columns())
	// Output: [n n_too]
}

func ExampleTable_Resample() {
	t := table.New("day", "units")
	t.Append(time.Date(2026, 1, 7, 9, 0, 0, 0, time.UTC), 3)
	t.Append(time.Date(2026, 1, 20, 9, 0, 0, 0, time.UTC), 4)
	t.Resample("day", table.Week, table.Len(), table.Sum("units")).WriteCSV(os.Stdout)
	// Output:
	// day,len,units_sum
	// 2026-01-05T00:00:00Z,1,3
	// 2026-01-12T00:00:00Z,0,0
	// 2026-01-19T00:00:00Z,1,4
}

func ExampleGroups_Resample() {
	t := table.New("shop", "day", "units")
	t.Append("a", time.Date(2026, 1, 7, 0, 0, 0, 0, time.UTC), 3)
	t.Append("b", time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), 4)
	t.Append("a", time.Date(2026, 2, 9, 0, 0, 0, 0, time.UTC), 5)
	t.GroupBy("shop").Resample("day", table.Month, table.Sum("units")).WriteCSV(os.Stdout)
	// Output:
	// shop,day,units_sum
	// a,2026-01-01T00:00:00Z,3
	// a,2026-02-01T00:00:00Z,5
	// b,2026-03-01T00:00:00Z,4
}

func ExampleUnit_Times() {
	t := table.New("time")
	t.Append(time.Date(2026, 1, 7, 9, 50, 0, 0, time.UTC))
	quarter := table.Minute.Times(15)
	fmt.Println(quarter, t.WithColumns(table.Truncate("time", quarter)).At(0, "time"))
	// Output: 15 minutes 2026-01-07 09:45:00 +0000 UTC
}
