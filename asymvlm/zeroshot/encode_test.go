package zeroshot

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// spelled is an encoder whose embeddings count letters, so that texts and file names with the same
// letters are close.
type spelled struct{ fails error }

func (s spelled) Texts(_ context.Context, captions ...string) (embedding.Matrix, error) {
	m := embedding.NewMatrix(len(captions), 26)
	for i, caption := range captions {
		for _, r := range strings.ToLower(caption) {
			if r >= 'a' && r <= 'z' {
				m.Set(i, int(r-'a'), m.At(i, int(r-'a'))+1)
			}
		}
	}
	return m, s.fails
}

func (s spelled) Images(ctx context.Context, files ...string) (embedding.Matrix, error) {
	return s.Texts(ctx, files...)
}

func TestATaskIsMadeByAnEncoder(t *testing.T) {
	source := Source{
		Name: "animals", Files: []string{"zzz zebra zzz", "ooo dog ooo"}, Labels: []int{1, 0}, Classes: []string{"dog", "zebra"},
		Templates: []string{"{}", "a {}"}, Dummies: []string{"x"},
	}
	task, err := EncodeTask(context.Background(), spelled{}, source)
	if err != nil {
		t.Fatal(err)
	}
	if task.ClassCount() != 2 || task.Templates != 2 || task.Prompts.Rows != 4 || task.Dummies.Rows != 1 {
		t.Errorf("%d classes, %d templates, %d prompts, %d dummies", task.ClassCount(), task.Templates, task.Prompts.Rows, task.Dummies.Rows)
	}
	texts, err := Ensemble(task.Prompts, task.Templates)
	if err != nil {
		t.Fatal(err)
	}
	for image, label := range source.Labels {
		scores := make([]float32, 2)
		for class := range scores {
			for j, value := range texts.Row(class) {
				scores[class] += value * task.Images.At(image, j)
			}
		}
		if best(scores) != label {
			t.Errorf("image %d is of class %d, want %d", image, best(scores), label)
		}
	}
}

func TestTasksThatCannotBeMadeAreErrors(t *testing.T) {
	for want, source := range map[string]Source{
		"3 labels for 1 images": {Files: []string{"a"}, Labels: []int{0, 0, 0}, Classes: []string{"a"}},
		`template "x"`:          {Files: []string{"a"}, Labels: []int{0}, Classes: []string{"a"}, Templates: []string{"x"}},
		"has label 1":           {Files: []string{"a"}, Labels: []int{1}, Classes: []string{"a"}},
	} {
		if _, err := EncodeTask(context.Background(), spelled{}, source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	broken := errors.New("broken")
	if _, err := EncodeTask(context.Background(), spelled{broken}, Source{Files: []string{"a"}}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
