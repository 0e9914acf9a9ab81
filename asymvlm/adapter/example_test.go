package adapter_test

import (
	"context"
	"fmt"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
)

// CLIP needs no training, so this runs at once; with "asymvlm-vmf" the same lines train for half a minute.
func Example() {
	train, test, err := embedding.Scenes()
	if err != nil {
		panic(err)
	}
	options, err := adapter.DefaultOptions("clip")
	if err != nil {
		panic(err)
	}
	a, err := adapter.Train(context.Background(), train, options)
	if err != nil {
		panic(err)
	}
	scores, err := a.Scores(test)
	if err != nil {
		panic(err)
	}
	uncertainty, err := a.Uncertainty(test.Texts)
	if err != nil {
		panic(err)
	}
	report, err := retrieval.Evaluate(scores, test.CaptionImages, uncertainty, 10)
	if err != nil {
		panic(err)
	}
	fmt.Printf("Recall@1 %.2f\n", report.TextToImage.Recall1)
	// Output: Recall@1 0.58
}
