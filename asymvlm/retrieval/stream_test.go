package retrieval

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// inParts is a stream of the cosines of matrices.
type inParts struct {
	images, texts embedding.Matrix
	fails         error
}

func (p inParts) Size() (images, texts int) { return p.images.Rows, p.texts.Rows }

func (p inParts) Part(from, to int) (Scores, error) {
	if p.fails != nil {
		return nil, p.fails
	}
	return Cosines(p.images, p.texts.RowRange(from, to))
}

func TestAStreamIsRankedAsTheWhole(t *testing.T) {
	for _, sizes := range [][3]int{{7, 40_000, 10}, {3, 16_385, 2}, {600, 700, 10}} {
		images, texts, table := largeGallery(sizes[0], sizes[1])
		scores, err := Cosines(images, texts)
		if err != nil {
			t.Fatal(err)
		}
		want, err := RankTop(scores, table, sizes[2])
		if err != nil {
			t.Fatal(err)
		}
		got, err := RankStream(inParts{images: images, texts: texts}, Relevance{CaptionImages: table}, sizes[2])
		if err != nil {
			t.Fatal(err)
		}
		for i, pair := range [][2]Ranked{{got.TextToImage, want.TextToImage}, {got.ImageToText, want.ImageToText}} {
			if pair[0].Depth != pair[1].Depth || !slices.Equal(pair[0].Items, pair[1].Items) || !slices.Equal(pair[0].First, pair[1].First) {
				t.Errorf("sizes %v, direction %d: other lists than those of the whole", sizes, i)
			}
		}
	}
}

func TestAStreamThatFailsIsNotRanked(t *testing.T) {
	images, texts, table := largeGallery(4, 8)
	broken := errors.New("the disk is gone")
	for want, stream := range map[string]inParts{
		broken.Error():           {images: images, texts: texts, fails: broken},
		"gallery of 1 images":    {images: images.RowRange(0, 1), texts: texts},
		"has 8 entries for 7 te": {images: images, texts: texts.RowRange(0, 7)},
	} {
		if _, err := RankStream(stream, Relevance{CaptionImages: table}, 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := RankStream(inParts{images: images, texts: texts}, Relevance{CaptionImages: table}, 0); fmt.Sprint(err) != "retrieval: lists of length 0, want at least 1" {
		t.Errorf("got %v", err)
	}
}
