package encoder_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"gosphere/asymvlm/encoder"
)

// This example uses a tiny network with random weights. To use a published model, pass its folder
// or its name to Open.
func ExampleOpen() {
	folder, err := os.MkdirTemp("", "encoder")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	model := filepath.Join(folder, "tiny-clip")
	if err := encoder.WriteRandom(model, 1); err != nil {
		log.Fatal(err)
	}

	enc, err := encoder.Open(model)
	if err != nil {
		log.Fatal(err)
	}
	defer enc.Close()
	texts, err := enc.Texts(context.Background(), "a dog", "a brown puppy asleep on a red sofa")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(texts.Rows, "embeddings of width", texts.Columns)
	// Output: 2 embeddings of width 48
}
