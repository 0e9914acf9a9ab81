package tasks

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
)

// photos are 500 photographs of COCO with one caption each, embedded by CLIP ViT-B/16, and all
// captions in words. The first half is for measurements, the second for prompts and trainings.
type photos struct {
	set      *embedding.Set
	captions [][]string // of each photograph; the first one is embedded
}

// half is the number of the photographs for measurements.
const half = 250

// readPhotos reads the photographs, which lie beside the checkout. It skips the test without them.
func readPhotos(t *testing.T) photos {
	t.Helper()
	folder := filepath.Join("..", "..", "..", "..", "shared", "data", "coco500_clip_vitb16")
	file, err := os.Open(filepath.Join(folder, "index.csv"))
	if err != nil {
		t.Skip("without the photographs of COCO: ", err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var p photos
	if p.set, err = embedding.ReadPairs(filepath.Join(folder, "features_clip.npy")); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		var others []string
		if err := json.Unmarshal([]byte(row[6]), &others); err != nil {
			t.Fatal(err)
		}
		p.captions = append(p.captions, append([]string{row[5]}, others...))
		p.set.Captions = append(p.set.Captions, row[5])
	}
	if len(p.captions) != p.set.Images.Rows {
		t.Fatalf("%d lines of captions for %d photographs", len(p.captions), p.set.Images.Rows)
	}
	return p
}

// naming returns how many captions of a photograph match, and whether the embedded one does.
func (p photos) naming(photo int, word *regexp.Regexp) (n int, embedded bool) {
	for i, caption := range p.captions[photo] {
		if word.MatchString(strings.ToLower(caption)) {
			n++
			embedded = embedded || i == 0
		}
	}
	return n, embedded
}

// words matches any of several words.
func words(alternatives string) *regexp.Regexp {
	return regexp.MustCompile(`\b(` + alternatives + `)s?\b`)
}

// residuals trains a residual adapter on photographs with the schedule for their number, with two
// seeds, and returns the pattern of its files.
func (p photos) residuals(t *testing.T, images []int) string {
	t.Helper()
	set, err := p.set.SelectImages(images)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for seed := range uint64(2) {
		o, err := adapter.AutoOptions(adapter.ResidualPowerSpherical, set.Texts.Rows)
		if err != nil {
			t.Fatal(err)
		}
		o.Seed, o.HeldOut, o.Checkpoint = seed, false, filepath.Join(dir, fmt.Sprint(seed)+".safetensors")
		o.Progress = adapter.Watch(func(adapter.Update) error { return nil })
		if _, err := adapter.Train(context.Background(), set, o); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "*.safetensors")
}

// documented reports as an error the rows of a table without training that the results of the
// project do not contain. The rows of adapters depend on the kind of processor in their last digit.
func documented(t *testing.T, table string) {
	t.Helper()
	t.Log("\n" + table)
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "asymvlm", "RESULTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(table) {
		if !strings.Contains(line, adapter.ResidualPowerSpherical) && !strings.Contains(string(page), line) {
			t.Errorf("asymvlm/RESULTS.md does not have the line %q", line)
		}
	}
}

// markdown runs a command with its defaults, and prints Markdown.
func markdown(t *testing.T, pattern string, run func(a adapted, text *strings.Builder) error) string {
	t.Helper()
	a := adapted{Format: "markdown", Draws: 500}
	if pattern != "" {
		a.Adapters = []string{pattern}
	}
	var text strings.Builder
	if err := run(a, &text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// Photographs are classified by captions of other photographs that name one class, and those whose
// captions name none are to be rejected.
func TestPhotographsAreClassifiedByCaptions(t *testing.T) {
	p := readPhotos(t)
	classes := []string{"bathroom", "kitchen", "cat", "dog", "motorcycle", "bench", "street", "plane|airplane"}
	const prompts, dummies = 5, 30
	var images, negatives, dummyTexts []int
	var labels []int64
	naming := make([][]int, len(classes)) // photographs whose embedded captions are prompts
	for photo := range p.captions {
		var named []int
		embedded := false
		for class, name := range classes {
			if n, first := p.naming(photo, words(name)); n > 0 {
				named, embedded = append(named, class), first
			}
		}
		switch {
		case photo < half && len(named) == 1:
			images, labels = append(images, photo), append(labels, int64(named[0]))
		case photo < half && len(named) == 0:
			negatives = append(negatives, photo)
		case photo >= half && len(named) == 1 && embedded:
			naming[named[0]] = append(naming[named[0]], photo)
		case photo >= half && len(named) == 0 && len(dummyTexts) < dummies:
			dummyTexts = append(dummyTexts, photo)
		}
	}
	var promptTexts []int
	for class, texts := range naming {
		if len(texts) < prompts {
			t.Fatalf("%d captions name %s alone", len(texts), classes[class])
		}
		promptTexts = append(promptTexts, texts[:prompts]...)
	}
	folder := t.TempDir()
	for name, arrays := range map[string]map[string]*embedding.Array{
		"photographs": {"image.npy": array(p.set.Images.SelectRows(images)), "label.npy": embedding.Int64Array(labels),
			"prompt.npy": array(p.set.Texts.SelectRows(promptTexts)), "dummy.npy": array(p.set.Texts.SelectRows(dummyTexts))},
		"others": {"image.npy": array(p.set.Images.SelectRows(negatives))},
	} {
		err := os.MkdirAll(filepath.Join(folder, name), 0o755)
		for file, a := range arrays {
			err = errors.Join(err, embedding.WriteNPY(filepath.Join(folder, name, file), a))
		}
		if arrays["prompt.npy"] != nil {
			names, failed := json.Marshal(classes)
			err = errors.Join(err, failed, os.WriteFile(filepath.Join(folder, name, "classes.json"), names, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var second []int
	for photo := half; photo < p.set.Images.Rows; photo++ {
		second = append(second, photo)
	}
	documented(t, markdown(t, p.residuals(t, second), func(a adapted, text *strings.Builder) error {
		return Classify{Task: filepath.Join(folder, "photographs"), Negatives: filepath.Join(folder, "others"), adapted: a}.run(text)
	}))
}

// Captions of vehicles are of another kind for an adapter whose training had none.
func TestCaptionsOfAnotherTopicAreDetected(t *testing.T) {
	p, vehicle := readPhotos(t), words("motorcycle|motorbike|bike|bicycle|plane|airplane|jet|bus|buse|truck|train|car|vehicle|street|road|traffic|airport")
	var ordinary, strange, training []int
	for photo := range p.captions {
		n, embedded := p.naming(photo, vehicle)
		switch {
		case photo >= half && n == 0:
			training = append(training, photo)
		case photo < half && n == 0:
			ordinary = append(ordinary, photo)
		case photo < half && embedded:
			strange = append(strange, photo)
		}
	}
	folder := t.TempDir()
	for name, images := range map[string][]int{"others": ordinary, "vehicles": strange} {
		set, err := p.set.SelectImages(images)
		if err != nil {
			t.Fatal(err)
		}
		written(t, folder, name, set)
	}
	documented(t, markdown(t, p.residuals(t, training), func(a adapted, text *strings.Builder) error {
		return OOD{Dataset: "others", Strange: "vehicles", Embeddings: folder, adapted: a}.run(text)
	}))
}

// The chains of the program are measured with adapters that have and have not seen generic texts.
func TestChainsAreDocumented(t *testing.T) {
	documented(t, markdown(t, "", func(a adapted, text *strings.Builder) error {
		return Hierarchy{Dataset: "scenes_generic", adapted: a}.run(text)
	}))
}
