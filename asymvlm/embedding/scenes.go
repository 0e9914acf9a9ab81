package embedding

import (
	_ "embed" // for the lengths and the note
	"fmt"
)

// tokensFile holds the lengths of the captions in tokens.
//
//go:embed scenes_minilm/caption_tokens.npy
var tokensFile []byte

// ScenesNote documents the data set of Scenes: its construction, sources and licenses.
//
//go:embed scenes_minilm/NOTE.txt
var ScenesNote string

// Scenes returns the built-in data set: 4,000 training and 1,000 test scenes with two captions
// each, in 384 dimensions. A scene is the unit mean of the other captions of one COCO photograph
// and takes the role of an image. So this is text-to-text retrieval, and reports of results should
// say so. Captions have vague and exact wordings, which makes the set a small but real case of
// ambiguous retrieval.
//
// Images have norm 1; texts are the encoder's output (norm about 5.3). CaptionIDs and ImageIDs are
// COCO's identifiers, by which lists of positives name them. The wordings are not included, but
// their lengths in tokens are. Each call decodes the sets anew, which takes about a tenth of a
// second. In the browser, where the page downloads the set at its first use, the download may fail.
// Otherwise an error means that the program itself is damaged.
func Scenes() (train, test *Set, err error) {
	all, split, err := allScenes()
	if err != nil {
		return nil, nil, err
	}
	return splitScenes(all, split)
}

// allScenes returns the data set of Scenes in one set, and the split of each scene, 0 for training
// and 1 for test.
func allScenes() (all *Set, split []int, err error) {
	file, err := readScenes()
	if err != nil {
		return nil, nil, err
	}
	arrays, err := decodeNPZ(file)
	if err != nil {
		return nil, nil, err
	}
	all = &Set{Name: "scenes_minilm"}
	scenes, err := matrixNamed(arrays, "scenes")
	if err != nil {
		return nil, nil, err
	}
	if all.Images, err = scenes.Normalized(); err != nil {
		return nil, nil, err
	}
	if all.Texts, err = matrixNamed(arrays, "captions"); err != nil {
		return nil, nil, err
	}
	for _, name := range []string{"caption_scene", "caption_id", "image_id", "scene_split"} {
		if arrays[name] == nil {
			return nil, nil, fmt.Errorf("embedding: scenes_minilm: no array %q", name)
		}
	}
	if all.CaptionImages, err = arrays["caption_scene"].Ints(); err != nil {
		return nil, nil, err
	}
	if all.CaptionIDs, err = arrays["caption_id"].Int64s(); err != nil {
		return nil, nil, err
	}
	if all.ImageIDs, err = arrays["image_id"].Int64s(); err != nil {
		return nil, nil, err
	}
	tokens, err := decodeNPY(tokensFile)
	if err != nil {
		return nil, nil, err
	}
	if all.CaptionTokens, err = tokens.Ints(); err != nil {
		return nil, nil, err
	}
	if err := all.Check(); err != nil {
		return nil, nil, err
	}
	split, err = arrays["scene_split"].Ints()
	return all, split, err
}

// splitScenes separates the scenes marked 0 (training) from those marked 1 (test).
func splitScenes(all *Set, split []int) (train, test *Set, err error) {
	var rows [2][]int
	for scene, part := range split {
		rows[part] = append(rows[part], scene)
	}
	if train, err = all.SelectImages(rows[0]); err != nil {
		return nil, nil, err
	}
	if test, err = all.SelectImages(rows[1]); err != nil {
		return nil, nil, err
	}
	train.Name, test.Name = all.Name+"/train", all.Name+"/test"
	return train, test, nil
}
