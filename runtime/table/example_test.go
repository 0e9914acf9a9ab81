package table_test

import (
	"fmt"
	"log"
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
