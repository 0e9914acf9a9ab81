package embedding

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// ReadPairs reads a .npy file with one text per image: an array of shape 2×N×D that holds the
// images and then the texts, where row i of both belongs together. Studies of the modality gap
// store their features in this form. The set's name is the file's. Another shape, values that are
// not finite, and rows of zeros are errors that name the file and the row.
func ReadPairs(path string) (*Set, error) {
	array, err := ReadNPY(path)
	if err != nil {
		return nil, err
	}
	if len(array.Shape) != 3 || array.Shape[0] != 2 {
		return nil, inFile(path, fmt.Errorf("embedding: shape %v, want 2×N×D: images, then texts", array.Shape))
	}
	values, err := array.Float32s()
	if err != nil {
		return nil, inFile(path, err)
	}
	rows, columns := array.Shape[1], array.Shape[2]
	half := rows * columns
	set := &Set{
		Name:          strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)),
		Images:        Matrix{Rows: rows, Columns: columns, Values: values[:half:half]},
		Texts:         Matrix{Rows: rows, Columns: columns, Values: values[half:]},
		CaptionImages: make([]int, rows),
	}
	for i := range rows {
		set.CaptionImages[i] = i
	}
	if err := set.Check(); err != nil {
		return nil, inFile(path, err)
	}
	return set, nil
}

// Folds divides the images into parts for cross-validation. Image i is in part i mod parts, so that
// the sizes differ by at most one, and captions follow their image. For each part it returns the
// set of all other images and the part itself. Fewer than two parts, and more parts than images,
// are errors.
func (s *Set) Folds(parts int) (rest, part []*Set, err error) {
	if parts < 2 || parts > s.Images.Rows {
		return nil, nil, s.wrong("%d folds of %d images, want 2 to %d", parts, s.Images.Rows, s.Images.Rows)
	}
	for fold := range parts {
		var inside, outside []int
		for image := range s.Images.Rows {
			if image%parts == fold {
				inside = append(inside, image)
			} else {
				outside = append(outside, image)
			}
		}
		for _, chosen := range []struct {
			to     *[]*Set
			images []int
			name   string
		}{{&rest, outside, "without fold %d of %d"}, {&part, inside, "fold %d of %d"}} {
			set, err := s.SelectImages(chosen.images)
			if err != nil {
				return nil, nil, err
			}
			set.Name = strings.TrimPrefix(s.Name+" ", " ") + fmt.Sprintf(chosen.name, fold+1, parts)
			*chosen.to = append(*chosen.to, set)
		}
	}
	return slices.Clip(rest), slices.Clip(part), nil
}
