package retrieval

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"gosphere/asymvlm/embedding"
)

// largeGallery draws images in 16 dimensions and texts close to them, in equal numbers per image as
// far as possible.
func largeGallery(imageRows, textRows int) (images, texts embedding.Matrix, table []int) {
	const columns = 16
	source := rand.New(rand.NewPCG(4, 2))
	images, texts = embedding.NewMatrix(imageRows, columns), embedding.NewMatrix(textRows, columns)
	for i := range images.Values {
		images.Values[i] = float32(source.NormFloat64())
	}
	for text := range textRows {
		image := text % imageRows
		table = append(table, image)
		for j, value := range images.Row(image) {
			texts.Set(text, j, value+0.02*float32(source.NormFloat64()))
		}
	}
	return images, texts, table
}

// readObject reads a JSON object from identifiers to lists.
func readObject(t *testing.T, path string) map[int64][]int64 {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var stored map[string][]int64
	if err := json.Unmarshal(text, &stored); err != nil {
		t.Fatal(err)
	}
	lists := map[int64][]int64{}
	for key, list := range stored {
		id, err := strconv.ParseInt(key, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		lists[id] = list
	}
	return lists
}
