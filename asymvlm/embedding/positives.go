package embedding

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ImagesOf returns the rows of all images that a caption describes, in increasing order.
func (s *Set) ImagesOf(text int) []int {
	if s.Positives != nil {
		return s.Positives[text]
	}
	return s.CaptionImages[text : text+1]
}

// Describes reports whether a caption describes an image.
func (s *Set) Describes(text, image int) bool {
	if s.Positives == nil {
		return s.CaptionImages[text] == image
	}
	_, found := slices.BinarySearch(s.Positives[text], image)
	return found
}

// describe appends the images of a caption of another set, of which place holds the new rows plus
// one, or 0 for images that are left out. It returns false if none remains.
func (s *Set) describe(from *Set, text int, place []int) bool {
	var images []int
	for _, image := range from.ImagesOf(text) {
		if place[image] > 0 {
			images = append(images, place[image]-1)
		}
	}
	if len(images) == 0 {
		return false
	}
	slices.Sort(images)
	own := images[0]
	if kept := place[from.CaptionImages[text]]; kept > 0 {
		own = kept - 1
	}
	s.CaptionImages = append(s.CaptionImages, own)
	if from.Positives != nil {
		s.Positives = append(s.Positives, images)
	}
	return true
}

// checkPositives returns an error unless each list of images is increasing, within the number of
// images, and contains the caption's image of the table.
func checkPositives(positives [][]int, table []int, images int) error {
	if positives == nil {
		return nil
	}
	if len(positives) != len(table) {
		return fmt.Errorf("embedding: positives of %d captions, want %d", len(positives), len(table))
	}
	for caption, list := range positives {
		for i, image := range list {
			switch {
			case image < 0 || image >= images:
				return fmt.Errorf("embedding: caption %d belongs to image %d, but there are %d images", caption, image, images)
			case i > 0 && image <= list[i-1]:
				return fmt.Errorf("embedding: caption %d: image %d follows %d among its images, want increasing rows without repetition", caption, image, list[i-1])
			}
		}
		if !slices.Contains(list, table[caption]) {
			return fmt.Errorf("embedding: caption %d: its image %d is not among its positives", caption, table[caption])
		}
	}
	return nil
}

// single reports whether each list has one image.
func single(positives [][]int) bool {
	return !slices.ContainsFunc(positives, func(list []int) bool { return len(list) != 1 })
}

// imageIDsFile holds the images' identifiers.
const imageIDsFile = "image_ids.npy"

// readImageIDs reads the images' identifiers, or returns nil if there is no file of them.
func readImageIDs(dir string, images int) ([]int64, error) {
	path := filepath.Join(dir, imageIDsFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	array, err := ReadNPY(path)
	if err != nil {
		return nil, err
	}
	ids, err := array.Int64s()
	if err == nil {
		err = checkIdentifiers("image", ids, images)
	}
	if err != nil {
		return nil, inFile(path, err)
	}
	return ids, nil
}

// writeImageIDs writes the images' identifiers, or removes those of an earlier set if they are
// unknown.
func writeImageIDs(dir string, ids []int64) error {
	path := filepath.Join(dir, imageIDsFile)
	if ids != nil {
		return WriteNPY(path, Int64Array(ids))
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("embedding: %w", err)
	}
	return nil
}
