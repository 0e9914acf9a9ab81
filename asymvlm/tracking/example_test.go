package tracking_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"gosphere/asymvlm/tracking"
)

// The curve of a training as JSON lines, one per epoch.
func ExampleLines() {
	folder, err := os.MkdirTemp("", "tracking")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "curve.jsonl")

	curve, err := tracking.Lines(path)
	if err != nil {
		log.Fatal(err)
	}
	for epoch, loss := range []float64{0.9, 0.4} {
		point := tracking.Point{Epoch: epoch, Step: 100 * epoch, Values: []tracking.Value{{Name: "loss", Number: loss}}}
		if err := curve.Write(point); err != nil {
			log.Fatal(err)
		}
	}
	if err := curve.Close(); err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(text))
	// Output:
	// {"epoch":0,"step":0,"loss":0.9}
	// {"epoch":1,"step":100,"loss":0.4}
}
