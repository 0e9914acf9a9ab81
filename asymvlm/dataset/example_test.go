package dataset_test

import (
	"fmt"
	"log"

	"gosphere/asymvlm/dataset"
)

// The synthetic data set includes the true concentration of each test text.
func ExampleOpen() {
	data, err := dataset.Open(dataset.World)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(data.Train.Images.Rows, "training images,", data.Train.Texts.Rows, "training texts")
	fmt.Println(data.Test.Images.Rows, "test images,", len(data.TestKappas), "true concentrations")
	// Output:
	// 2000 training images, 8000 training texts
	// 500 test images, 2000 true concentrations
}
