package zeroshot_test

import (
	"fmt"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
	"gosphere/asymvlm/zeroshot"
)

// The opening example of the package, with embeddings of two dimensions.
func Example() {
	classes, templates := []string{"cat", "dog"}, []string{"a {}", "a photo of a {}"}
	prompts, err := zeroshot.Prompts(templates, classes)
	if err != nil {
		fmt.Println(err)
		return
	}
	encoded := embedding.Matrix{Rows: len(prompts), Columns: 2, Values: []float32{1, 0, 1, 0.2, 0, 1, 0.2, 1}}
	texts, err := zeroshot.Ensemble(encoded, len(templates))
	if err != nil {
		fmt.Println(err)
		return
	}
	images := embedding.Matrix{Rows: 3, Columns: 2, Values: []float32{3, 1, 1, 2, 2, 1}}
	cosines, err := retrieval.Cosines(images, texts)
	if err != nil {
		fmt.Println(err)
		return
	}
	scores, err := retrieval.Whole(cosines)
	if err != nil {
		fmt.Println(err)
		return
	}
	accuracy, err := zeroshot.Classify(scores, []int{0, 1, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", accuracy.Overall)
	// Output: 0.67
}

// The prompts of two classes, and the ensemble of their embeddings.
func ExampleEnsemble() {
	templates := zeroshot.STLTemplates()
	prompts, err := zeroshot.Prompts(templates, []string{"cat", "dog"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q\n", prompts)
	encoded, _ := embedding.MatrixFromRows([][]float64{{3, 4}, {4, 3}, {-1, 0}, {0, 2}}) // by an encoder
	classes, err := zeroshot.Ensemble(encoded, len(templates))
	if err != nil {
		fmt.Println(err)
		return
	}
	for class := range classes.Rows {
		fmt.Printf("%.3f\n", classes.Row(class))
	}
	// Output:
	// ["a photo of a cat." "a photo of the cat." "a photo of a dog." "a photo of the dog."]
	// [0.707 0.707]
	// [-0.707 0.707]
}

// Two images of classes and two of unnamed things; the last column is the text "a photo".
func ExampleNoneOfTheAbove() {
	positives, _ := embedding.MatrixFromRows([][]float64{{0.9, 0.1, 0.5}, {0.2, 0.4, 0.5}})
	negatives, _ := embedding.MatrixFromRows([][]float64{{0.3, 0.2, 0.5}, {0.6, 0.2, 0.5}})
	point, err := zeroshot.NoneOfTheAbove(positives, negatives, []int{0, 1}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("found %.1f, rejected %.1f\n", point.Positive, point.Negative)
	curve, err := zeroshot.RejectByDummies(positives, negatives, []int{0, 1}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range curve.Points {
		fmt.Printf("lead %.1f: found %.1f, rejected %.1f\n", p.Threshold, p.Positive, p.Negative)
	}
	// Output:
	// found 0.5, rejected 0.5
	// lead -0.2: found 1.0, rejected 0.0
	// lead -0.1: found 1.0, rejected 0.5
	// lead 0.1: found 0.5, rejected 0.5
	// lead 0.4: found 0.5, rejected 1.0
	// lead +Inf: found 0.0, rejected 1.0
}
