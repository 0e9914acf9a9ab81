package retrieval

import "fmt"

// A Stream provides the scores of images and texts, neither of which need be in memory, for a range
// of texts at a time.
type Stream interface {
	// Size returns the number of images and of texts, which must not change.
	Size() (images, texts int)
	// Part returns the scores of all images with the texts from ≤ text < to. It is called with
	// texts in increasing order, once for each text, and a part is read completely before the next
	// one is requested.
	Part(from, to int) (Scores, error)
}

// partTexts is the number of texts requested from a Stream at a time.
const partTexts = 16384

// RankStream is like RankRelevant for galleries that are read for a range of texts at a time. The
// images are read once per 16,384 texts. It needs 4 bytes per entry of the texts' lists, 12 bytes
// per entry of the images' lists, and 32 MiB for one block of scores. It returns the errors of
// RankTop and of the parts.
func RankStream(s Stream, relevance Relevance, depth int) (*Ranking, error) {
	if depth < 1 {
		return nil, fmt.Errorf("retrieval: lists of length %d, want at least 1", depth)
	}
	images, texts := s.Size()
	queries, err := relevance.queries(images, texts)
	if err != nil {
		return nil, err
	}
	ofTexts := Ranked{Queries: texts, Depth: min(depth, images)}
	ofTexts.Items, ofTexts.First = make([]int32, 0, texts*ofTexts.Depth), make([]int, 0, texts)
	byImage, seen := newLists(images, min(depth, texts)), 0
	for from := 0; from < texts; from += partTexts {
		to := min(from+partTexts, texts)
		scores, err := s.Part(from, to)
		if err != nil {
			return nil, err
		}
		r, err := rankAll(scores, depth)
		if err != nil {
			return nil, err
		}
		part := r.byText.ranked(nil, func(text, image int) bool { return relevance.has(from+text, image) })
		ofTexts.Items, ofTexts.First = append(ofTexts.Items, part.Items...), append(ofTexts.First, part.First...)
		for image := range images {
			for place := range r.byImage.depth {
				at := image*r.byImage.depth + place
				byImage.offer(image, from+int(r.byImage.items[at]), seen+place, r.byImage.scores[at])
			}
		}
		seen += r.byImage.depth
	}
	return &Ranking{
		TextToImage: ofTexts,
		ImageToText: byImage.ranked(queries, func(image, text int) bool { return relevance.has(text, image) }),
	}, nil
}
