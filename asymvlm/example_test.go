package asymvlm_test

import (
	"context"
	"fmt"
	"log"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/dataset"
)

// This example evaluates the encoder's own cosines, which need no training, on the built-in data
// set. With the method "asymvlm-vmf" the same lines train an adapter.
func Example() {
	data, err := dataset.Open(dataset.Scenes)
	if err != nil {
		log.Fatal(err)
	}
	options, err := adapter.DefaultOptions("clip")
	if err != nil {
		log.Fatal(err)
	}
	trained, err := adapter.Train(context.Background(), data.Train, options)
	if err != nil {
		log.Fatal(err)
	}
	report, err := trained.Evaluate(data.Test, 10)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("text to image: Recall@1 %.2f\n", report.TextToImage.Recall1)
	// Output: text to image: Recall@1 0.58
}
