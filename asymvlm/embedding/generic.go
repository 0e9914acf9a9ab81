package embedding

import (
	_ "embed" // for the generic texts
	"fmt"
	"slices"
	"strings"
)

// genericFile holds the embeddings of the generic texts and the scenes that each describes;
// scenes_generic/NOTE.txt documents their derivation and licenses.
//
//go:embed scenes_generic/generic_int8.safetensors
var genericFile []byte

//go:embed scenes_generic/generic.txt
var genericTexts string

// GenericNote documents the data set of GenericScenes: its derivation, sources and licenses.
//
//go:embed scenes_generic/NOTE.txt
var GenericNote string

// A GenericText is a text of GenericScenes that describes many scenes.
type GenericText struct {
	Sentence string
	Level    int // 0: any scene; 1: a kind of thing; 2: a noun; 3: an adjective and a noun; 4: two nouns
}

// GenericScenes returns the data set of Scenes with generic texts after the captions: "something",
// "an animal", "a dog", "a brown dog", "a dog on a couch". Each describes all scenes whose
// photographs have a caption with its words (Set.Positives), so the set is many-to-many. The texts
// of levels 2 to 4 are divided between training and test; those of levels 0 and 1 are in training.
// TrainTexts and testTexts are the generic texts, in the order of the last rows of Texts. The
// errors are those of Scenes.
func GenericScenes() (train, test *Set, trainTexts, testTexts []GenericText, err error) {
	all, split, err := allScenes()
	if err != nil {
		return nil, nil, nil, nil, err
	}
	texts, rows, positives, err := genericRows(all.Images.Rows)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	all.Name = "scenes_generic"
	sets, generic := [2]*Set{}, [2][]GenericText{}
	for part := range sets {
		var images []int
		for scene, of := range split {
			if of == part {
				images = append(images, scene)
			}
		}
		with, kept := withGeneric(all, texts, rows, positives, part)
		if sets[part], err = with.SelectImages(images); err != nil {
			return nil, nil, nil, nil, err
		}
		inside := make([]bool, all.Images.Rows)
		for _, image := range images {
			inside[image] = true
		}
		for _, i := range kept {
			if slices.ContainsFunc(positives[i], func(image int) bool { return inside[image] }) {
				generic[part] = append(generic[part], texts[i])
			}
		}
		sets[part].Name = all.Name + "/" + [2]string{"train", "test"}[part]
	}
	return sets[0], sets[1], generic[0], generic[1], nil
}

// genericRows decodes the generic texts, their embeddings and the scenes that each describes.
func genericRows(scenes int) (texts []GenericText, rows Matrix, positives [][]int, err error) {
	file, err := ParseSafetensors(genericFile)
	if err != nil {
		return nil, rows, nil, err
	}
	if rows, err = matrixNamed(file.Arrays, "text"); err != nil {
		return nil, rows, nil, err
	}
	var numbers [3][]int
	for i, name := range []string{"level", "count", "scene"} {
		array := file.Arrays[name]
		if array == nil {
			return nil, rows, nil, fmt.Errorf("embedding: scenes_generic: no array %q", name)
		}
		if numbers[i], err = array.Ints(); err != nil {
			return nil, rows, nil, err
		}
	}
	every := make([]int, scenes)
	for i := range every {
		every[i] = i
	}
	sentences := strings.Split(strings.TrimSpace(genericTexts), "\n")
	if len(sentences) != rows.Rows || len(numbers[0]) != rows.Rows {
		return nil, rows, nil, fmt.Errorf("embedding: scenes_generic: %d sentences and %d levels for %d rows", len(sentences), len(numbers[0]), rows.Rows)
	}
	left := numbers[2]
	for i, sentence := range sentences {
		texts = append(texts, GenericText{sentence, numbers[0][i]})
		count := numbers[1][i]
		if numbers[0][i] == 0 {
			positives = append(positives, every)
			continue
		}
		positives, left = append(positives, left[:count:count]), left[count:]
	}
	return texts, rows, positives, nil
}

// withGeneric returns a set with the generic texts of a part, and their indices: every fourth text
// of levels 2 to 4 is for the test.
func withGeneric(all *Set, texts []GenericText, rows Matrix, positives [][]int, part int) (*Set, []int) {
	set := &Set{Name: all.Name, Images: all.Images, CaptionImages: slices.Clone(all.CaptionImages)}
	for _, image := range all.CaptionImages {
		set.Positives = append(set.Positives, []int{image})
	}
	set.Texts = Matrix{Rows: all.Texts.Rows, Columns: all.Texts.Columns, Values: slices.Clone(all.Texts.Values)}
	var kept []int
	for i, text := range texts {
		if forTest := text.Level > 1 && i%4 == 0; forTest != (part == 1) {
			continue
		}
		kept = append(kept, i)
		set.CaptionImages, set.Positives = append(set.CaptionImages, positives[i][0]), append(set.Positives, positives[i])
		set.Texts.Values, set.Texts.Rows = append(set.Texts.Values, rows.Row(i)...), set.Texts.Rows+1
	}
	return set, kept
}

//go:embed scenes_generic/chains.txt
var chainTexts string

//go:embed scenes_generic/chains_int8.safetensors
var chainsFile []byte

// GenericChains returns 30 chains of sentences from general to specific, such as "something", "an
// animal", "a dog", "a brown puppy asleep on a sofa", and the embeddings of all sentences in a row.
// They were written for tests of an order by vagueness and are not part of GenericScenes, although
// the first sentences of the chains occur among its texts. An error means that the program itself
// is damaged.
func GenericChains() (chains [][]string, rows Matrix, err error) {
	sentences := 0
	for _, line := range strings.Split(strings.TrimSpace(chainTexts), "\n") {
		chains = append(chains, strings.Split(line, "|"))
		sentences += len(chains[len(chains)-1])
	}
	file, err := ParseSafetensors(chainsFile)
	if err != nil {
		return nil, rows, err
	}
	if rows, err = matrixNamed(file.Arrays, "text"); err == nil && rows.Rows != sentences {
		err = fmt.Errorf("embedding: scenes_generic: %d rows for %d sentences", rows.Rows, sentences)
	}
	return chains, rows, err
}
