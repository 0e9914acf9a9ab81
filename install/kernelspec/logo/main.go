// Command logo draws the logos of the kernelspec: a sphere with its meridians and, around the pole,
// a cap of dots that represent samples around a mean direction.
//
// It uses only the standard library, so "go generate ./install" works on every machine. The file
// logo-svg.svg is the same picture, written by hand; a test compares the two.
package main

import (
	"flag"
	"fmt"
	"image"
	"image/png"
	"log"
	"os"
	"path/filepath"
)

// sizes are the sizes in pixels that Jupyter requires.
var sizes = []int{32, 64}

func main() {
	folder := flag.String("folder", "logo", "where the pictures are written")
	flag.Parse()
	for _, size := range sizes {
		name := filepath.Join(*folder, fmt.Sprintf("logo-%dx%d.png", size, size))
		if err := write(name, pictureFor(size).draw(size)); err != nil {
			log.Fatal(err)
		}
	}
}

// write saves an image as a small PNG file.
func write(name string, drawn image.Image) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(file, drawn); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
