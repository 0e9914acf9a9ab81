package retrieval

import (
	"fmt"
	"slices"

	"gosphere/asymvlm/embedding"
)

// A Relevance says which images each text describes.
type Relevance struct {
	CaptionImages []int   // an image of each text
	Positives     [][]int // all images of each text, in increasing order; nil if each has the one
}

// RelevanceOf returns the relevance of a set.
func RelevanceOf(set *embedding.Set) Relevance {
	return Relevance{set.CaptionImages, set.Positives}
}

// has reports whether a text describes an image.
func (r Relevance) has(text, image int) bool {
	if r.Positives == nil {
		return r.CaptionImages[text] == image
	}
	_, found := slices.BinarySearch(r.Positives[text], image)
	return found
}

// queries returns the rows of the images that have a text, or nil if all have one. The other images
// are distractors: items for texts, but no queries. It returns an error unless the gallery can be
// ranked: two images, two texts, and a table that fits them.
func (r Relevance) queries(images, texts int) ([]int, error) {
	if images < 2 || texts < 2 {
		return nil, fmt.Errorf("retrieval: gallery of %d images and %d texts, want at least 2 of each", images, texts)
	}
	if len(r.CaptionImages) != texts || r.Positives != nil && len(r.Positives) != texts {
		return nil, fmt.Errorf("retrieval: the caption-to-image table has %d entries for %d texts", len(r.CaptionImages), texts)
	}
	captioned := make([]bool, images)
	mark := func(text, image int) error {
		if image < 0 || image >= images {
			return fmt.Errorf("retrieval: text %d belongs to image %d, but there are %d images", text, image, images)
		}
		captioned[image] = true
		return nil
	}
	for text, image := range r.CaptionImages {
		if err := mark(text, image); err != nil {
			return nil, err
		}
		if r.Positives == nil {
			continue
		}
		for _, other := range r.Positives[text] {
			if err := mark(text, other); err != nil {
				return nil, err
			}
		}
	}
	if !slices.Contains(captioned, false) {
		return nil, nil
	}
	var rows []int
	for image, has := range captioned {
		if has {
			rows = append(rows, image)
		}
	}
	return rows, nil
}

// JudgedPositives returns all positives of both directions of a set, for the measures of ECCV
// Caption.
func (r Relevance) JudgedPositives(images int) *Positives {
	p := &Positives{ImagesOfText: make([][]int, len(r.CaptionImages)), TextsOfImage: make([][]int, images)}
	for text, image := range r.CaptionImages {
		p.ImagesOfText[text] = []int{image}
		if r.Positives != nil {
			p.ImagesOfText[text] = r.Positives[text]
		}
		for _, of := range p.ImagesOfText[text] {
			p.TextsOfImage[of] = append(p.TextsOfImage[of], text)
		}
	}
	return p
}
