package table_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"gosphere/runtime/table"
)

// The types of the columns follow from their values: here text and float64.
func ExampleReadCSV() {
	results, err := table.ReadCSV(strings.NewReader("method,recall\nclip,0.58\nasymvlm,0.61\npfe,0.55\n"))
	if err != nil {
		log.Fatal(err)
	}
	good := results.Where(func(r table.Row) bool { return r.Float("recall") > 0.56 }).Sort("recall")
	for i := range good.Len() {
		fmt.Println(good.Row(i)...)
	}
	// Output:
	// clip 0.58
	// asymvlm 0.61
}

// A value that does not fit is missing, and the report names it.
func ExampleCSV_Read() {
	dirty := table.New("line", "column", "value", "reason")
	form := table.CSV{Decimal: ',', Dirty: dirty, Notes: os.Stdout}
	prices, err := form.Read(strings.NewReader("name;price\nA;1,5\nB;on request\nC;2\n"))
	fmt.Println(err, prices.Types(), prices.Row(1))
	dirty.WriteCSV(os.Stdout)
	// Output:
	// table: column "price": 1 of 3 values are not a number and missing
	// <nil> [string float64] [B <nil>]
	// line,column,value,reason
	// 3,price,on request,is not a number
}

func ExampleWrite() {
	dir, err := os.MkdirTemp("", "tables")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for year := range 2 {
		t := table.New("year", "units")
		t.Append(2025+year, 10*year)
		if err := table.Write(filepath.Join(dir, fmt.Sprint(2025+year, ".csv.gz")), t); err != nil {
			log.Fatal(err)
		}
	}
	both, err := table.Read(dir)
	fmt.Println(both, err)
	// Output: table of 2 rows: year, units <nil>
}

func ExampleFiles_Read() {
	dir, err := os.MkdirTemp("", "tables")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	os.WriteFile(filepath.Join(dir, "a.csv"), []byte("x\n1\n"), 0o600)
	os.WriteFile(filepath.Join(dir, "b.jsonl"), []byte(`{"x": 2, "y": true}`), 0o600)
	both, err := table.Files{Source: "file", Fill: true}.Read(filepath.Join(dir, "*"))
	fmt.Println(err)
	both.With("file", func(r table.Row) any { return filepath.Base(r.Text("file")) }).WriteCSV(os.Stdout)
	// Output:
	// <nil>
	// x,file,y
	// 1,a.csv,
	// 2,b.jsonl,true
}
