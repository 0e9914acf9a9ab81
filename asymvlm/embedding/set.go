package embedding

import (
	"errors"
	"fmt"
	"strings"
)

// A Set holds the cached embeddings of a collection of images and their captions.
//
// Each caption belongs to one image, or describes several, its positives; an image may have several
// captions. An image without captions is a distractor: it can be retrieved, but is no query in
// package retrieval. Texts are kept as their encoder produced them, because their norm is an input
// of the adapters. Images may have any norm, because only their direction is used.
type Set struct {
	Name          string   // name for titles and error messages, such as "coco/val"
	Images        Matrix   // N×D
	Texts         Matrix   // M×D, in the order of the captions
	CaptionImages []int    // caption to image: CaptionImages[text] is a row of Images
	Positives     [][]int  // the rows of all images that each caption describes, increasing, with CaptionImages[text] among them; nil if each describes one
	Captions      []string // the texts of the captions; nil if unknown
	CaptionIDs    []int64  // the captions' identifiers in their source; nil if unknown
	CaptionTokens []int    // the captions' lengths in tokens of CLIP's tokenizer, without start and end; nil if unknown
	ImageIDs      []int64  // the images' identifiers in their source; nil if unknown

	// StoredImages and StoredTexts are the rows of a set that OpenSet left in their files. Both are
	// nil for a set in memory. Otherwise Images and Texts have sizes but no values.
	StoredImages, StoredTexts *Stored

	// ImageLayer and TextLayer are the encoders' last linear layers with their inputs. Both are nil
	// if unknown. The method bayesvlm uses them.
	ImageLayer, TextLayer *Layer
}

// Check returns an error if s is nil or unusable: a side is empty, the widths differ, a caption has
// no image, lists differ in length, an identifier occurs twice, a number of tokens is negative, a
// value is not finite, a row is all zeros, only one side has a last layer, or a last layer does not
// reproduce the embeddings.
func (s *Set) Check() error {
	switch {
	case s == nil:
		return errors.New("embedding: no set, but nil: did reading it fail?")
	case s.Images.Rows == 0:
		return s.wrong("has no images")
	case s.Texts.Rows == 0:
		return s.wrong("has no texts")
	case s.Images.Columns != s.Texts.Columns:
		return s.wrong("images have %d columns, texts %d", s.Images.Columns, s.Texts.Columns)
	case len(s.CaptionImages) != s.Texts.Rows:
		return s.wrong("the caption-to-image table has %d entries for %d texts", len(s.CaptionImages), s.Texts.Rows)
	case s.Captions != nil && len(s.Captions) != s.Texts.Rows:
		return s.wrong("%d captions for %d texts", len(s.Captions), s.Texts.Rows)
	}
	if err := checkTable(s.CaptionImages, s.Images.Rows); err != nil {
		return s.wrong("%s", bare(err))
	}
	if err := checkPositives(s.Positives, s.CaptionImages, s.Images.Rows); err != nil {
		return s.wrong("%s", bare(err))
	}
	if s.CaptionIDs != nil {
		if err := checkIdentifiers("caption", s.CaptionIDs, s.Texts.Rows); err != nil {
			return s.wrong("%s", bare(err))
		}
	}
	if s.ImageIDs != nil {
		if err := checkIdentifiers("image", s.ImageIDs, s.Images.Rows); err != nil {
			return s.wrong("%s", bare(err))
		}
	}
	if s.CaptionTokens != nil {
		if err := checkTokens(s.CaptionTokens, s.Texts.Rows); err != nil {
			return s.wrong("%s", bare(err))
		}
	}
	if err := s.checkStored(); err != nil {
		return err
	}
	for i, rows := range s.Sides() {
		if err := rows.Check(); err != nil {
			return s.wrong("%s: %s", [2]string{"images", "texts"}[i], bare(err))
		}
	}
	if err := s.checkLayers(); err != nil {
		return s.wrong("%s", bare(err))
	}
	return nil
}

// checkStored returns an error if only one side has rows in files, or if sizes and values do not
// match.
func (s *Set) checkStored() error {
	for _, side := range []struct {
		name string
		Matrix
		stored, other *Stored
	}{{"images", s.Images, s.StoredImages, s.StoredTexts}, {"texts", s.Texts, s.StoredTexts, s.StoredImages}} {
		switch {
		case side.stored == nil && side.other != nil:
			return s.wrong("the %s are in memory and the others are in files: want both in one of the two", side.name)
		case side.stored == nil && len(side.Values) != side.Rows*side.Columns:
			return s.wrong("%s: %d×%d matrix has %d values", side.name, side.Rows, side.Columns, len(side.Values))
		case side.stored != nil && (side.stored.Rows != side.Rows || side.stored.Columns != side.Columns || side.Values != nil):
			return s.wrong("%s: %d×%d matrix with %d values beside %d×%d in files", side.name, side.Rows, side.Columns, len(side.Values),
				side.stored.Rows, side.stored.Columns)
		}
	}
	return nil
}

// Sides returns the rows of the images and of the texts, in memory or in files.
func (s *Set) Sides() [2]*Stored {
	if s.StoredImages != nil && s.StoredTexts != nil {
		return [2]*Stored{s.StoredImages, s.StoredTexts}
	}
	return [2]*Stored{InMemory(s.Images), InMemory(s.Texts)}
}

// IsStored reports whether the rows are in files.
func (s *Set) IsStored() bool { return s.StoredImages != nil }

// Load returns the set with its rows in memory. It returns s itself if they are in memory already.
// Load returns an error if reading fails.
func (s *Set) Load() (*Set, error) {
	if !s.IsStored() {
		return s, nil
	}
	loaded := *s
	loaded.StoredImages, loaded.StoredTexts = nil, nil
	loaded.Images, loaded.Texts = NewMatrix(s.Images.Rows, s.Images.Columns), NewMatrix(s.Texts.Rows, s.Texts.Columns)
	if err := s.StoredImages.Read(loaded.Images, 0); err != nil {
		return nil, err
	}
	return &loaded, s.StoredTexts.Read(loaded.Texts, 0)
}

// wrong returns an error about the set.
func (s *Set) wrong(format string, arguments ...any) error {
	name := s.Name
	if name == "" {
		name = "set without a name"
	}
	return fmt.Errorf("embedding: %s: %s", name, fmt.Sprintf(format, arguments...))
}

// bare returns an error's text without this package's prefix, for use inside another message.
func bare(err error) string { return strings.TrimPrefix(err.Error(), "embedding: ") }

// checkIdentifiers returns an error if the number of identifiers of a side, caption or image, is
// not the number of its rows, or if an identifier occurs twice.
func checkIdentifiers(side string, identifiers []int64, number int) error {
	if len(identifiers) != number {
		return fmt.Errorf("embedding: %d %s identifiers for %d %ss", len(identifiers), side, number, map[string]string{"caption": "text", "image": "image"}[side])
	}
	rows := make(map[int64]int, number)
	for row, id := range identifiers {
		if before, twice := rows[id]; twice {
			return fmt.Errorf("embedding: rows %d and %d have the %s identifier %d", before, row, side, id)
		}
		rows[id] = row
	}
	return nil
}

// checkTokens returns an error if the number of lengths is not the number of texts, or if a length
// is negative.
func checkTokens(tokens []int, texts int) error {
	if len(tokens) != texts {
		return fmt.Errorf("embedding: %d numbers of tokens for %d texts", len(tokens), texts)
	}
	for row, n := range tokens {
		if n < 0 {
			return fmt.Errorf("embedding: row %d has %d tokens", row, n)
		}
	}
	return nil
}

// SelectImages returns the set of the given images, in the given order, and of the captions that
// describe any of them, in the order of s. Values are copied into memory. An image that occurs
// twice or does not exist is an error.
func (s *Set) SelectImages(images []int) (*Set, error) {
	place := make([]int, s.Images.Rows) // new row of an image plus one; 0 if it is not selected
	for row, image := range images {
		if image < 0 || image >= s.Images.Rows {
			return nil, s.wrong("image %d selected, but there are %d images", image, s.Images.Rows)
		}
		if place[image] != 0 {
			return nil, s.wrong("image %d selected twice", image)
		}
		place[image] = row + 1
	}
	sides := s.Sides()
	chosen, err := sides[0].SelectRows(images)
	if err != nil {
		return nil, err
	}
	selected := &Set{Name: s.Name, Images: chosen, ImageLayer: s.ImageLayer.selectRows(images)}
	if s.ImageIDs != nil {
		for _, image := range images {
			selected.ImageIDs = append(selected.ImageIDs, s.ImageIDs[image])
		}
	}
	var texts []int
	for text := range s.CaptionImages {
		if !selected.describe(s, text, place) {
			continue
		}
		texts = append(texts, text)
		if s.Captions != nil {
			selected.Captions = append(selected.Captions, s.Captions[text])
		}
		if s.CaptionIDs != nil {
			selected.CaptionIDs = append(selected.CaptionIDs, s.CaptionIDs[text])
		}
		if s.CaptionTokens != nil {
			selected.CaptionTokens = append(selected.CaptionTokens, s.CaptionTokens[text])
		}
	}
	if selected.Texts, err = sides[1].SelectRows(texts); err != nil {
		return nil, err
	}
	selected.TextLayer = s.TextLayer.selectRows(texts)
	return selected, nil
}

// ImageCaptions returns for each image the rows of all captions that describe it, in increasing
// order. An image without captions has none.
func (s *Set) ImageCaptions() [][]int {
	captions := make([][]int, s.Images.Rows)
	for text := range s.CaptionImages {
		for _, image := range s.ImagesOf(text) {
			captions[image] = append(captions[image], text)
		}
	}
	return captions
}

// String returns a description of the set in one line.
func (s *Set) String() string {
	name := s.Name
	if name == "" {
		name = "embeddings"
	}
	return fmt.Sprintf("%s: %d images, %d texts, %d dimensions", name, s.Images.Rows, s.Texts.Rows, s.Texts.Columns)
}
