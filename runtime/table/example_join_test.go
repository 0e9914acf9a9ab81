package table_test

import (
	"fmt"
	"os"
	"time"

	"gosphere/runtime/table"
)

var shops = read("id,city\nA,Rome\nB,Oslo\nD,Bonn\n")

func ExampleTable_InnerJoin() {
	sales.InnerJoin(shops, "shop=id").WriteCSV(os.Stdout)
	// Output:
	// region,shop,units,price,city
	// west,A,3,2.5,Rome
	// east,B,10,1.5,Oslo
	// east,A,1,3,Rome
	// west,A,2,2,Rome
}

func ExampleTable_LeftJoin() {
	sales.LeftJoin(shops, "shop=id").WriteCSV(os.Stdout)
	// Output:
	// region,shop,units,price,city
	// west,A,3,2.5,Rome
	// east,B,10,1.5,Oslo
	// west,C,4,,
	// east,A,1,3,Rome
	// west,A,2,2,Rome
}

func ExampleTable_RightJoin() {
	sales.RightJoin(shops, "shop=id").WriteCSV(os.Stdout)
	// Output:
	// region,shop,units,price,city
	// west,A,3,2.5,Rome
	// east,B,10,1.5,Oslo
	// east,A,1,3,Rome
	// west,A,2,2,Rome
	// ,D,,,Bonn
}

func ExampleTable_FullJoin() {
	sales.FullJoin(shops, "shop=id").WriteCSV(os.Stdout)
	// Output:
	// region,shop,units,price,city
	// west,A,3,2.5,Rome
	// east,B,10,1.5,Oslo
	// west,C,4,,
	// east,A,1,3,Rome
	// west,A,2,2,Rome
	// ,D,,,Bonn
}

func ExampleTable_SemiJoin() {
	sales.SemiJoin(shops, "shop=id").WriteCSV(os.Stdout)
	// Output:
	// region,shop,units,price
	// west,A,3,2.5
	// east,B,10,1.5
	// east,A,1,3
	// west,A,2,2
}

func ExampleTable_AntiJoin() {
	sales.AntiJoin(shops, "shop=id").WriteCSV(os.Stdout)
	// Output:
	// region,shop,units,price
	// west,C,4,
}

func ExampleJoin() {
	west, east := sales.Filter(table.Eq("region", "west")), sales.Filter(table.Eq("region", "east"))
	both := table.Join{On: []string{"shop"}, Suffix: "_east"}.Inner(west.Drop("price"), east.Drop("price"))
	both.WriteCSV(os.Stdout)
	// Output:
	// region,shop,units,region_east,units_east
	// west,A,3,east,1
	// west,A,2,east,1
}

// A key that occurs twice is an error where the relation says that it does not.
func ExampleJoin_Left() {
	defer func() { fmt.Println(recover()) }()
	table.Join{On: []string{"id=shop"}, Relation: table.ManyToOne}.Left(shops, sales)
	// Output:
	// table: join: the key shop "A" occurs in rows 0 and 3 of the right table, want it once
}

func ExampleJoin_Inner() {
	a, b := read("k,x\n1,a\n,b\n"), read("k,y\n1,c\n,d\n")
	fmt.Println(table.Join{On: []string{"k"}}.Inner(a, b).Len(), table.Join{On: []string{"k"}, NullsEqual: true}.Inner(a, b).Len())
	// Output:
	// 1 2
}

func ExampleJoin_Right() {
	fmt.Println(table.Join{On: []string{"shop=id"}}.Right(sales, shops).Len())
	// Output:
	// 5
}

func ExampleJoin_Full() {
	fmt.Println(table.Join{On: []string{"shop=id"}}.Full(sales, shops).Len())
	// Output:
	// 6
}

func ExampleJoin_Semi() {
	fmt.Println(table.Join{On: []string{"shop=id"}}.Semi(sales, shops).Len())
	// Output:
	// 4
}

func ExampleJoin_Anti() {
	fmt.Println(table.Join{On: []string{"shop=id"}}.Anti(sales, shops).Len())
	// Output:
	// 1
}

func ExampleAsOf_Join() {
	trades := read("time,stock\n2026-01-02T10:00:05Z,X\n2026-01-02T10:00:01Z,X\n2026-01-02T10:30:00Z,X\n")
	quotes := read("time,stock,price\n2026-01-02T10:00:01Z,X,7\n2026-01-02T10:00:04Z,X,8\n2026-01-02T10:00:05Z,Y,9\n")
	table.AsOf{On: "time", By: []string{"stock"}, Tolerance: time.Minute}.Join(trades, quotes).WriteCSV(os.Stdout)
	// Output:
	// time,stock,price
	// 2026-01-02T10:00:05Z,X,8
	// 2026-01-02T10:00:01Z,X,7
	// 2026-01-02T10:30:00Z,X,
}

func ExampleConcat() {
	table.Concat(read("x,y\n1,a\n"), read("y,x\nb,2\n")).WriteCSV(os.Stdout)
	// Output:
	// x,y
	// 1,a
	// 2,b
}

func ExampleConcatFill() {
	table.ConcatFill(read("x\n1\n"), read("y,x\nb,2\n")).WriteCSV(os.Stdout)
	// Output:
	// x,y
	// 1,
	// 2,b
}
