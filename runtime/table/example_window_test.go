package table_test

import (
	"fmt"
	"os"
	"time"

	"gosphere/runtime/table"
)

func ExampleGroups_Pivot() {
	sales.GroupBy("region").Pivot("shop", table.Sum("units")).WriteCSV(os.Stdout)
	// Output:
	// region,A,B,C
	// west,5,,4
	// east,1,10,
}

func ExampleTable_Melt() {
	wide := read("shop,jan,feb\nA,1,2\nB,3,\n")
	wide.Melt("month", "units", "jan", "feb").WriteCSV(os.Stdout)
	// Output:
	// shop,month,units
	// A,jan,1
	// B,jan,3
	// A,feb,2
	// B,feb,
}

func ExampleTable_Upsample() {
	t := read("day,units\n2026-01-08,1\n2026-01-20,2\n2026-01-06,3\n")
	weekly := t.WithColumns(table.Truncate("day", table.Week)).GroupBy("day").Aggregate(table.Sum("units"))
	weekly.Upsample("day", table.Week).WriteCSV(os.Stdout)
	// Output:
	// day,units_sum
	// 2026-01-05T00:00:00Z,4
	// 2026-01-12T00:00:00Z,
	// 2026-01-19T00:00:00Z,2
}

var prices = read("day,stock,price\n2026-01-01,X,1\n2026-01-02,Y,8\n2026-01-03,X,\n2026-01-04,X,4\n2026-01-05,Y,6\n2026-01-06,X,4\n")

func ExampleLag() {
	prices.GroupBy("stock").WithColumns(table.Lag("price", 1)).Drop("day").WriteCSV(os.Stdout)
	// Output:
	// stock,price,price_lag
	// X,1,
	// Y,8,
	// X,,1
	// X,4,
	// Y,6,8
	// X,4,4
}

func ExampleLead() {
	prices.WithColumns(table.Lead("price", 2)).Drop("day", "stock").WriteCSV(os.Stdout)
	// Output:
	// price,price_lead
	// 1,
	// 8,4
	// ,6
	// 4,4
	// 6,
	// 4,
}

func ExampleDiff() {
	prices.WithColumns(table.Diff("day", 1), table.Diff("price", 1)).Select("day_diff", "price_diff").WriteCSV(os.Stdout)
	// Output:
	// day_diff,price_diff
	// ,
	// 24h0m0s,7
	// 24h0m0s,
	// 24h0m0s,
	// 24h0m0s,2
	// 24h0m0s,-2
}

func ExampleCumSum() {
	prices.GroupBy("stock").WithColumns(table.CumSum("price")).Drop("day").WriteCSV(os.Stdout)
	// Output:
	// stock,price,price_cum_sum
	// X,1,1
	// Y,8,8
	// X,,
	// X,4,5
	// Y,6,14
	// X,4,9
}

func ExampleCumMin() {
	prices.WithColumns(table.CumMin("price")).Drop("day", "stock").WriteCSV(os.Stdout)
	// Output:
	// price,price_cum_min
	// 1,1
	// 8,1
	// ,
	// 4,1
	// 6,1
	// 4,1
}

func ExampleCumMax() {
	prices.WithColumns(table.CumMax("price")).Drop("day", "stock").WriteCSV(os.Stdout)
	// Output:
	// price,price_cum_max
	// 1,1
	// 8,8
	// ,
	// 4,8
	// 6,8
	// 4,8
}

func ExampleCumCount() {
	prices.WithColumns(table.CumCount("price")).Drop("day", "stock").WriteCSV(os.Stdout)
	// Output:
	// price,price_cum_count
	// 1,1
	// 8,2
	// ,2
	// 4,3
	// 6,4
	// 4,5
}

func ExampleRowNumber() {
	prices.GroupBy("stock").WithColumns(table.RowNumber()).Drop("day", "price").WriteCSV(os.Stdout)
	// Output:
	// stock,row_number
	// X,1
	// Y,1
	// X,2
	// X,3
	// Y,2
	// X,4
}

func ExampleRank() {
	prices.WithColumns(table.Rank("price", table.AverageRank), table.Rank("-price", table.MinRank).As("place")).Drop("day", "stock").WriteCSV(os.Stdout)
	// Output:
	// price,price_rank,place
	// 1,1,5
	// 8,5,1
	// ,,
	// 4,2.5,3
	// 6,4,2
	// 4,2.5,3
}

func ExampleWindow_Of() {
	mean := table.Window{Rows: 2, Known: 1}.Of(table.Mean("price"))
	days := table.Window{By: "day", Span: 4 * 24 * time.Hour}.Of(table.Sum("price"))
	prices.WithColumns(mean, days).Drop("stock").WriteCSV(os.Stdout)
	// Output:
	// day,price,rolling_price_mean,rolling_price_sum
	// 2026-01-01T00:00:00Z,1,1,1
	// 2026-01-02T00:00:00Z,8,4.5,9
	// 2026-01-03T00:00:00Z,,8,9
	// 2026-01-04T00:00:00Z,4,4,13
	// 2026-01-05T00:00:00Z,6,5,18
	// 2026-01-06T00:00:00Z,4,5,14
}

func ExampleTruncate() {
	t := read("day\n2026-03-31\n")
	for _, unit := range []table.Unit{table.Day, table.Week, table.Month, table.Quarter, table.Year} {
		fmt.Println(unit, t.WithColumns(table.Truncate("day", unit)).At(0, "day"))
	}
	// Output:
	// day 2026-03-31 00:00:00 +0000 UTC
	// week 2026-03-30 00:00:00 +0000 UTC
	// month 2026-03-01 00:00:00 +0000 UTC
	// quarter 2026-01-01 00:00:00 +0000 UTC
	// year 2026-01-01 00:00:00 +0000 UTC
}

func ExampleInZone() {
	tokyo := time.FixedZone("Tokyo", 9*3600)
	read("time\n2026-03-31T20:00:00Z\n").WithColumns(table.InZone("time", tokyo)).WriteCSV(os.Stdout)
	// Output:
	// time
	// 2026-04-01T05:00:00+09:00
}

func ExampleLocalize() {
	tokyo := time.FixedZone("Tokyo", 9*3600)
	read("time\n2026-03-31 20:00:00\n").WithColumns(table.Localize("time", tokyo)).WriteCSV(os.Stdout)
	// Output:
	// time
	// 2026-03-31T20:00:00+09:00
}

// The clocks of Berlin show this time twice.
func ExampleParseTime() {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		fmt.Println(err)
	}
	t := read("time\n24.10.2026 02:30\n25.10.2026 02:30\n")
	t.Head(1).WithColumns(table.ParseTime("time", berlin, "02.01.2006 15:04")).WriteCSV(os.Stdout)

	defer func() { fmt.Println(recover()) }()
	t.WithColumns(table.ParseTime("time", berlin, "02.01.2006 15:04"))
	// Output:
	// time
	// 2026-10-24T02:30:00+02:00
	// table: column "time", row 1: "25.10.2026 02:30": the clocks of Europe/Berlin show this time twice
}

func ExampleUnit_String() {
	fmt.Println(table.Quarter)
	// Output:
	// quarter
}

func ExampleSquish() {
	fmt.Printf("%q\n", read("name\n\" \u00a0Ada \u2003 Lovelace\u00a0\"\n").WithColumns(table.Squish("name")).At(0, "name"))
	// Output:
	// "Ada Lovelace"
}
