package adapter

import (
	"fmt"
	"slices"

	"gosphere/asymvlm/embedding"
)

// flattened returns the caption-to-image table, followed by the number and the rows of each
// caption's images if captions describe several.
func flattened(set *embedding.Set) []int {
	if set.Positives == nil {
		return set.CaptionImages
	}
	table := slices.Clone(set.CaptionImages)
	for _, images := range set.Positives {
		table = append(append(table, len(images)), images...)
	}
	return table
}

// checkPositives returns an error for a set with several images for a caption and a method whose
// loss allows one.
func checkPositives(options Options, set *embedding.Set) error {
	if set.Positives == nil {
		return nil
	}
	method, _ := Lookup(options.Method)
	switch m, own := method.(learned); {
	case options.Loss != nil:
		return fmt.Errorf("adapter: loss %q sees one right image for each text, and texts of %s describe several; use a method's own loss", options.Loss.Name(), set.Name)
	case options.MaskSameImage:
		return fmt.Errorf("adapter: texts of %s describe several images, which all count as right; MaskSameImage is for sets with one image for each text", set.Name)
	case own && !m.with(options).ManyPositives():
		return fmt.Errorf("adapter: the loss of %s has one right candidate for each query, and texts of %s describe several images; "+
			"use a method with InfoNCE, SigLIP's loss or a loss of separate pairs", options.Method, set.Name)
	}
	return nil
}
