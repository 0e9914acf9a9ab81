package retrieval

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
	reference "gosphere/internal/testing/golden"
)

// files writes the two files of positives and returns their paths.
func files(t *testing.T, texts, images string) (captionToImage, imageToCaption string) {
	t.Helper()
	folder := t.TempDir()
	captionToImage, imageToCaption = filepath.Join(folder, "caption_to_image.json"), filepath.Join(folder, "image_to_caption.json")
	for path, text := range map[string]string{captionToImage: texts, imageToCaption: images} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return captionToImage, imageToCaption
}

func TestPositivesAreReadByIdentifier(t *testing.T) {
	texts, images := files(t, `{"70": [5, 6], "71": [6], "99": [5]}`, `{"6": [70, 71, 98], "7": [70]}`)
	p, missing, err := ReadPositives(texts, images, []int64{71, 72, 70}, []int64{5, 6})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.ImagesOfText[2], []int{0, 1}) || !slices.Equal(p.ImagesOfText[0], []int{1}) || p.ImagesOfText[1] != nil {
		t.Errorf("images of texts %v", p.ImagesOfText)
	}
	if !slices.Equal(p.TextsOfImage[1], []int{2, 0}) || p.TextsOfImage[0] != nil {
		t.Errorf("texts of images %v", p.TextsOfImage)
	}
	if missing != (Missing{Texts: 1, Images: 1, Items: 1}) || p.Deepest() != 2 {
		t.Errorf("missing %+v, deepest %d", missing, p.Deepest())
	}
}

func TestWrongPositivesAreErrors(t *testing.T) {
	good, ids := `{"1": [1]}`, []int64{1, 2}
	for want, c := range map[string]struct {
		texts, images string
		ids           []int64
	}{
		"image_to_caption.json: the list of 1 names 2 twice":                                 {good, `{"1": [2, 2]}`, ids},
		"caption_to_image.json: identifier \"one\" is no number":                             {`{"one": [1]}`, good, ids},
		"caption_to_image.json: want an object of lists":                                     {`[1]`, good, ids},
		"caption_to_image.json: none of its 1 queries is in the gallery of 2":                {`{"3": [1]}`, good, ids},
		"retrieval: texts 0 and 2 have the same identifier 4":                                {good, good, []int64{4, 1, 4}},
		"image_to_caption.json: want an object of lists of identifiers: that of 1: json: ca": {good, `{"1": "a"}`, ids},
		"image_to_caption.json: two lists of 1":                                              {good, `{"1": [1], "01": [2]}`, ids},
		"image_to_caption.json: the list of 1 has null among":                                {good, `{"1": [2, null]}`, ids},
		"image_to_caption.json: text after the JSON object":                                  {good, good + `{}`, ids},
	} {
		texts, images := files(t, c.texts, c.images)
		if _, _, err := ReadPositives(texts, images, c.ids, ids); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	texts, _ := files(t, good, good)
	if _, _, err := ReadPositives(texts, texts+".absent", ids, ids); err == nil || !strings.Contains(err.Error(), "absent") {
		t.Errorf("error %v", err)
	}
	if _, _, err := ReadPositives(texts, texts, ids, []int64{7, 7}); err == nil || !strings.Contains(err.Error(), "images 0 and 1") {
		t.Errorf("error %v", err)
	}
}

func FuzzPositives(f *testing.F) {
	for _, text := range []string{`{"1": [1, 2], "2": []}`, `{}`, `[]`, `{"1": [null]}`, `{"1": [1], "+1": [2]}`, `{"1": [1]} x`, `{"9223372036854775808": []}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		stored, err := decodeLists(text)
		if err != nil {
			return
		}
		seen := map[int64]bool{}
		for _, judged := range stored {
			if seen[judged.query] {
				t.Errorf("two lists of %d are accepted", judged.query)
			}
			seen[judged.query] = true
		}
	})
}

// One text query by hand: the positives are the images 0, 2 and 3, and the ranking is 2, 1, 0, 3.
//
//	best three 2 ✓, 1, 0 ✓:  R@1 = 1, R-precision = 2/3, mAP@R = (1/1 + 2/3)/3 = 5/9
func TestMeasuresOfPositivesByHand(t *testing.T) {
	scores, err := embedding.MatrixFromRows([][]float64{{2, 0}, {3, 0}, {4, 9}, {1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	p := &Positives{ImagesOfText: [][]int{{0, 2, 3}, nil}, TextsOfImage: [][]int{nil, nil, {0}, nil}}
	if _, err := RankTop(FromMatrix(scores), nil, 1); err == nil {
		t.Fatal("a table is needed")
	}
	distracted, err := RankTop(FromMatrix(scores.RowRange(0, 4)), []int{0, 1}, p.Deepest())
	if err != nil || distracted.ImageToText.Queries != 2 {
		t.Fatalf("images without texts are distractors: %v", err)
	}
	full, err := embedding.MatrixFromRows([][]float64{{2, 0, 9, 9}, {3, 0, 9, 9}, {4, 9, 0, 0}, {1, 0, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	p.ImagesOfText = append(p.ImagesOfText, nil, nil)
	ranking, err := RankTop(FromMatrix(full), []int{0, 1, 2, 3}, p.Deepest())
	if err != nil {
		t.Fatal(err)
	}
	texts, images, err := p.Measure(ranking)
	if err != nil {
		t.Fatal(err)
	}
	if texts.Queries != 1 || texts.Recall1 != 1 || math.Abs(texts.RPrecision-2.0/3) > 1e-15 || math.Abs(texts.MAPAtR-5.0/9) > 1e-15 {
		t.Errorf("texts %+v", texts)
	}
	if images != (PositiveMeasures{Queries: 1}) { // image 2 retrieves text 1, but its only positive is text 0
		t.Errorf("images %+v", images)
	}
	if _, _, err := (&Positives{ImagesOfText: [][]int{{0, 1, 2, 3}, nil, nil, nil}, TextsOfImage: p.TextsOfImage}).Measure(ranking); err == nil ||
		!strings.Contains(err.Error(), "text 0 has 4 positives, the ranking keeps 3 items") {
		t.Errorf("error %v", err)
	}
	if _, _, err := (&Positives{ImagesOfText: make([][]int, 4), TextsOfImage: p.TextsOfImage}).Measure(ranking); err == nil ||
		!strings.Contains(err.Error(), "no text has a positive") {
		t.Errorf("error %v", err)
	}
	if _, _, err := (&Positives{ImagesOfText: make([][]int, 3)}).Measure(ranking); err == nil || !strings.Contains(err.Error(), "positives of 3 texts, the ranking has 4") {
		t.Errorf("error %v", err)
	}
}

// If an image's own captions are the only positives, each text has one positive, and all three
// measures equal Recall@1.
func TestMeasuresOfOwnCaptionsAreRecall(t *testing.T) {
	scores, table, _ := gallery(40, 130, 3)
	p, err := OwnCaptions(table, 40)
	if err != nil {
		t.Fatal(err)
	}
	ranking, err := RankTop(FromMatrix(scores), table, p.Deepest())
	if err != nil {
		t.Fatal(err)
	}
	texts, images, err := p.Measure(ranking)
	if err != nil {
		t.Fatal(err)
	}
	if want := ranking.TextToImage.Recall(1); texts.Recall1 != want || texts.RPrecision != want || texts.MAPAtR != want || texts.Queries != 130 {
		t.Errorf("%+v, Recall@1 is %g", texts, want)
	}
	if want := ranking.ImageToText.Recall(1); images.Recall1 != want || images.MAPAtR > images.RPrecision || images.Queries != 40 {
		t.Errorf("%+v, Recall@1 is %g", images, want)
	}
	if _, err := OwnCaptions([]int{0, 5}, 5); err == nil {
		t.Error("an image that does not exist is no error")
	}
}

// Lists of any length must equal those of sorting, with many ties.
func TestLongListsAgreeWithSorting(t *testing.T) {
	scores, table, _ := gallery(30, 300, 8)
	for _, length := range []int{1, 2, 7, 30, 64, 300, 1000} {
		ranking, err := RankTop(FromMatrix(scores), table, length)
		if err != nil {
			t.Fatal(err)
		}
		for image := range 30 {
			list := ranking.ImageToText.Items[image*ranking.ImageToText.Depth:][:ranking.ImageToText.Depth]
			for place, want := range bySorting(scores.Row(image))[:len(list)] {
				if int(list[place]) != want {
					t.Fatalf("length %d, image %d: item %d is %d, by sorting %d", length, image, place, list[place], want)
				}
			}
		}
		if ranking.TextToImage.Depth != min(length, 30) || ranking.ImageToText.Depth != min(length, 300) {
			t.Errorf("depths %d and %d", ranking.TextToImage.Depth, ranking.ImageToText.Depth)
		}
	}
	if _, err := RankTop(FromMatrix(scores), table, 0); err == nil {
		t.Error("lists of length 0 are no error")
	}
}

// This test reads the judgments of COCO's test images if they lie next to the repository. The
// gallery ranks every own pair first, so every measure of the original positives is 1. R@1 of the
// other positives is 1 as well, because they include the own pairs, except for one pair of CxC.
func TestJudgmentsOfCOCOAreRead(t *testing.T) {
	path := func(name string) string { return reference.File(t, "data/eccv_caption/"+name) }
	ids, err := embedding.ReadNPY(path("coco_test_ids.npy"))
	if err != nil {
		t.Fatal(err)
	}
	textIDs, err := ids.Int64s()
	if err != nil {
		t.Fatal(err)
	}
	table, imageIDs := ownImages(t, path("original_caption_to_image.json"), textIDs)
	ranking, err := RankTop(ownFirst{table, len(imageIDs)}, table, 48)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name                   string
		deepest, texts, images int
		missing                Missing
	}{
		{"original", 5, 25000, 5000, Missing{}},
		{"cxc", 19, 24972, 5000, Missing{}},
		{"eccv", 48, 1332, 1261, Missing{Items: 2}},
	} {
		p, missing, err := ReadPositives(path(c.name+"_caption_to_image.json"), path(c.name+"_image_to_caption.json"), textIDs, imageIDs)
		if err != nil {
			t.Fatal(err)
		}
		if missing.Texts != c.missing.Texts || missing.Images != c.missing.Images || p.Deepest() != c.deepest {
			t.Errorf("%s: missing %+v, deepest %d", c.name, missing, p.Deepest())
		}
		texts, images, err := p.Measure(ranking)
		if err != nil {
			t.Fatal(err)
		}
		if texts.Queries != c.texts || images.Queries != c.images || texts.Recall1 < 0.9999 {
			t.Errorf("%s: texts %+v, images %+v", c.name, texts, images)
		}
		if c.name == "original" && (images.RPrecision != 1 || texts.MAPAtR != 1) {
			t.Errorf("original: texts %+v, images %+v", texts, images)
		}
	}
}

// ownImages returns the caption-to-image table and the image identifiers in order of first
// appearance.
func ownImages(t *testing.T, path string, textIDs []int64) (table []int, imageIDs []int64) {
	t.Helper()
	texts, err := rowsOf("text", textIDs)
	if err != nil {
		t.Fatal(err)
	}
	images := map[int64]int{}
	stored := readObject(t, path)
	table = make([]int, len(textIDs))
	for _, id := range textIDs {
		image := stored[id][0]
		if _, known := images[image]; !known {
			images[image] = len(imageIDs)
			imageIDs = append(imageIDs, image)
		}
		table[texts[id]] = images[image]
	}
	return table, imageIDs
}

// ownFirst scores an image's own captions 1 and all others 0.
type ownFirst struct {
	table  []int
	images int
}

func (o ownFirst) Size() (images, texts int) { return o.images, len(o.table) }

func (o ownFirst) ReadRows(dst embedding.Matrix, from int) error {
	clear(dst.Values)
	for text, image := range o.table {
		if image >= from && image < from+dst.Rows {
			dst.Set(image-from, text, 1)
		}
	}
	return nil
}

// A gallery of COCO's size is ranked in the memory of one block and the lists. The whole matrix of
// scores would take 500 MB.
func TestLargeGalleriesTakeTheMemoryOfABlock(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	images, texts, table := largeGallery(5000, 25014)
	scores, err := Cosines(images, texts)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ranking, err := Rank(scores, table)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if taken := (after.TotalAlloc - before.TotalAlloc) >> 20; taken > 64 {
		t.Errorf("%d MB allocated for 5,000 × 25,014 scores", taken)
	}
	if ranking.TextToImage.Recall(1) < 0.99 {
		t.Errorf("Recall@1 %g of texts that are nearly their images", ranking.TextToImage.Recall(1))
	}
}

// GOSPHERE_LARGE=1 enables a ranking of 100,000 × 100,000 items, 40 GB of scores, which takes
// minutes.
func TestAHundredThousandSquaredIsRankedInBoundedMemory(t *testing.T) {
	if os.Getenv("GOSPHERE_LARGE") == "" {
		t.Skip("set GOSPHERE_LARGE=1 for the gallery of 100,000 × 100,000")
	}
	images, texts, table := largeGallery(100_000, 100_000)
	scores, err := Cosines(images, texts)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ranking, err := Rank(scores, table)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	taken := (after.TotalAlloc - before.TotalAlloc) >> 20
	t.Logf("%d MB allocated, Recall@1 %.3f", taken, ranking.TextToImage.Recall(1))
	if taken > 256 {
		t.Errorf("%d MB allocated", taken)
	}
}
