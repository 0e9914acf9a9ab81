// Package bulk embeds a whole collection of pictures and captions into a folder of cached embeddings. A job that was ended
// at any moment goes on where it was and gives the same bytes.
//
//	err := bulk.Run(ctx, bulk.Options{Encoder: enc, Source: s, Folder: "embeddings/mine/val"})
package bulk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/encoder"
	"gosphere/asymvlm/encoder/source"
	"gosphere/asymvlm/zeroshot"
)

// Options say what is embedded.
type Options struct {
	Encoder *encoder.Encoder
	Source  *source.Source
	// Folder gets image.npy, text.npy, cap_id_to_img_id.json and captions.json, see embedding.ReadSet, bad.txt where pictures
	// could not be used, and manifest.json, which says what was embedded with what. A collection with classes gives the
	// files of a task instead, see zeroshot.ReadTask, with the prompts of the templates and the dummies of the paper.
	Folder string
	// Shard is the number of pictures after which the work so far is written; 0 is 1024.
	Shard int
	// MostBad is the number of pictures that may be unusable before the job gives up.
	MostBad int
	// Progress is called after every batch; it may be nil.
	Progress func(State)
}

// A State is how far a job is.
type State struct {
	Pictures, Captions, Bad int
	Count                   int // of pictures in all, −1 if not known
	Resumed                 int // pictures of an earlier run
	Elapsed                 time.Duration
}

// A manifest says what a folder was made of. A folder with another one is not continued.
type manifest struct {
	Encoder string   `json:"encoder"`
	Weights []string `json:"weights"` // name, size and time of each file
	Orient  bool     `json:"orient"`
	Source  []string `json:"source"`
	Shard   int      `json:"shard"`
}

// batch is the number of pictures that are decoded and embedded together.
const batch = 64

// A Bad is a picture that could not be used.
type Bad struct{ Name, Reason string }

// A run is a job under way.
type run struct {
	Options
	parts   string // folder of the shards
	started time.Time
	state   State
	bad     []Bad
}

// Run embeds the collection. Pictures that cannot be read are listed in bad.txt and left out with their captions. What is
// done already is kept when the context ends or an error stops the job; call Run with the same options to go on. A folder
// that was made of something else is an error, as is a collection of which nothing can be used.
func Run(ctx context.Context, o Options) (State, error) {
	if o.Shard <= 0 {
		o.Shard = 1024
	}
	if o.Encoder.Model.Image == nil || o.Encoder.Model.Text == nil {
		return State{}, fmt.Errorf("bulk: %s has no network of pictures and texts both", o.Encoder.Name)
	}
	r := &run{Options: o, parts: filepath.Join(o.Folder, "parts"), started: time.Now()}
	r.state.Count = o.Source.Count
	done, err := r.prepare()
	if err != nil || done {
		return r.state, err
	}
	o.Encoder.Progress = silent{}
	shards, err := r.shards(ctx)
	if err != nil {
		return r.state, err
	}
	if o.Source.Classes != nil {
		return r.state, r.joinTask(ctx, shards)
	}
	return r.state, r.join(shards)
}

// silent is a progress that shows nothing: the job has its own.
type silent struct{}

func (silent) Begin(string, int) {}
func (silent) Step(int, string)  {}
func (silent) End(error)         {}

// prepare compares the manifest of the folder, or writes it. done reports a folder that is complete.
func (r *run) prepare() (done bool, err error) {
	m := manifest{Encoder: r.Encoder.String(), Orient: r.Encoder.Orient, Shard: r.Shard}
	if m.Weights, err = identify(r.Encoder.Model.Files); err != nil {
		return false, fmt.Errorf("bulk: %w", err)
	}
	if m.Source, err = identify(r.Source.Files); err != nil {
		return false, fmt.Errorf("bulk: %w", err)
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return false, err
	}
	path := filepath.Join(r.Folder, "manifest.json")
	old, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if entries, err := os.ReadDir(r.Folder); err == nil && len(entries) > 0 {
			return false, fmt.Errorf("bulk: %s holds files that no job has written: choose another folder", r.Folder)
		}
		if err := os.MkdirAll(r.parts, 0o755); err != nil {
			return false, fmt.Errorf("bulk: %w", err)
		}
		return false, embedding.WriteWhole(path, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
	case err != nil:
		return false, fmt.Errorf("bulk: %w", err)
	case string(old) != string(text):
		return false, fmt.Errorf("bulk: %s was made with another encoder, collection or shard size, see %s: choose another folder, or remove it", r.Folder, path)
	}
	if _, err := os.Stat(r.parts); errors.Is(err, os.ErrNotExist) {
		return true, r.complete()
	}
	return false, nil
}

// complete counts what a complete folder holds.
func (r *run) complete() error {
	if r.Source.Classes != nil {
		task, err := zeroshot.ReadTask(r.Folder)
		if err != nil {
			return fmt.Errorf("bulk: %w", err)
		}
		r.state.Pictures, r.state.Resumed = task.Images.Rows, task.Images.Rows
		return nil
	}
	set, err := embedding.ReadSet(r.Folder)
	if err != nil {
		return fmt.Errorf("bulk: %w", err)
	}
	r.state.Pictures, r.state.Captions, r.state.Resumed = set.Images.Rows, set.Texts.Rows, set.Images.Rows
	return nil
}

// identify returns names, sizes and times of files.
func identify(files []string) ([]string, error) {
	var lines []string
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return nil, err
		}
		absolute, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprintf("%s, %d bytes, %s", absolute, info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano)))
	}
	return lines, nil
}

// A shard is the embeddings of some pictures in a row.
type shard struct {
	images, texts []float32
	of            []int64 // caption to picture of this shard
	labels        []int64 // of each picture, in a collection with classes
	captions      []string
	bad           []Bad
	items         int // that were looked at
}

// part returns the path of a shard.
func (r *run) part(number int) string {
	return filepath.Join(r.parts, fmt.Sprintf("part_%05d.safetensors", number))
}

// shards embeds what no shard has yet and returns their number.
func (r *run) shards(ctx context.Context) (int, error) {
	number := 0
	var pending []source.Item
	var broken []error
	finish := func() error {
		defer func() { pending, broken, number = pending[:0], broken[:0], number+1 }()
		if _, err := os.Stat(r.part(number)); err == nil {
			return r.resume(number)
		}
		return r.embed(ctx, number, pending, broken)
	}
	for item, err := range r.Source.Items() {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		pending, broken = append(pending, item), append(broken, err)
		if len(pending) == r.Shard {
			if err := finish(); err != nil {
				return 0, err
			}
		}
	}
	if len(pending) > 0 {
		if err := finish(); err != nil {
			return 0, err
		}
	}
	return number, nil
}

// resume counts a shard of an earlier run.
func (r *run) resume(number int) error {
	s, err := r.read(number)
	if err != nil {
		return err
	}
	pictures := len(s.images) / r.Encoder.Width()
	r.state.Pictures += pictures
	r.state.Resumed += pictures
	r.state.Captions += len(s.captions)
	return r.count(s.bad)
}

// count adds unusable pictures and gives up where there are too many.
func (r *run) count(bad []Bad) error {
	r.bad = append(r.bad, bad...)
	r.state.Bad = len(r.bad)
	if len(r.bad) > r.MostBad {
		last := r.bad[len(r.bad)-1]
		return fmt.Errorf("bulk: %d pictures cannot be used, more than %d; the last is %s: %s", len(r.bad), r.MostBad, last.Name, last.Reason)
	}
	return nil
}

// embed makes and writes a shard.
func (r *run) embed(ctx context.Context, number int, items []source.Item, broken []error) error {
	s := &shard{items: len(items)}
	for from := 0; from < len(items); from += batch {
		to := min(from+batch, len(items))
		if err := r.batch(ctx, s, items[from:to], broken[from:to]); err != nil {
			return err
		}
		if r.Progress != nil {
			r.state.Elapsed = time.Since(r.started)
			r.Progress(r.state)
		}
	}
	return r.write(number, s)
}

// batch embeds some pictures and their captions.
func (r *run) batch(ctx context.Context, s *shard, items []source.Item, broken []error) error {
	pixels, reasons := r.decode(items, broken)
	var good [][]float32
	var captions []string
	width := r.Encoder.Width()
	first := len(s.images) / width
	var bad []Bad
	for i, item := range items {
		if reasons[i] != nil {
			bad = append(bad, Bad{item.Name, strings.ReplaceAll(reasons[i].Error(), "\n", " ")})
			continue
		}
		for _, caption := range item.Captions {
			captions = append(captions, caption)
			s.of = append(s.of, int64(first+len(good)))
		}
		if r.Source.Classes != nil {
			s.labels = append(s.labels, int64(item.Label))
		}
		good = append(good, pixels[i])
	}
	images, err := r.Encoder.Prepared(ctx, good...)
	if err != nil {
		return err
	}
	texts, err := r.Encoder.Texts(ctx, captions...)
	if err != nil {
		return err
	}
	s.images, s.texts = append(s.images, images.Values...), append(s.texts, texts.Values...)
	s.captions, s.bad = append(s.captions, captions...), append(s.bad, bad...)
	r.state.Pictures += len(good)
	r.state.Captions += len(captions)
	return r.count(bad)
}

// decode reads and prepares pictures on all cores.
func (r *run) decode(items []source.Item, broken []error) (pixels [][]float32, reasons []error) {
	pixels, reasons = make([][]float32, len(items)), make([]error, len(items))
	next := make(chan int, len(items))
	for i := range items {
		next <- i
	}
	close(next)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		// Owns the pictures that it takes; ends when none is left.
		group.Go(func() {
			for i := range next {
				if reasons[i] = broken[i]; reasons[i] != nil {
					continue
				}
				data, err := items[i].Read()
				if err == nil {
					pixels[i], err = r.Encoder.Prepare(data)
				}
				reasons[i] = err
			}
		})
	}
	group.Wait()
	return pixels, reasons
}
