package magics_test

import (
	"fmt"
	"log"

	"gosphere/runtime/cell/magics"
)

// A line magic becomes a call, and every line of Go keeps its number.
func ExampleExpand() {
	expansion, err := magics.Expand("x := 2\n%vars\nx + 1")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(expansion.Source)
	// Output:
	// x := 2
	// import cell__magic "gosphere/runtime/magic"; cell__magic.Run("%vars")
	// x + 1
}
