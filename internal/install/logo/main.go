// Command logo draws the logos of the kernelspec: a sphere with its meridians and, around the pole, a cap of dots, as
// samples lie around a mean direction.
//
// It draws only with the standard library, so "go generate ./install" works on every machine. The file logo-svg.svg is
// the same picture written by hand; a test keeps the two together.
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

// sizes are the edges in pixels that Jupyter asks for.
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

// write saves an image as small as PNG makes it.
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
