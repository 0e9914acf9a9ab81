package embedding_test

import (
	"fmt"
	"os"
	"path/filepath"

	"gosphere/asymvlm/embedding"
)

// This example writes embeddings of another encoder to a folder that all commands of the laboratory
// read.
func ExampleWriteSet() {
	images, err := embedding.MatrixFromRows([][]float64{{3, 4}, {0, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	texts, err := embedding.MatrixFromRows([][]float64{{6, 8}, {5, 5}, {0, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	set := &embedding.Set{Images: images, Texts: texts, CaptionImages: []int{0, 0, 1}, Captions: []string{"a dog", "a dog on a sofa", "a cat"}}

	above, err := os.MkdirTemp("", "embeddings")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(above)
	dir := filepath.Join(above, "pets", "val")
	if err := embedding.WriteSet(dir, set); err != nil {
		fmt.Println(err)
		return
	}
	read, err := embedding.ReadSet(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(read)
	fmt.Println(read.Captions[2], "belongs to image", read.CaptionImages[2])
	// Output:
	// pets/val: 2 images, 3 texts, 2 dimensions
	// a cat belongs to image 1
}

// An error names the row that cannot be used.
func ExampleSet_Check() {
	images, _ := embedding.MatrixFromRows([][]float64{{1, 0}, {0, 0}})
	texts, _ := embedding.MatrixFromRows([][]float64{{1, 0}, {0, 1}})
	set := &embedding.Set{Name: "pets/val", Images: images, Texts: texts, CaptionImages: []int{0, 1}}
	fmt.Println(set.Check())
	// Output: embedding: pets/val: images: row 1 is all zeros, so it has no direction
}

// Scenes is the built-in data set.
func ExampleScenes() {
	train, test, err := embedding.Scenes()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(train)
	fmt.Println(test)
	// Output:
	// scenes_minilm/train: 4000 images, 8000 texts, 384 dimensions
	// scenes_minilm/test: 1000 images, 2000 texts, 384 dimensions
}

// This example stores rows in a quarter of the space, with one scale per row.
func ExampleCompressInt8() {
	m, _ := embedding.MatrixFromRows([][]float64{{1.27, -0.63, 0.005}})
	values, scales, err := embedding.CompressInt8(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	back, err := embedding.ExpandInt8(values, scales)
	if err != nil {
		fmt.Println(err)
		return
	}
	stored, _ := values.Int64s()
	fmt.Println(stored, back.Row(0))
	// Output: [127 -63 0] [1.27 -0.63 0]
}
