package retrieval_test

import (
	"fmt"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
)

// This example ranks by plain cosines on the built-in data set and takes a short caption embedding
// as uncertain. Recall hardly depends on the level, so the norm of the embedding does not reveal
// which captions are vague.
func ExampleEvaluateBlocks() {
	_, test, err := embedding.Scenes()
	if err != nil {
		fmt.Println(err)
		return
	}
	cosines, err := retrieval.Cosines(test.Images, test.Texts)
	if err != nil {
		fmt.Println(err)
		return
	}
	uncertainty := test.Texts.Norms()
	for i, length := range uncertainty {
		uncertainty[i] = 1 / length
	}
	report, err := retrieval.EvaluateBlocks(cosines, test.CaptionImages, uncertainty, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	d := report.TextToImage
	fmt.Printf("R@1 %.2f, R@10 %.2f, S %.1f\n", d.Recall1, d.Recall10, d.S)
	// Output: R@1 0.58, R@10 0.93, S -0.1
}

func ExampleEvaluate() {
	scores, err := embedding.MatrixFromRows([][]float64{
		{0.9, 0.8, 0.3, 0.1}, // image 0 against texts 0 to 3
		{0.2, 0.7, 0.1, 0.6},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	captionImages := []int{0, 1, 0, 1}
	uncertainty := []float64{0.1, 0.4, 0.2, 0.3}
	report, err := retrieval.Evaluate(scores, captionImages, uncertainty, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("images found by the four texts:", report.TextToImage.Top)
	fmt.Println("recall, the certain half first:", report.TextToImage.Levels)
	// Output:
	// images found by the four texts: [0 0 0 1]
	// recall, the certain half first: [1 0.5]
}

func ExampleOver() {
	fmt.Println(retrieval.Over([]float64{-1, -0.988, -1, -1, -0.976}))
	// Output: -0.993 ± 0.010
}
