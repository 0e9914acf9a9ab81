package picture_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"log"

	"gosphere/asymvlm/encoder/picture"
)

// A photograph becomes the normalized input values of CLIP ViT-B/32, channel by channel.
func ExamplePreparation_Apply() {
	photo := image.NewRGBA(image.Rect(0, 0, 640, 480))
	draw.Draw(photo, photo.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)

	values, err := picture.CLIP(224).Apply(picture.FromImage(photo))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(values), "values")
	fmt.Printf("white: %.3f %.3f %.3f\n", values[0], values[224*224], values[2*224*224])
	// Output:
	// 150528 values
	// white: 1.930 2.075 2.146
}
