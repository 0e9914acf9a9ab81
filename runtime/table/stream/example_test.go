package stream_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"gosphere/runtime/table"
	"gosphere/runtime/table/stream"
)

func Example() {
	dir, err := os.MkdirTemp("", "stream")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, month := range []string{"jan", "feb"} {
		sales := table.New("region", "units")
		sales.Append("north", len(month))
		sales.Append("south", 0)
		if err := table.Write(filepath.Join(dir, month+".csv"), sales); err != nil {
			log.Fatal(err)
		}
	}
	s, err := stream.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	totals, err := s.Filter(table.Gt("units", 0)).GroupBy("region").Aggregate(table.Len(), table.Sum("units"))
	fmt.Println(totals.Row(0), err)
	// Output: [north 2 6] <nil>
}
