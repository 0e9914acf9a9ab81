package tower_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"gosphere/asymvlm/encoder"
	"gosphere/asymvlm/encoder/tower"
)

// This example loads a tiny network with random weights and encodes token ids. Most programs use
// package encoder instead, which also tokenizes texts and decodes pictures.
func ExampleLoad() {
	folder, err := os.MkdirTemp("", "tower")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "tiny-clip")
	if err := encoder.WriteRandom(path, 1); err != nil {
		log.Fatal(err)
	}

	model, err := tower.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	worker := tower.NewWorker()
	defer worker.Close()
	end := int32(model.Text.Vocabulary - 1)
	rows, err := model.Text.Encode(worker, [][]int32{{2, 5, end}, {2, 5, 6, 7, end}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.Family, model.Layout, rows.Rows, rows.Columns)
	// Output: clip huggingface 2 48
}
