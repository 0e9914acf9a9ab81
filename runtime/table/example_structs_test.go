package table_test

import (
	"database/sql"
	"fmt"

	"gosphere/runtime/table"
)

type sale struct {
	Region string
	Price  float64       `table:"unit price"`
	Units  sql.Null[int] `json:"units"`
	Seller *string       `json:"seller"`
}

func ExampleOf() {
	ann := "Ann"
	t := table.Of([]sale{
		{"north", 2.5, sql.Null[int]{V: 4, Valid: true}, &ann},
		{"south", 3, sql.Null[int]{}, nil},
	})
	fmt.Println(t.Columns())
	fmt.Println(t.Types())
	fmt.Println(t.Row(1)...)
	// Output:
	// [Region unit price units seller]
	// [string float64 int string]
	// south 3 <nil> <nil>
}

func ExampleAs() {
	t := table.New("region", "unit price", "units", "seller")
	t.Append("north", 2.5, 4, "Ann")
	t.Append("south", 3, nil, nil)
	sales, err := table.As[sale](t)
	fmt.Println(err)
	for _, s := range sales {
		fmt.Println(s.Region, s.Price, s.Units, s.Seller != nil)
	}
	// Output:
	// <nil>
	// north 2.5 {4 true} true
	// south 3 {0 false} false
}

func ExampleColumn() {
	t := table.New("name", "age")
	t.Append("Ann", 41)
	t.Append("Bob", nil)
	names, err := table.Column[string](t, "name")
	fmt.Println(names, err)
	ages, err := table.Column[sql.Null[float64]](t, "age")
	fmt.Println(ages, err)
	_, err = table.Column[int](t, "age")
	fmt.Println(err)
	// Output:
	// [Ann Bob] <nil>
	// [{41 true} {0 false}] <nil>
	// table: column "age", row 1: the value is missing, want a value for int; a pointer or sql.Null takes missing values
}

func ExampleTable_Decode() {
	t := table.New("name", "age")
	t.Append("Ann", 41)
	var people []struct {
		Name string
		Age  uint8
	}
	fmt.Println(t.Decode(&people), people)
	// Output: <nil> [{Ann 41}]
}

func ExampleTable_DecodeColumn() {
	t := table.New("name", "age")
	t.Append("Ann", 41)
	var ages []float64
	fmt.Println(t.DecodeColumn("age", &ages), ages)
	// Output: <nil> [41]
}
