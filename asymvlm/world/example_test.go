package world_test

import (
	"fmt"

	"gosphere/asymvlm/retrieval"
	"gosphere/asymvlm/world"
)

// If the ambiguity of each caption is known, recall falls from level to level of the true
// uncertainty.
func ExampleNew() {
	_, test, err := world.New(world.Options{Scenes: 100, TestScenes: 300, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(test)
	cosines, err := retrieval.Cosines(test.Images, test.Texts)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := retrieval.EvaluateBlocks(cosines, test.CaptionImages, test.TrueUncertainty(), 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("recall by level %.1f\n", report.TextToImage.Levels)
	// Output:
	// world/test: 300 images, 1200 texts, 64 dimensions
	// recall by level [1.0 0.9 0.3 0.1]
}
