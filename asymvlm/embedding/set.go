package embedding

import (
	"errors"
	"fmt"
	"strings"
)

// A Set is the cached embeddings of a collection of images and their captions.
//
// Every caption belongs to one image; an image may have several captions. An image without any passes the check here,
// but cannot be a query in package retrieval. Texts are kept as the encoder gave them, because their length is an
// input of the adapters; images may have any length, since only their direction is used.
type Set struct {
	Name          string   // for titles and error messages, such as "coco/val"
	Images        Matrix   // N×D
	Texts         Matrix   // M×D, in the order of the captions
	CaptionImages []int    // caption to image: CaptionImages[text] is a row of Images
	Captions      []string // the captions themselves, nil when unknown
	CaptionIDs    []int64  // the captions' identifiers in their source, nil when unknown
	CaptionTokens []int    // the captions' lengths in tokens of CLIP's tokenizer, without start and end; nil when unknown

	// StoredImages and StoredTexts are the rows of a set that OpenSet left in their files; both nil for a set in memory. Images
	// and Texts then have sizes and no values.
	StoredImages, StoredTexts *Stored

	// ImageLayer and TextLayer are the encoders' last linear layers with their inputs; both nil when unknown. Bayesvlm uses them.
	ImageLayer, TextLayer *Layer
}

// Check reports the first thing that makes s unusable: that there is none, an empty side, widths that differ, a caption without an
// image, lists of different lengths, identifiers that occur twice, captions of less than no tokens, values that are not
// finite, rows without a direction, last layers of one side only or that do not give the embeddings.
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
	if s.CaptionIDs != nil {
		if err := checkIdentifiers(s.CaptionIDs, s.Texts.Rows); err != nil {
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

// checkStored reports rows in files of one side only, or of another size than the set has, and values of a wrong number.
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

// Sides returns the rows of the images and of the texts, wherever they are.
func (s *Set) Sides() [2]*Stored {
	if s.StoredImages != nil && s.StoredTexts != nil {
		return [2]*Stored{s.StoredImages, s.StoredTexts}
	}
	return [2]*Stored{InMemory(s.Images), InMemory(s.Texts)}
}

// IsStored reports whether the rows are left in their files.
func (s *Set) IsStored() bool { return s.StoredImages != nil }

// Load returns the set with its rows in memory. A set whose rows are there already is returned as it is.
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

// wrong makes the error of a set.
func (s *Set) wrong(format string, arguments ...any) error {
	name := s.Name
	if name == "" {
		name = "set without a name"
	}
	return fmt.Errorf("embedding: %s: %s", name, fmt.Sprintf(format, arguments...))
}

// bare returns an error's text without this package's name, for use inside another message.
func bare(err error) string { return strings.TrimPrefix(err.Error(), "embedding: ") }

// checkIdentifiers reports another count than that of the texts, and the first identifier that occurs twice.
func checkIdentifiers(identifiers []int64, texts int) error {
	if len(identifiers) != texts {
		return fmt.Errorf("embedding: %d caption identifiers for %d texts", len(identifiers), texts)
	}
	rows := make(map[int64]int, texts)
	for row, id := range identifiers {
		if before, twice := rows[id]; twice {
			return fmt.Errorf("embedding: rows %d and %d have the caption identifier %d", before, row, id)
		}
		rows[id] = row
	}
	return nil
}

// checkTokens reports another count than that of the texts, and the first caption of less than no tokens.
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

// SelectImages returns the set of the named images, in the given order, and of their captions, in the order they
// have in s. The values are copied, into memory where they were left in files. Naming an image twice, or one that does not exist, is an error.
func (s *Set) SelectImages(images []int) (*Set, error) {
	place := make([]int, s.Images.Rows) // new row of an image, plus one; 0 when it is not selected
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
	var texts []int
	for text, image := range s.CaptionImages {
		if place[image] == 0 {
			continue
		}
		texts = append(texts, text)
		selected.CaptionImages = append(selected.CaptionImages, place[image]-1)
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

// ImageCaptions returns, for every image, the rows of its captions in increasing order.
func (s *Set) ImageCaptions() [][]int {
	captions := make([][]int, s.Images.Rows)
	for text, image := range s.CaptionImages {
		captions[image] = append(captions[image], text)
	}
	return captions
}

// String describes the set in one line.
func (s *Set) String() string {
	name := s.Name
	if name == "" {
		name = "embeddings"
	}
	return fmt.Sprintf("%s: %d images, %d texts, %d dimensions", name, s.Images.Rows, s.Texts.Rows, s.Texts.Columns)
}
