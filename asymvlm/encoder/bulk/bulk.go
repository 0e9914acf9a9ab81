// Package bulk embeds a whole collection of pictures and captions into a folder of cached
// embeddings. An interrupted job resumes and produces the same bytes.
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
	"time"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/encoder"
	"gosphere/asymvlm/encoder/source"
	"gosphere/asymvlm/zeroshot"
	"gosphere/internal/filelock"
	"gosphere/internal/userfile"
)

// Options configures a job.
type Options struct {
	Encoder *encoder.Encoder
	Source  *source.Source
	// Folder is the destination of image.npy, text.npy, caption_images.npy and captions.json (see
	// embedding.ReadSet), of bad.txt if pictures could not be used, and of manifest.json, which
	// records the inputs. For a collection with classes the files are those of a task (see
	// zeroshot.ReadTask), with the prompts of the templates and the paper's dummies.
	Folder string
	// Half stores float16 values instead of float32.
	Half bool
	// Alone embeds the captions without the pictures and writes no image.npy. Collections without
	// pictures require it, unless Scenes is set.
	Alone bool
	// Scenes, if positive, is the number of captions per picture that become texts. The unit mean
	// of the other captions replaces the picture, as in the built-in data set Scenes. Pictures
	// without an additional caption are omitted. Results on such a set compare texts with texts.
	Scenes int
	// Shard is the number of pictures after which intermediate results are written; 0 means 1024.
	Shard int
	// MostBad is the number of unusable pictures that the job accepts before it fails.
	MostBad int
	// Truncated accepts files of which the end is missing: they are listed in bad.txt. Otherwise
	// such a file, a *source.TruncatedError, makes the job fail.
	Truncated bool
	// Progress is called after each batch; it may be nil.
	Progress func(State)
}

// A State describes the progress of a job.
type State struct {
	Pictures, Captions, Bad int
	Count                   int // number of pictures in all; −1 if unknown
	Resumed                 int // pictures done by an earlier run
	Elapsed                 time.Duration
}

// A manifest records the inputs of a folder. A folder with another manifest is not resumed.
type manifest struct {
	Encoder string   `json:"encoder"`
	Weights []string `json:"weights"` // name, size and time of each file
	Orient  bool     `json:"orient"`
	Source  []string `json:"source"`
	Shard   int      `json:"shard"`
	Half    bool     `json:"float16,omitempty"`
	Alone   bool     `json:"captions_alone,omitempty"`
	Scenes  int      `json:"scenes,omitempty"`
}

// batch is the number of pictures that are decoded and embedded together, and batchAlone the number
// of items without pictures.
const (
	batch      = 64
	batchAlone = 512
)

// A Bad is a picture that could not be used, with the reason.
type Bad struct{ Name, Reason string }

// A run is a job in progress.
type run struct {
	Options
	parts   string // folder of the shards
	started time.Time
	state   State
	bad     []Bad
	counts  []count // sizes of the shards
}

// A count is the number of rows of a shard.
type count struct{ images, texts int }

// textual reports whether the job needs no pictures.
func (o Options) textual() bool { return o.Alone || o.Scenes > 0 }

// check returns an error if the options do not fit the encoder or the collection.
func (o Options) check() error {
	name, model := o.Encoder.Name, o.Encoder.Model
	switch {
	case model.Text == nil:
		return fmt.Errorf("bulk: %s has no network of texts", name)
	case o.Scenes < 0:
		return fmt.Errorf("bulk: scenes of %d captions, want a number from 0", o.Scenes)
	case o.Alone && o.Scenes > 0:
		return errors.New("bulk: Alone makes no scenes: choose one of the two")
	case o.textual() && o.Source.Classes != nil:
		return errors.New("bulk: the collection has classes and no captions")
	case !o.textual() && o.Source.TextOnly:
		return errors.New("bulk: the collection has no pictures: choose Alone or Scenes")
	case !o.textual() && model.Image == nil:
		return fmt.Errorf("bulk: %s has no network of pictures: choose Alone or Scenes", name)
	}
	return nil
}

// Run embeds the collection. Pictures that cannot be used are listed in bad.txt and omitted with
// their captions. If the context ends or an error stops the job, such as one of the disk, finished
// shards are kept; call Run again with the same options to resume. A folder that was made from
// other inputs is an error, as are options that do not fit the encoder or the collection, too many
// bad pictures, and a collection without usable items.
func Run(ctx context.Context, o Options) (State, error) {
	if o.Shard <= 0 {
		o.Shard = 1024
	}
	if err := o.check(); err != nil {
		return State{}, err
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

// silent is a Progress that displays nothing, because the job displays its own.
type silent struct{}

func (silent) Begin(string, int) {}
func (silent) Step(int, string)  {}
func (silent) End(error)         {}

// prepare compares the manifest of the folder, or writes it. It reports whether the folder is
// complete.
func (r *run) prepare() (done bool, err error) {
	m := manifest{Encoder: r.Encoder.String(), Orient: r.Encoder.Orient, Shard: r.Shard, Half: r.Half, Alone: r.Alone, Scenes: r.Scenes}
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
	if err := r.clean(); err != nil {
		return false, err
	}
	path := filepath.Join(r.Folder, "manifest.json")
	old, err := userfile.ReadFile(path, userfile.Table)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if entries, err := os.ReadDir(r.Folder); err == nil {
			for _, entry := range entries {
				if entry.Name() != filepath.Base(r.parts) && entry.Name() != filelock.Name {
					return false, fmt.Errorf("bulk: %s holds files that no job has written: choose another folder", r.Folder)
				}
			}
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

// complete counts the rows of a complete folder.
func (r *run) complete() error {
	if r.Source.Classes != nil {
		task, err := zeroshot.ReadTask(r.Folder)
		if err != nil {
			return fmt.Errorf("bulk: %w", err)
		}
		r.state.Pictures, r.state.Resumed = task.Images.Rows, task.Images.Rows
		return nil
	}
	texts, err := embedding.OpenStored("text", filepath.Join(r.Folder, "text.npy"))
	if err != nil {
		return fmt.Errorf("bulk: %w", err)
	}
	r.state.Captions = texts.Rows
	if r.Alone {
		return nil
	}
	images, err := embedding.OpenStored("image", filepath.Join(r.Folder, "image.npy"))
	if err != nil {
		return fmt.Errorf("bulk: %w", err)
	}
	r.state.Pictures, r.state.Resumed = images.Rows, images.Rows
	return nil
}

// identify returns the names, sizes and times of files.
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

// mostHeld is the number of bytes of pictures after which a batch is embedded before it is full.
// Pictures of archives are in memory until then. The last one may be as large as an archive
// permits, and the collector may let the heap grow to twice of what is held.
const mostHeld = 128 << 20

// A pending batch of items, with the errors of those that cannot be used.
type pending struct {
	items  []source.Item
	broken []error
	held   int // bytes
}

// shards embeds the items that no shard holds yet and returns the number of shards.
func (r *run) shards(ctx context.Context) (int, error) {
	size, do := batch, r.batch
	if r.textual() {
		size, do = batchAlone, r.texts
	}
	number, count := 0, 0 // of shards, and of the items of the present one
	var current *shard    // nil for one of an earlier run
	var next pending
	flush := func() error {
		if len(next.items) == 0 {
			return nil
		}
		err := do(ctx, current, next.items, next.broken)
		r.report()
		clear(next.items) // releases the pictures
		next = pending{next.items[:0], next.broken[:0], 0}
		return err
	}
	finish := func() error {
		defer func() { number, count = number+1, 0 }()
		if current == nil {
			return r.resume(number)
		}
		if err := flush(); err != nil {
			return err
		}
		r.note(current)
		return r.write(number, current)
	}
	for item, err := range r.Source.Items() {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if cut := (*source.TruncatedError)(nil); errors.As(err, &cut) && !r.Truncated {
			return 0, fmt.Errorf("bulk: %w", err)
		}
		if count == 0 {
			current = new(shard)
			if _, err := os.Stat(r.part(number)); err == nil {
				current = nil
			}
		}
		count++
		if current != nil {
			next.items, next.broken, next.held = append(next.items, item), append(next.broken, err), next.held+item.Held()
			if len(next.items) == size || next.held >= mostHeld {
				if err := flush(); err != nil {
					return 0, err
				}
			}
		}
		if count == r.Shard {
			if err := finish(); err != nil {
				return 0, err
			}
		}
	}
	if count > 0 {
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
	good := s.good(r.Encoder.Width())
	r.state.Pictures += good
	r.state.Resumed += good
	r.state.Captions += len(s.captions)
	r.note(s)
	return r.count(s.bad)
}

// note records the sizes of a shard.
func (r *run) note(s *shard) {
	r.counts = append(r.counts, count{len(s.images) / r.Encoder.Width(), len(s.captions)})
}

// count records unusable pictures and returns an error if there are too many.
func (r *run) count(bad []Bad) error {
	r.bad = append(r.bad, bad...)
	r.state.Bad = len(r.bad)
	if len(r.bad) > r.MostBad {
		last := r.bad[len(r.bad)-1]
		return fmt.Errorf("bulk: %d pictures cannot be used, more than %d; the last is %s: %s", len(r.bad), r.MostBad, last.Name, last.Reason)
	}
	return nil
}
