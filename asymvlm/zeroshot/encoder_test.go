package zeroshot_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/encoder"
	"gosphere/asymvlm/zeroshot"
)

var (
	classes   = []string{"red", "green", "blue"}
	templates = []string{"a {} picture", "something {}", "it is all {}"}
)

// tinyCLIP returns an encoder with random weights.
func tinyCLIP(t *testing.T) *encoder.Encoder {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "model")
	if err := encoder.WriteRandom(dir, 1); err != nil {
		t.Fatal(err)
	}
	e, err := encoder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// colored writes pictures of the classes with some noise, each class as often as the others.
func colored(t *testing.T, count int, source *rand.Rand) (files []string, labels []int) {
	t.Helper()
	dir := t.TempDir()
	for i := range count {
		label := i % len(classes)
		m := image.NewNRGBA(image.Rect(0, 0, 40, 36))
		for p := 0; p < len(m.Pix); p += 4 {
			for channel := range 3 {
				m.Pix[p+channel] = uint8(source.IntN(90))
			}
			m.Pix[p+label] += 150
			m.Pix[p+3] = 255
		}
		name := filepath.Join(dir, fmt.Sprintf("%d.png", i))
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(png.Encode(f, m), f.Close()); err != nil {
			t.Fatal(err)
		}
		files, labels = append(files, name), append(labels, label)
	}
	return files, labels
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i, x := range a {
		y := float64(b[i])
		ab, aa, bb = ab+float64(x)*y, aa+float64(x)*float64(x), bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}

// The rows of a task are those of the encoder in the order of files and prompts, and the ensemble
// classifies as cosines with means of unit vectors that are computed here.
func TestAnEncoderClassifiesByAnEnsembleOfPrompts(t *testing.T) {
	e, ctx := tinyCLIP(t), context.Background()
	files, labels := colored(t, 9, rand.New(rand.NewPCG(1, 1)))
	task, err := zeroshot.EncodeTask(ctx, e, zeroshot.Source{Name: "colors", Files: files, Labels: labels, Classes: classes, Templates: templates, Dummies: []string{"none of them"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		alone, err := e.Images(ctx, file)
		if err != nil {
			t.Fatal(err)
		}
		if c := cosine(alone.Row(0), task.Images.Row(i)); c < 1-1e-6 {
			t.Errorf("row %d has the cosine %g with its picture", i, c)
		}
	}
	var means [3][]float64
	for class, name := range classes {
		means[class] = make([]float64, e.Width())
		for k, template := range templates {
			alone, err := e.Texts(ctx, strings.Replace(template, "{}", name, 1))
			if err != nil {
				t.Fatal(err)
			}
			if c := cosine(alone.Row(0), task.Prompts.Row(class*len(templates)+k)); c < 1-1e-6 {
				t.Errorf("prompt %d of %s has the cosine %g with its text", k, name, c)
			}
			length := embedding.Matrix{Rows: 1, Columns: alone.Columns, Values: alone.Values}.Norms()[0]
			for j, value := range alone.Row(0) {
				means[class][j] += float64(value) / length / float64(len(templates))
			}
		}
	}
	ensemble, err := zeroshot.Ensemble(task.Prompts, task.Templates)
	if err != nil {
		t.Fatal(err)
	}
	for class, mean := range means {
		wide := make([]float32, len(mean))
		for j, value := range mean {
			wide[j] = float32(value)
		}
		if c := cosine(wide, ensemble.Row(class)); c < 1-1e-6 {
			t.Errorf("the ensemble of class %d has the cosine %g with the mean of its unit vectors", class, c)
		}
	}
	clip, err := adapter.PaperOptions(adapter.CLIP)
	if err != nil {
		t.Fatal(err)
	}
	frozen, err := adapter.Train(ctx, &embedding.Set{Name: "colors", Images: task.Images, Texts: ensemble, CaptionImages: []int{0, 1, 2}}, clip)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := frozen.LogLikelihoods(task.Images, ensemble)
	if err != nil {
		t.Fatal(err)
	}
	predicted, err := zeroshot.Predict(scores)
	if err != nil {
		t.Fatal(err)
	}
	for i, class := range predicted {
		for other := range classes {
			if cosine(task.Images.Row(i), ensemble.Row(other)) > cosine(task.Images.Row(i), ensemble.Row(class))+1e-6 {
				t.Errorf("picture %d is closer to class %d than to %d", i, other, class)
			}
		}
	}
}

// Random weights know no colors, but an adapter on top learns them from captions, and classifies
// new pictures by prompts that it has never seen.
func TestAnAdapterOnAnEncoderClassifiesNewPictures(t *testing.T) {
	e, ctx, source := tinyCLIP(t), context.Background(), rand.New(rand.NewPCG(2, 2))
	files, labels := colored(t, 90, source)
	captions := make([]string, len(files))
	for i, label := range labels {
		captions[i] = strings.Replace(templates[source.IntN(len(templates))], "{}", classes[label], 1)
	}
	set := &embedding.Set{Name: "colors", Captions: captions}
	var err error
	if set.Images, err = e.Images(ctx, files...); err != nil {
		t.Fatal(err)
	}
	if set.Texts, err = e.Texts(ctx, captions...); err != nil {
		t.Fatal(err)
	}
	for i := range files {
		set.CaptionImages = append(set.CaptionImages, i)
	}
	options, err := adapter.SmallOptions(adapter.ELIPITC)
	if err != nil {
		t.Fatal(err)
	}
	options.Epochs, options.Batch, options.LearningRate = 40, 15, 1e-2
	trained, err := adapter.Train(ctx, set, options)
	if err != nil {
		t.Fatal(err)
	}
	files, labels = colored(t, 30, source)
	task, err := zeroshot.EncodeTask(ctx, e, zeroshot.Source{Name: "new", Files: files, Labels: labels, Classes: classes, Templates: []string{"a {} one", "all of it {}"}})
	if err != nil {
		t.Fatal(err)
	}
	scores, err := task.Scores(trained.LogLikelihoods, task)
	if err != nil {
		t.Fatal(err)
	}
	accuracy, err := zeroshot.Classify(scores, labels)
	if err != nil {
		t.Fatal(err)
	}
	if accuracy.Overall < 0.8 { // chance is 1/3
		t.Errorf("accuracy %+v", accuracy)
	}
}

func TestPicturesThatAnEncoderCannotReadAreNamed(t *testing.T) {
	e := tinyCLIP(t)
	if _, err := zeroshot.EncodeTask(context.Background(), e, zeroshot.Source{Files: []string{"missing.png"}, Labels: []int{0}, Classes: classes}); err == nil ||
		!strings.HasPrefix(err.Error(), "zeroshot: pictures: ") || !strings.Contains(err.Error(), "missing.png") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := zeroshot.EncodePrompts(ctx, e, templates, slices.Repeat(classes, 40)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
