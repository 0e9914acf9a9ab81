package bulk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/zeroshot"
)

// join writes the folder that training reads, one shard at a time, and removes the shards.
func (r *run) join(shards int) error {
	if !r.Alone {
		if err := r.matrix("image.npy", func(c count) int { return c.images }, func(s *shard) []float32 { return s.images }); err != nil {
			return err
		}
	}
	if err := r.matrix("text.npy", func(c count) int { return c.texts }, func(s *shard) []float32 { return s.texts }); err != nil {
		return err
	}
	var table, ids, captionIDs []int64
	items := 0
	err := embedding.WriteWhole(filepath.Join(r.Folder, "captions.json"), func(w io.Writer) error {
		separator := "["
		for number := range shards {
			s, err := r.read(number)
			if err != nil {
				return err
			}
			for _, item := range s.of {
				table = append(table, int64(items)+item)
			}
			items += s.good(r.Encoder.Width())
			ids, captionIDs = append(ids, s.ids...), append(captionIDs, s.captionIDs...)
			for _, caption := range s.captions {
				text, err := json.Marshal(caption)
				if err != nil {
					return err
				}
				if _, err := io.WriteString(w, separator+string(text)); err != nil {
					return err
				}
				separator = ","
			}
		}
		_, err := io.WriteString(w, "]")
		return err
	})
	if err != nil {
		return err
	}
	if err := embedding.WriteNPY(filepath.Join(r.Folder, "caption_images.npy"), embedding.Int64Array(table)); err != nil {
		return err
	}
	if len(captionIDs) == len(table) && len(ids) == items { // otherwise the collection has none
		files := map[string][]int64{"caption_ids.npy": captionIDs}
		if !r.Alone {
			files["image_ids.npy"] = ids
		}
		for name, list := range files {
			if err := embedding.WriteNPY(filepath.Join(r.Folder, name), embedding.Int64Array(list, len(list))); err != nil {
				return err
			}
		}
	}
	return r.finish()
}

// matrix writes one side of the shards to a file and holds one shard in memory at a time.
func (r *run) matrix(name string, rows func(count) int, values func(*shard) []float32) error {
	total := 0
	for _, c := range r.counts {
		total += rows(c)
	}
	if total == 0 {
		if len(r.bad) == 0 {
			return errors.New("bulk: the collection has no items")
		}
		return fmt.Errorf("bulk: none of the %d items can be used; the first is %s: %s", len(r.bad), r.bad[0].Name, r.bad[0].Reason)
	}
	kind := "F32"
	if r.Half {
		kind = "F16"
	}
	width := r.Encoder.Width()
	return embedding.WriteNPYBlocks(filepath.Join(r.Folder, name), kind, total, width, iter.Seq2[embedding.Matrix, error](func(yield func(embedding.Matrix, error) bool) {
		for number, c := range r.counts {
			s, err := r.read(number)
			if err != nil {
				yield(embedding.Matrix{}, err)
				return
			}
			r.report()
			if !yield(embedding.Matrix{Rows: rows(c), Columns: width, Values: values(s)}, nil) {
				return
			}
		}
	}))
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
	if err := os.Rename(r.parts, r.parts+doneSuffix); err != nil { // atomically: a job with only some of its shards would embed the others again
		return fmt.Errorf("bulk: %w", err)
	}
	return r.clean()
}

// doneSuffix ends the name of a folder of shards that have been joined.
const doneSuffix = ".done"

// clean removes the leftovers of an interrupted job: joined shards and incomplete files.
func (r *run) clean() error {
	if err := os.RemoveAll(r.parts + doneSuffix); err != nil {
		return fmt.Errorf("bulk: %w", err)
	}
	for _, pattern := range []string{filepath.Join(r.Folder, ".*.json-*"), filepath.Join(r.Folder, ".*.npy-*"), filepath.Join(r.Folder, ".bad.txt-*"), filepath.Join(r.parts, ".part_*-*")} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return fmt.Errorf("bulk: %w", err)
		}
		for _, file := range files {
			if err := os.Remove(file); err != nil {
				return fmt.Errorf("bulk: %w", err)
			}
		}
	}
	return nil
}

// joinTask writes the folder of a task: pictures, labels, classes, prompts and dummies.
func (r *run) joinTask(ctx context.Context, shards int) error {
	if err := r.matrix("image.npy", func(c count) int { return c.images }, func(s *shard) []float32 { return s.images }); err != nil {
		return err
	}
	var labels []int64
	for number := range shards {
		s, err := r.read(number)
		if err != nil {
			return err
		}
		labels = append(labels, s.labels...)
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
		"label.npy": embedding.Int64Array(labels, len(labels)), "prompt.npy": prompts.Array(), "dummy.npy": dummies.Array(),
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
