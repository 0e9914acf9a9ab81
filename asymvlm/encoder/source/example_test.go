package source_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"gosphere/asymvlm/encoder/source"
)

// A text file with one caption per line is a collection without pictures.
func ExampleOpen() {
	folder, err := os.MkdirTemp("", "source")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "captions.txt")
	if err := os.WriteFile(file, []byte("a dog\na brown puppy asleep on a red sofa\n"), 0o644); err != nil {
		log.Fatal(err)
	}

	captions, err := source.Open("captions", file, "")
	if err != nil {
		log.Fatal(err)
	}
	for item, err := range captions.Items() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(item.Name, item.Captions)
	}
	// Output:
	// captions.txt:1 [a dog]
	// captions.txt:2 [a brown puppy asleep on a red sofa]
}
