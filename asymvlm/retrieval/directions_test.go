package retrieval

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// transposed returns the scores with texts as rows.
func transposed(m embedding.Matrix) embedding.Matrix {
	t := embedding.NewMatrix(m.Columns, m.Rows)
	for i := range m.Rows {
		for j, value := range m.Row(i) {
			t.Row(j)[i] = value
		}
	}
	return t
}

// tied returns scores with many ties for more images than fit a block, and the caption-to-image
// table.
func tied(images, texts int) (scores embedding.Matrix, captionImages []int) {
	source := rand.New(rand.NewPCG(1, 4))
	scores = embedding.NewMatrix(images, texts)
	for i := range scores.Values {
		scores.Values[i] = float32(source.IntN(400))
	}
	for text := range texts {
		captionImages = append(captionImages, text%images)
	}
	return scores, captionImages
}

// If both directions have the same scores, the ranking equals that of RankTop, including the order
// of ties.
func TestRankingEachDirectionIsRankingBoth(t *testing.T) {
	scores, captionImages := tied(blockRows+37, 1200)
	for _, depth := range []int{1, 10, 600} {
		want, err := RankTop(FromMatrix(scores), captionImages, depth)
		if err != nil {
			t.Fatal(err)
		}
		got, err := RankEach(FromMatrix(scores), FromMatrix(transposed(scores)), Relevance{CaptionImages: captionImages}, depth)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("depth %d: another ranking", depth)
		}
	}
}

// Each direction is ranked by its own scores.
func TestDirectionsDoNotShareTheirScores(t *testing.T) {
	ofImages := embedding.Matrix{Rows: 2, Columns: 2, Values: []float32{1, 0, 0, 1}}
	ofTexts := embedding.Matrix{Rows: 2, Columns: 2, Values: []float32{0, 1, 1, 0}}
	r, err := RankEach(FromMatrix(ofImages), FromMatrix(ofTexts), Relevance{CaptionImages: []int{0, 1}}, 1)
	if err != nil || r.ImageToText.Recall(1) != 1 || r.TextToImage.Recall(1) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// failing are scores whose reading fails.
type failing struct{ Scores }

func (failing) ReadRows(embedding.Matrix, int) error { return errors.New("no rows") }

func TestRankingEachDirectionRefusesWhatRankTopRefuses(t *testing.T) {
	scores, captionImages := tied(4, 8)
	turned := transposed(scores)
	wrong := turned.Clone()
	wrong.Row(6)[2] = float32(math.NaN())
	rank := func(ofImages, ofTexts Scores, captions []int, depth int) error {
		_, err := RankEach(ofImages, ofTexts, Relevance{CaptionImages: captions}, depth)
		return err
	}
	for want, err := range map[string]error{
		"retrieval: lists of length 0, want at least 1":                              rank(FromMatrix(scores), FromMatrix(turned), captionImages, 0),
		"retrieval: scores of 4 images among 8 texts, and of 4 texts among 8 images": rank(FromMatrix(scores), FromMatrix(scores), captionImages, 1),
		"retrieval: the caption-to-image table has 7 entries for 8 texts":            rank(FromMatrix(scores), FromMatrix(turned), captionImages[:7], 1),
		"retrieval: score of text 6 and image 2 is NaN":                              rank(FromMatrix(scores), FromMatrix(wrong), captionImages, 1),
		"retrieval: score of image 2 and text 6 is NaN":                              rank(FromMatrix(transposed(wrong)), FromMatrix(turned), captionImages, 3),
		"no rows": errors.Join(rank(failing{FromMatrix(scores)}, FromMatrix(turned), captionImages, 1), rank(FromMatrix(scores), failing{FromMatrix(turned)}, captionImages, 1)),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
