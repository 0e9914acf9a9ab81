package zeroshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"gosphere/asymvlm/embedding"
	"gosphere/internal/userfile"
)

// A Task is a data set to classify: images with their classes, and prompts of the classes.
type Task struct {
	Name      string
	Images    embedding.Matrix // N×D, raw
	Labels    []int            // N, the class of each image; nil for images of unnamed classes
	Classes   []string         // names of the C classes; nil if unknown
	Prompts   embedding.Matrix // C·T×D, raw, the templates of a class together; no rows for images of unnamed classes
	Templates int              // T
	Dummies   embedding.Matrix // K×D, raw texts that represent "none of the above"; may have no rows
}

// ClassCount returns C, the number of classes.
func (t *Task) ClassCount() int {
	if t.Templates == 0 {
		return 0
	}
	return t.Prompts.Rows / t.Templates
}

// Check returns an error if the task is unusable: matrices without rows or of different widths,
// values that are not finite, and labels, classes or prompts that do not match.
func (t *Task) Check() error {
	wrong := func(format string, values ...any) error {
		return fmt.Errorf("zeroshot: %s: %s", t.Name, fmt.Sprintf(format, values...))
	}
	switch classes := t.ClassCount(); {
	case t.Images.Rows == 0:
		return wrong("no images")
	case t.Templates < 0 || t.Templates == 0 && t.Prompts.Rows > 0 || t.Templates > 0 && t.Prompts.Rows%t.Templates != 0:
		return wrong("%d prompts are not classes with %d templates each", t.Prompts.Rows, t.Templates)
	case (t.Labels == nil) != (classes == 0):
		return wrong("%d labels and %d classes: labels and prompts go together", len(t.Labels), classes)
	case t.Classes != nil && len(t.Classes) != classes:
		return wrong("%d names for %d classes", len(t.Classes), classes)
	}
	if t.Labels != nil {
		if err := t.checkLabels(); err != nil {
			return wrong("%v", err)
		}
	}
	for _, part := range []struct {
		name   string
		matrix embedding.Matrix
	}{{"images", t.Images}, {"prompts", t.Prompts}, {"dummies", t.Dummies}} {
		if part.matrix.Rows > 0 && part.matrix.Columns != t.Images.Columns {
			return wrong("%s have %d columns, images %d", part.name, part.matrix.Columns, t.Images.Columns)
		}
		if err := errors.Join(part.matrix.Check(), part.matrix.CheckDirections()); err != nil {
			return wrong("%s: %v", part.name, err)
		}
	}
	return nil
}

// The file names in the folder of a task.
const (
	taskImages  = "image.npy"
	taskLabels  = "label.npy"
	taskPrompts = "prompt.npy"
	taskDummies = "dummy.npy"
	taskClasses = "classes.json"
)

// ReadTask reads a folder with the cached embeddings of a data set to classify:
//
//	cifar10/
//	    image.npy      N×D, one row per image
//	    label.npy      N, the class of each image, from 0
//	    prompt.npy     C·T×D, not normalized; the templates of a class together, in the order of Prompts
//	    dummy.npy      K×D, texts for "none of the above", in the order of DummyPrompts; optional
//	    classes.json   the names of the classes; optional, required if there are several templates
//
// A folder with only image.npy holds images of unnamed classes, such as CIFAR-100's as negatives
// for CIFAR-10. With classes.json the number of templates follows from the number of prompts;
// without it there is one, and labels that fit several templates are an error. Errors name the
// file, the row and the reason.
func ReadTask(dir string) (*Task, error) {
	t := &Task{Name: filepath.Base(dir)}
	if path := filepath.Join(dir, taskImages); !isThere(path) {
		return nil, fmt.Errorf("zeroshot: there is no %s, so %s is no task; sets of images and captions are for retrieval", path, dir)
	}
	var err error
	read := func(name string, required bool) *embedding.Array {
		path := filepath.Join(dir, name)
		if _, missing := os.Stat(path); errors.Is(missing, fs.ErrNotExist) && !required || err != nil {
			return nil
		}
		var array *embedding.Array
		array, err = embedding.ReadNPY(path)
		return array
	}
	matrix := func(name string, required bool) (m embedding.Matrix) {
		if array := read(name, required); array != nil && err == nil {
			if m, err = array.Matrix(); err == nil {
				err = errors.Join(m.Check(), m.CheckDirections())
			}
			if err == nil && m.Columns != t.Images.Columns && name != taskImages {
				err = fmt.Errorf("rows of %d columns, the images have %d", m.Columns, t.Images.Columns)
			}
			if err != nil {
				err = fmt.Errorf("zeroshot: %s: %w", filepath.Join(dir, name), err)
			}
		}
		return m
	}
	t.Images = matrix(taskImages, true)
	t.Prompts, t.Dummies = matrix(taskPrompts, false), matrix(taskDummies, false)
	if labels := read(taskLabels, false); labels != nil && err == nil {
		if t.Labels, err = labels.Ints(); err != nil {
			err = fmt.Errorf("zeroshot: %s: %w", filepath.Join(dir, taskLabels), err)
		}
	}
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, taskClasses)
	names, err := userfile.ReadFile(path, userfile.Table)
	if err == nil {
		if err := json.Unmarshal(names, &t.Classes); err != nil {
			return nil, fmt.Errorf("zeroshot: %s: %w", path, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("zeroshot: %w", err)
	}
	if t.Prompts.Rows > 0 {
		t.Templates = 1
		if n := len(t.Classes); n > 0 {
			if t.Prompts.Rows%n != 0 {
				return nil, fmt.Errorf("zeroshot: %s: %d prompts for %d classes of %s", filepath.Join(dir, taskPrompts), t.Prompts.Rows, n, taskClasses)
			}
			t.Templates = t.Prompts.Rows / n
		}
	}
	if t.Labels != nil {
		err := t.checkLabels()
		if err == nil && len(t.Classes) == 0 {
			err = t.checkTemplates()
		}
		if err != nil {
			return nil, fmt.Errorf("zeroshot: %s: %w", filepath.Join(dir, taskLabels), err)
		}
	}
	if err := t.Check(); err != nil {
		return nil, err
	}
	return t, nil
}

// isThere reports whether a file exists.
func isThere(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// checkLabels returns an error if the number of labels is wrong or a label is not a class.
func (t *Task) checkLabels() error {
	if len(t.Labels) != t.Images.Rows {
		return fmt.Errorf("%d labels for %d images", len(t.Labels), t.Images.Rows)
	}
	for image, label := range t.Labels {
		if label < 0 || label >= t.ClassCount() {
			return fmt.Errorf("image %d has label %d of %d classes", image, label, t.ClassCount())
		}
	}
	return nil
}

// checkTemplates returns an error for a task without names of classes whose prompts can be several
// for each class: then as many classes as prompts would be a guess.
func (t *Task) checkTemplates() error {
	named := slices.Max(t.Labels) + 1
	if named == t.Prompts.Rows || t.Prompts.Rows%named != 0 {
		return nil
	}
	return fmt.Errorf("%d classes for %d prompts: a class with several prompts, or without images, needs the names of all classes in %s", named, t.Prompts.Rows, taskClasses)
}

// A Scorer returns scores of raw images for raw texts, images × texts, such as an adapter's
// LogLikelihoods.
type Scorer func(images, texts embedding.Matrix) (embedding.Matrix, error)

// Scores returns the scores of the images of t for the classes of classes, followed by its dummies:
// images × (C + K). A class with several templates has the mean of its scores; see MeanScores. A
// task without classes is an error. Scores also returns the errors of the scorer.
func (t *Task) Scores(score Scorer, classes *Task) (embedding.Matrix, error) {
	if classes.ClassCount() == 0 {
		return embedding.Matrix{}, fmt.Errorf("zeroshot: %s has no classes", classes.Name)
	}
	prompts, err := score(t.Images, classes.Prompts)
	if err != nil {
		return embedding.Matrix{}, err
	}
	if prompts, err = MeanScores(prompts, classes.Templates); err != nil || classes.Dummies.Rows == 0 {
		return prompts, err
	}
	dummies, err := score(t.Images, classes.Dummies)
	if err != nil {
		return embedding.Matrix{}, err
	}
	all := embedding.NewMatrix(t.Images.Rows, prompts.Columns+dummies.Columns)
	for image := range all.Rows {
		copy(all.Row(image), slices.Concat(prompts.Row(image), dummies.Row(image)))
	}
	return all, nil
}
