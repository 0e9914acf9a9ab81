package table_test

import (
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"gosphere/runtime/table"
)

// read returns a table of comma-separated values.
func read(text string) *table.Table {
	t, err := table.ReadCSV(strings.NewReader(text))
	if err != nil {
		panic(err)
	}
	return t
}

// The price of a sale is missing.
var sales = read("region,shop,units,price\nwest,A,3,2.5\neast,B,10,1.5\nwest,C,4,\neast,A,1,3\nwest,A,2,2\n")

func ExampleTable_GroupBy() {
	sales.GroupBy("region").Aggregate(table.Len(), table.Sum("units"), table.Mean("price")).WriteCSV(os.Stdout)
	// Output:
	// region,len,units_sum,price_mean
	// west,3,9,2.25
	// east,2,11,2.25
}

func ExampleTable_Aggregate() {
	sales.Aggregate(table.Sum("units"), table.Max("price").As("dearest")).WriteCSV(os.Stdout)
	// Output:
	// units_sum,dearest
	// 20,3
}

func ExampleGroups_Aggregate() {
	total := sales.With("total", func(r table.Row) any { return r.Float("units") * r.Float("price") })
	total.GroupBy("region", "shop").Aggregate(table.Sum("total"), table.Count("total")).Sort("-total_sum").WriteCSV(os.Stdout)
	// Output:
	// region,shop,total_sum,total_count
	// east,B,15,1
	// west,A,11.5,2
	// east,A,3,1
	// west,C,0,0
}

// The share of a sale in the units of its region.
func ExampleGroups_WithColumns() {
	of := sales.GroupBy("region").WithColumns(table.Sum("units"))
	share := of.With("share", func(r table.Row) any { return r.Float("units") / r.Float("units_sum") })
	share.Select("region", "shop", "share").WriteCSV(os.Stdout)
	// Output:
	// region,shop,share
	// west,A,0.3333333333333333
	// east,B,0.9090909090909091
	// west,C,0.4444444444444444
	// east,A,0.09090909090909091
	// west,A,0.2222222222222222
}

func ExampleGroups_Head() {
	sales.Sort("-units").GroupBy("region").Head(1).WriteCSV(os.Stdout)
	// Output:
	// region,shop,units,price
	// east,B,10,1.5
	// west,C,4,
}

func ExampleGroups_Tables() {
	for key, rows := range sales.GroupBy("region").Tables() {
		fmt.Println(key.Text("region"), rows.Len())
	}
	// Output:
	// west 3
	// east 2
}

func ExampleGroups_Len() {
	fmt.Println(sales.GroupBy("shop").Len())
	// Output:
	// 3
}

func ExampleTable_With() {
	total := sales.With("total", func(r table.Row) any { return r.Float("units") * r.Float("price") })
	total.Select("shop", "total").WriteCSV(os.Stdout)
	// Output:
	// shop,total
	// A,7.5
	// B,15
	// C,
	// A,3
	// A,4
}

func ExampleTable_WithColumns() {
	sales.WithColumns(table.Map("region", strings.ToUpper), table.Max("units")).Head(2).WriteCSV(os.Stdout)
	// Output:
	// region,shop,units,price,units_max
	// WEST,A,3,2.5,10
	// EAST,B,10,1.5,10
}

func ExampleTable_Filter() {
	sales.Filter(table.Gt("units", 1), table.Ne("price", 2)).WriteCSV(os.Stdout)
	// Output:
	// region,shop,units,price
	// west,A,3,2.5
	// east,B,10,1.5
}

func ExampleTable_Drop() {
	fmt.Println(sales.Drop("price", "shop").Columns())
	// Output:
	// [region units]
}

func ExampleTable_Rename() {
	fmt.Println(sales.Rename("shop", "store").Columns())
	// Output:
	// [region store units price]
}

func ExampleTable_Unique() {
	sales.Unique("region").WriteCSV(os.Stdout)
	// Output:
	// region,shop,units,price
	// west,A,3,2.5
	// east,B,10,1.5
}

func ExampleTable_Head() {
	sales.Head(1).WriteCSV(os.Stdout)
	// Output:
	// region,shop,units,price
	// west,A,3,2.5
}

func ExampleTable_Tail() {
	sales.Tail(1).WriteCSV(os.Stdout)
	// Output:
	// region,shop,units,price
	// west,A,2,2
}

func ExampleTable_Sample() {
	fmt.Println(sales.Sample(3, 1).Len(), sales.Sample(99, 1).Len())
	// Output:
	// 3 5
}

func ExampleTable_ValueCounts() {
	sales.ValueCounts("shop").WriteCSV(os.Stdout)
	// Output:
	// shop,count
	// A,3
	// B,1
	// C,1
}

func ExampleTable_DropNull() {
	sales.DropNull("price").WriteCSV(os.Stdout)
	// Output:
	// region,shop,units,price
	// west,A,3,2.5
	// east,B,10,1.5
	// east,A,1,3
	// west,A,2,2
}

func ExampleTable_FillNull() {
	sales.FillNull(0, "price").WriteCSV(os.Stdout)
	// Output:
	// region,shop,units,price
	// west,A,3,2.5
	// east,B,10,1.5
	// west,C,4,0
	// east,A,1,3
	// west,A,2,2
}

func ExampleTable_FillNaN() {
	t := read("x\n1\nNaN\n")
	fmt.Println(t.FillNaN(0).Row(1), t.FillNaN(nil).Row(1))
	// Output:
	// [0] [<nil>]
}

func ExampleTable_Describe() {
	sales.Describe().Select("column", "type", "null", "unique", "mean", "min", "max").WriteCSV(os.Stdout)
	// Output:
	// column,type,null,unique,mean,min,max
	// region,string,0,2,,east,west
	// shop,string,0,3,,A,C
	// units,int,0,5,4,1,10
	// price,float64,1,4,2.25,1.5,3
}

func ExampleExpr_As() {
	sales.Aggregate(table.Sum("units").As("total")).WriteCSV(os.Stdout)
	// Output:
	// total
	// 20
}

func ExampleCol() {
	t := read("price,limit\n3,2\n1,2\n")
	t.Filter(table.Gt("price", table.Col("limit"))).WriteCSV(os.Stdout)
	// Output:
	// price,limit
	// 3,2
}

func ExampleLen() {
	sales.GroupBy("shop").Aggregate(table.Len()).WriteCSV(os.Stdout)
	// Output:
	// shop,len
	// A,3
	// B,1
	// C,1
}

func ExampleCount() {
	sales.Aggregate(table.Len(), table.Count("price")).WriteCSV(os.Stdout)
	// Output:
	// len,price_count
	// 5,4
}

func ExampleNullCount() {
	sales.Aggregate(table.NullCount("price")).WriteCSV(os.Stdout)
	// Output:
	// price_null_count
	// 1
}

func ExampleNUnique() {
	sales.Aggregate(table.NUnique("shop")).WriteCSV(os.Stdout)
	// Output:
	// shop_n_unique
	// 3
}

func ExampleSum() {
	sales.GroupBy("region").Aggregate(table.Sum("units"), table.Sum("price")).WriteCSV(os.Stdout)
	// Output:
	// region,units_sum,price_sum
	// west,9,4.5
	// east,11,4.5
}

// A sum that int does not hold is an error of Sum.
func ExampleBigSum() {
	t := read("n\n9223372036854775807\n9223372036854775807\n")
	t.Aggregate(table.BigSum("n")).WriteCSV(os.Stdout)
	// Output:
	// n_big_sum
	// 18446744073709551614
}

func ExampleMean() {
	sales.GroupBy("region").Aggregate(table.Mean("units")).WriteCSV(os.Stdout)
	// Output:
	// region,units_mean
	// west,3
	// east,5.5
}

func ExampleVar() {
	sales.Aggregate(table.Var("units")).WriteCSV(os.Stdout)
	// Output:
	// units_var
	// 12.5
}

func ExampleStd() {
	read("x\n1\n3\n5\n").Aggregate(table.Std("x")).WriteCSV(os.Stdout)
	// Output:
	// x_std
	// 2
}

func ExampleMedian() {
	read("x\n1\n2\n3\n4\n").Aggregate(table.Median("x")).WriteCSV(os.Stdout)
	// Output:
	// x_median
	// 2.5
}

func ExampleQuantile() {
	read("x\n1\n2\n3\n4\n").Aggregate(table.Quantile("x", 0.4)).WriteCSV(os.Stdout)
	// Output:
	// x_q0.4
	// 2.2
}

func ExampleMin() {
	sales.GroupBy("region").Aggregate(table.Min("price"), table.Min("shop")).WriteCSV(os.Stdout)
	// Output:
	// region,price_min,shop_min
	// west,2,A
	// east,1.5,A
}

func ExampleMax() {
	sales.GroupBy("region").Aggregate(table.Max("units")).WriteCSV(os.Stdout)
	// Output:
	// region,units_max
	// west,4
	// east,10
}

func ExampleFirst() {
	sales.GroupBy("region").Aggregate(table.First("shop")).WriteCSV(os.Stdout)
	// Output:
	// region,shop_first
	// west,A
	// east,B
}

func ExampleLast() {
	sales.GroupBy("region").Aggregate(table.Last("shop")).WriteCSV(os.Stdout)
	// Output:
	// region,shop_last
	// west,A
	// east,A
}

func ExampleOnly() {
	defer func() { fmt.Println(recover()) }()
	sales.GroupBy("shop").Aggregate(table.Only("units"))
	// Output:
	// table: Only: column "units": 3 in row 0 and 1 in row 3 in the group shop "A": use an aggregate such as Sum or First
}

func ExampleCorr() {
	read("x,y\n1,2\n2,4\n3,\n4,8\n").Aggregate(table.Corr("x", "y")).WriteCSV(os.Stdout)
	// Output:
	// corr
	// 1
}

func ExampleFunc() {
	shops := table.Func("shops", func(group *table.Table) any {
		names, err := group.Unique("shop").Strings("shop")
		if err != nil {
			return nil
		}
		return strings.Join(names, "+")
	})
	sales.GroupBy("region").Aggregate(shops).WriteCSV(os.Stdout)
	// Output:
	// region,shops
	// west,A+C
	// east,B+A
}

func ExampleEq() {
	sales.Filter(table.Eq("shop", "A")).WriteCSV(os.Stdout)
	// Output:
	// region,shop,units,price
	// west,A,3,2.5
	// east,A,1,3
	// west,A,2,2
}

func ExampleNe() {
	sales.Filter(table.Ne("price", 2)).Select("price").WriteCSV(os.Stdout)
	// Output:
	// price
	// 2.5
	// 1.5
	// 3
}

func ExampleLt() {
	sales.Filter(table.Lt("units", 3)).Select("units").WriteCSV(os.Stdout)
	// Output:
	// units
	// 1
	// 2
}

func ExampleLe() {
	sales.Filter(table.Le("units", 3)).Select("units").WriteCSV(os.Stdout)
	// Output:
	// units
	// 3
	// 1
	// 2
}

func ExampleGt() {
	sales.Filter(table.Gt("units", 3)).Select("units").WriteCSV(os.Stdout)
	// Output:
	// units
	// 10
	// 4
}

func ExampleGe() {
	t := read("day\n2026-01-01\n2026-02-01\n")
	t.Filter(table.Ge("day", time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC))).WriteCSV(os.Stdout)
	// Output:
	// day
	// 2026-02-01T00:00:00Z
}

func ExampleEqMissing() {
	t := read("a,b\n1,1\n,\n,2\n")
	fmt.Println(t.Filter(table.EqMissing("a", table.Col("b"))).Len())
	// Output:
	// 2
}

func ExampleIn() {
	sales.Filter(table.In("shop", "B", "C")).WriteCSV(os.Stdout)
	// Output:
	// region,shop,units,price
	// east,B,10,1.5
	// west,C,4,
}

func ExampleIsNull() {
	sales.Filter(table.IsNull("price")).WriteCSV(os.Stdout)
	// Output:
	// region,shop,units,price
	// west,C,4,
}

func ExampleNotNull() {
	fmt.Println(sales.Filter(table.NotNull("price")).Len())
	// Output:
	// 4
}

func ExampleAnd() {
	cheap := table.And(table.Lt("price", 3), table.Eq("region", "west")).As("cheap")
	sales.WithColumns(cheap).Select("price", "cheap").WriteCSV(os.Stdout)
	// Output:
	// price,cheap
	// 2.5,true
	// 1.5,false
	// ,
	// 3,false
	// 2,true
}

func ExampleOr() {
	fmt.Println(sales.Filter(table.Or(table.Eq("shop", "B"), table.IsNull("price"))).Len())
	// Output:
	// 2
}

// Neither the condition nor its opposite is true for a missing price.
func ExampleNot() {
	fmt.Println(sales.Filter(table.Gt("price", 2)).Len(), sales.Filter(table.Not(table.Gt("price", 2))).Len(), sales.Len())
	// Output:
	// 2 2 5
}

// An error names the column, the row and the value.
func ExampleMap() {
	t := read("day,size\n2026-01-02,4cm\n2026-02-03,5cm\n")
	centimeters := func(size string) (int, error) { return strconv.Atoi(strings.TrimSuffix(size, "cm")) }
	t.WithColumns(table.Map("day", time.Time.YearDay), table.Map("size", centimeters)).WriteCSV(os.Stdout)

	defer func() { fmt.Println(recover()) }()
	t.WithColumns(table.Map("size", strconv.Atoi))
	// Output:
	// day,size
	// 2,4
	// 34,5
	// table: column "size", row 0: "4cm": strconv.Atoi: parsing "4cm": invalid syntax
}

func ExampleFillForward() {
	t := read("x,y\n1,a\n,b\n3,c\n")
	t.WithColumns(table.FillForward("x")).WriteCSV(os.Stdout)
	// Output:
	// x,y
	// 1,a
	// 1,b
	// 3,c
}

func ExampleFillBackward() {
	t := read("x,y\n1,a\n,b\n3,c\n")
	t.WithColumns(table.FillBackward("x")).WriteCSV(os.Stdout)
	// Output:
	// x,y
	// 1,a
	// 3,b
	// 3,c
}

func ExampleCoalesce() {
	t := read("mobile,home\n,12\n34,56\n")
	t.WithColumns(table.Coalesce("mobile", "home").As("phone")).WriteCSV(os.Stdout)
	// Output:
	// mobile,home,phone
	// ,12,12
	// 34,56,34
}

func ExampleTable_Where() {
	dear := sales.Where(func(r table.Row) bool { return r.Float("price") > math.Sqrt(5) })
	dear.Select("shop", "price").WriteCSV(os.Stdout)
	// Output:
	// shop,price
	// A,2.5
	// A,3
}

func ExampleFromColumns() {
	t := table.FromColumns(
		table.Values{Name: "name", List: []string{"Ann", "Bob"}},
		table.Values{Name: "age", List: []int{41, 0}, Valid: []uint64{0b01}}, // Bob's is missing
	)
	t.WriteCSV(os.Stdout)
	// Output:
	// name,age
	// Ann,41
	// Bob,
}

func ExampleCSV_Batches() {
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("n\n1\n2\n3.5\n")), nil }
	for t, err := range (table.CSV{}).Batches(open, 2) {
		fmt.Println(t.Types(), t.Len(), err)
	}
	// Output:
	// [float64] 2 <nil>
	// [float64] 1 <nil>
}
