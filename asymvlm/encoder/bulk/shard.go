package bulk

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"gosphere/asymvlm/embedding"
)

// A shard holds the embeddings of consecutive pictures.
type shard struct {
	images, texts []float32
	of            []int64 // caption to picture of this shard
	labels        []int64 // label of each picture, in a collection with classes
	ids           []int64 // of each picture, in a collection with identifiers
	captionIDs    []int64 // of each caption
	captions      []string
	bad           []Bad
}

// good returns the number of items in the shard.
func (s *shard) good(width int) int {
	n := len(s.images) / width
	if last := len(s.of) - 1; last >= 0 {
		n = max(n, int(s.of[last])+1)
	}
	return n
}

// part returns the path of a shard.
func (r *run) part(number int) string {
	return filepath.Join(r.parts, fmt.Sprintf("part_%05d.safetensors", number))
}

// write stores a shard atomically.
func (r *run) write(number int, s *shard) error {
	captions, err := json.Marshal(s.captions)
	if err != nil {
		return err
	}
	bad, err := json.Marshal(s.bad)
	if err != nil {
		return err
	}
	width := r.Encoder.Width()
	return embedding.WriteSafetensors(r.part(number), &embedding.Safetensors{
		Arrays: map[string]*embedding.Array{
			"image":          embedding.Float32Array(s.images, len(s.images)/width, width),
			"text":           embedding.Float32Array(s.texts, len(s.texts)/width, width),
			"caption_images": embedding.Int64Array(s.of, len(s.of)),
			"labels":         embedding.Int64Array(s.labels, len(s.labels)),
			"ids":            embedding.Int64Array(s.ids, len(s.ids)),
			"caption_ids":    embedding.Int64Array(s.captionIDs, len(s.captionIDs)),
			// Not in the metadata, which readers of the format limit to 100 MB.
			"captions": {Type: "U8", Shape: []int{len(captions)}, Data: captions},
			"bad":      {Type: "U8", Shape: []int{len(bad)}, Data: bad},
		},
		Metadata: map[string]string{"gosphere.sha256": ""}, // WriteSafetensors stores the checksum
	})
}

// read reads a shard.
func (r *run) read(number int) (*shard, error) {
	path := r.part(number)
	wrong := func(err error) error { return fmt.Errorf("bulk: %s: %w: remove the file to make it again", path, err) }
	file, err := embedding.ReadSafetensors(path)
	if err != nil {
		return nil, wrong(err)
	}
	s := new(shard)
	for name, dst := range map[string]*[]float32{"image": &s.images, "text": &s.texts} {
		array := file.Arrays[name]
		if array == nil || len(array.Shape) != 2 || array.Shape[1] != r.Encoder.Width() {
			return nil, wrong(fmt.Errorf("no array %s of width %d", name, r.Encoder.Width()))
		}
		if *dst, err = array.Float32s(); err != nil {
			return nil, wrong(err)
		}
	}
	for name, dst := range map[string]*[]int64{"caption_images": &s.of, "labels": &s.labels} {
		if file.Arrays[name] == nil {
			return nil, wrong(fmt.Errorf("no array %s", name))
		}
		if *dst, err = file.Arrays[name].Int64s(); err != nil {
			return nil, wrong(err)
		}
	}
	for name, dst := range map[string]*[]int64{"ids": &s.ids, "caption_ids": &s.captionIDs} {
		if file.Arrays[name] == nil { // a shard of an earlier version
			continue
		}
		if *dst, err = file.Arrays[name].Int64s(); err != nil {
			return nil, wrong(err)
		}
	}
	for name, dst := range map[string]any{"captions": &s.captions, "bad": &s.bad} {
		text := []byte(file.Metadata[name]) // of an earlier version
		if array := file.Arrays[name]; array != nil {
			text = array.Data
		}
		if err := json.Unmarshal(text, dst); err != nil {
			return nil, wrong(fmt.Errorf("%s: %w", name, err))
		}
	}
	return s, nil
}
