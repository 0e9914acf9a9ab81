package embedding

import "testing"

// TestGenericTextsDescribeManyScenes checks that both parts are valid, that general texts describe
// more scenes than specific ones, and that no generic text is in both parts.
func TestGenericTextsDescribeManyScenes(t *testing.T) {
	train, test, trainTexts, testTexts, err := GenericScenes()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for part, set := range []*Set{train, test} {
		if err := set.Check(); err != nil {
			t.Error(err)
		}
		texts := [][]GenericText{trainTexts, testTexts}[part]
		first := set.Texts.Rows - len(texts)
		var images, count [5]float64
		for i, text := range texts {
			images[text.Level] += float64(len(set.ImagesOf(first + i)))
			count[text.Level]++
			if seen[text.Sentence] {
				t.Errorf("%q is in both parts", text.Sentence)
			}
			seen[text.Sentence] = true
		}
		for caption := range first {
			if len(set.ImagesOf(caption)) != 1 {
				t.Fatalf("%s: caption %d describes %d scenes", set.Name, caption, len(set.ImagesOf(caption)))
			}
		}
		from := map[bool]int{true: 0, false: 2}[part == 0]
		for level := from; level < 4; level++ {
			if level == 3 {
				continue // adjectives and pairs of nouns describe similar numbers
			}
			if images[level]/count[level] <= images[level+1]/count[level+1] {
				t.Errorf("%s: texts of level %d describe %.1f scenes, those of level %d %.1f", set.Name, level, images[level]/count[level], level+1, images[level+1]/count[level+1])
			}
		}
	}
	if len(trainTexts) < 300 || len(testTexts) < 60 {
		t.Errorf("%d and %d texts", len(trainTexts), len(testTexts))
	}
}
