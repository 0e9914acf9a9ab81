package bulk

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/zeroshot"
)

// write stores a shard as a whole.
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
		},
		Metadata: map[string]string{"captions": string(captions), "bad": string(bad)},
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
	for name, dst := range map[string]any{"captions": &s.captions, "bad": &s.bad} {
		if err := json.Unmarshal([]byte(file.Metadata[name]), dst); err != nil {
			return nil, wrong(fmt.Errorf("%s: %w", name, err))
		}
	}
	return s, nil
}

// join writes the folder that training reads, and removes the shards.
func (r *run) join(shards int) error {
	width := r.Encoder.Width()
	set := &embedding.Set{Images: embedding.Matrix{Columns: width}, Texts: embedding.Matrix{Columns: width}, Captions: []string{}}
	for number := range shards {
		s, err := r.read(number)
		if err != nil {
			return err
		}
		first := len(set.Images.Values) / width
		set.Images.Values, set.Texts.Values = append(set.Images.Values, s.images...), append(set.Texts.Values, s.texts...)
		set.Captions = append(set.Captions, s.captions...)
		for _, picture := range s.of {
			set.CaptionImages = append(set.CaptionImages, first+int(picture))
		}
	}
	set.Images.Rows, set.Texts.Rows = len(set.Images.Values)/width, len(set.Texts.Values)/width
	set.Name = filepath.Base(filepath.Dir(r.Folder)) + "/" + filepath.Base(r.Folder)
	if set.Images.Rows == 0 {
		return fmt.Errorf("bulk: none of the %d pictures can be used", len(r.bad))
	}
	if err := embedding.WriteSet(r.Folder, set); err != nil {
		return err
	}
	return r.finish()
}

// finish writes the list of unusable pictures and removes the shards.
func (r *run) finish() error {
	if len(r.bad) > 0 {
		err := embedding.WriteWhole(filepath.Join(r.Folder, "bad.txt"), func(w io.Writer) error {
			for _, bad := range r.bad {
				if _, err := fmt.Fprintf(w, "%s\t%s\n", bad.Name, bad.Reason); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return os.RemoveAll(r.parts)
}

// joinTask writes the folder of a task: pictures, labels, classes, prompts and dummies.
func (r *run) joinTask(ctx context.Context, shards int) error {
	width := r.Encoder.Width()
	images := embedding.Matrix{Columns: width}
	var labels []int64
	for number := range shards {
		s, err := r.read(number)
		if err != nil {
			return err
		}
		images.Values, labels = append(images.Values, s.images...), append(labels, s.labels...)
	}
	if images.Rows = len(images.Values) / width; images.Rows == 0 {
		return fmt.Errorf("bulk: none of the %d pictures can be used", len(r.bad))
	}
	prompts, err := zeroshot.EncodePrompts(ctx, r.Encoder, r.Source.Templates, r.Source.Classes)
	if err != nil {
		return err
	}
	dummies, err := r.Encoder.Texts(ctx, zeroshot.DummyPrompts()...)
	if err != nil {
		return err
	}
	for name, array := range map[string]*embedding.Array{
		"image.npy": images.Array(), "label.npy": embedding.Int64Array(labels, len(labels)), "prompt.npy": prompts.Array(), "dummy.npy": dummies.Array(),
	} {
		if err := embedding.WriteNPY(filepath.Join(r.Folder, name), array); err != nil {
			return err
		}
	}
	classes, err := json.Marshal(r.Source.Classes)
	if err != nil {
		return err
	}
	err = embedding.WriteWhole(filepath.Join(r.Folder, "classes.json"), func(w io.Writer) error {
		_, err := w.Write(classes)
		return err
	})
	if err != nil {
		return err
	}
	return r.finish()
}
