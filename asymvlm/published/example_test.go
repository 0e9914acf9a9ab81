package published_test

import (
	"fmt"

	"gosphere/asymvlm/published"
)

// The published numbers of a method on COCO, compared with your own result.
func ExampleRetrieval() {
	row := published.Retrieval(published.CLIP, "MS-COCO", "asymvlm-vmf")
	number := row[[2]string{published.TextToImage, published.Recall1}]
	own := 0.38
	fmt.Printf("published %.3f ± %.3f, own %+.3f\n", number.Mean, number.SD, own-number.Mean)
	// Output: published 0.392 ± 0.001, own -0.012
}

// Before training, the recalls of the encoder's own cosines show whether the gallery is the
// paper's.
func ExampleGalleryOf() {
	gallery, ok := published.GalleryOf(published.CLIP, "MS-COCO")
	fmt.Println(ok, gallery.Images, gallery.Texts, gallery.TextToImage, gallery.ImageToText)
	// Output: true 5000 25014 0.304 0.5
}
