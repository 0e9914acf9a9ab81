// Package dataset opens built-in data sets and folders by the names that notebooks and the command
// line use.
//
//	data, err := dataset.Open("scenes_minilm")     // or "world", or a folder such as "embeddings/coco"
//	trained, err := adapter.Train(ctx, data.Train, options)
//	report, err := trained.Evaluate(data.Test, 10)
//
// A folder has parts train and val (or test), each with image.npy, text.npy and
// cap_id_to_img_id.json. For bayesvlm with the encoders' last layers, each part also has
// image_features.npy and text_features.npy, the layers' inputs, and the folder (or each part) has
// image_projection.npy and text_projection.npy, their weights. embedding.ReadSet documents all file
// names.
package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/world"
)

// The built-in data sets.
const (
	Scenes = "scenes_minilm" // captions of COCO as sentence embeddings, text against text; see embedding.Scenes
	World  = "world"         // synthetic, with the true concentration of every text; see package world
	// ScenesGeneric is Scenes with generic texts that describe many scenes; see
	// embedding.GenericScenes.
	ScenesGeneric = "scenes_generic"
	// WorldElliptical is World with noise outside the methods' families of densities; see
	// world.Elliptical.
	WorldElliptical = "world_elliptical"
)

// A Data is a data set for training and testing.
type Data struct {
	Name        string
	Train, Test *embedding.Set
	TestKappas  []float64 // true concentrations of the test texts; nil if unknown
	Note        string    // description of the data set in one or two sentences
}

// IsBuiltIn reports whether a data set is built in and needs no files.
func IsBuiltIn(name string) bool {
	return name == Scenes || name == ScenesGeneric || name == World || name == WorldElliptical
}

// testSplits are the accepted names of the folder of the test part, in order of preference. The
// first one is that of the paper's reference implementation.
var testSplits = []string{"val", "test"}

// Open returns a built-in data set, or the data set in a folder with train and val (or test) in the
// layout of embedding.ReadSet. A name that is neither is an error. Open also returns the errors of
// embedding.ReadSet.
func Open(name string) (*Data, error) {
	switch {
	case name == Scenes:
		train, test, err := embedding.Scenes()
		return &Data{Name: name, Train: train, Test: test, Note: "Real captions of COCO as sentence embeddings: each looks for the mean " +
			"of three other captions of its photograph, so it is text against text."}, err
	case name == ScenesGeneric:
		train, test, _, _, err := embedding.GenericScenes()
		return &Data{Name: name, Train: train, Test: test, Note: "Real captions of COCO and generic texts of their nouns, as sentence embeddings, text " +
			"against text: a generic text describes many scenes."}, err
	case name == World:
		train, test, err := world.New(world.Options{})
		if err != nil {
			return nil, err
		}
		return &Data{Name: name, Train: &train.Set, Test: &test.Set, TestKappas: test.Kappas, Note: "Synthetic: every text was drawn " +
			"around its image from a von Mises–Fisher density whose κ is known."}, nil
	case name == WorldElliptical:
		train, test, err := world.New(world.Options{Noise: world.Elliptical})
		if err != nil {
			return nil, err
		}
		return &Data{Name: name, Train: &train.Set, Test: &test.Set, TestKappas: test.Kappas, Note: "Synthetic: every text was drawn " +
			"around its image with noise that is elliptical and has heavy tails, of a known size 1/√κ: no method's own density."}, nil
	case name == "":
		return nil, fmt.Errorf("dataset: no name; want %s, %s, %s, %s, or a folder with train and val", Scenes, ScenesGeneric, World, WorldElliptical)
	case strings.HasSuffix(name, ".npy"):
		return nil, fmt.Errorf("dataset: %s is one file of pairs, too few for training and testing; use gosphere crossval or adapter.CrossValidate", name)
	}
	return openFolder(name)
}

// openFolder reads the two parts of a folder.
func openFolder(dir string) (*Data, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("dataset: %q is neither built in (%s, %s, %s, %s) nor a folder with train and val", dir, Scenes, ScenesGeneric, World, WorldElliptical)
	}
	if info, err := os.Stat(filepath.Join(dir, "train")); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("dataset: %s has no folder train: a data set has train and %s, each with image.npy, text.npy and "+
			"cap_id_to_img_id.json", dir, testSplits[0])
	}
	train, err := embedding.ReadSet(filepath.Join(dir, "train"))
	if err != nil {
		return nil, err
	}
	for _, split := range testSplits {
		path := filepath.Join(dir, split)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		test, err := embedding.ReadSet(path)
		if err != nil {
			return nil, err
		}
		if train.Images.Columns != test.Images.Columns {
			return nil, fmt.Errorf("dataset: %s: train has %d dimensions, %s %d", dir, train.Images.Columns, split, test.Images.Columns)
		}
		return &Data{Name: filepath.Base(dir), Train: train, Test: test, Note: "Read from a folder."}, nil
	}
	return nil, fmt.Errorf("dataset: %s has neither val nor test beside train", dir)
}
