package excel_test

import (
	"bytes"
	"fmt"
	"log"

	"gosphere/runtime/table"
	"gosphere/runtime/table/excel"
)

func ExampleSheet_Read() {
	prices := table.New("name", "price")
	prices.Append("tea", 2.5)
	var file bytes.Buffer
	if err := excel.Write(&file, prices); err != nil {
		log.Fatal(err)
	}
	r := bytes.NewReader(file.Bytes())
	names, err := excel.Names(r, r.Size())
	fmt.Println(names, err)
	back, err := excel.Sheet{Name: "Sheet1"}.Read(r, r.Size())
	fmt.Println(back, back.Types(), err)
	// Output:
	// [Sheet1] <nil>
	// table of 1 row: name, price [string float64] <nil>
}
