package retrieval

import "fmt"

// A Stream gives the scores of images and texts of which neither need be in memory, some texts at a time.
type Stream interface {
	// Size returns the number of images and of texts, which must not change.
	Size() (images, texts int)
	// Part returns the scores of all images with the texts from ≤ text < to. It is called with texts in increasing order, each
	// of them once, and a part is read before the next one is asked for.
	Part(from, to int) (Scores, error)
}

// partTexts is the number of texts that a Stream is asked for at a time.
const partTexts = 16384

// RankStream is RankTop for galleries that are read some texts at a time. The images are read once for every 16,384 texts.
// The memory that it takes is that of the lists of texts, 4 bytes for every place, of the lists of images, 12, and of one
// block of scores, 32 MiB. The errors are those of RankTop and of the parts.
func RankStream(s Stream, captionImages []int, depth int) (*Ranking, error) {
	if depth < 1 {
		return nil, fmt.Errorf("retrieval: lists of length %d, want at least 1", depth)
	}
	images, texts := s.Size()
	if err := checkGallery(images, texts, captionImages); err != nil {
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
		part := r.byText.ranked(func(text, image int) bool { return captionImages[from+text] == image })
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
		ImageToText: byImage.ranked(func(image, text int) bool { return captionImages[text] == image }),
	}, nil
}
