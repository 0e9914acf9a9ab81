package laboratory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/export"
	"gosphere/internal/command/process"
)

// Vectors is the subcommand that writes images and texts as vectors for engines of inner products.
type Vectors struct {
	selection
	layout
	Split      string `help:"Split to write (default: val, or test for built-in data)."`
	Checkpoint string `help:"Checkpoint of the adapter (default: that of the data set, seed and method)." type:"path"`
	Texts      string `help:"Output file for the captions: .parquet, .npy or .safetensors." type:"path" placeholder:"FILE"`
	Images     string `help:"Output file for the images." type:"path" placeholder:"FILE"`

	process.Compute
}

// adapter returns the adapter of a job. Method clip is not trained and needs no checkpoint.
func (v Vectors) adapter(j job, set *embedding.Set) (*adapter.Adapter, error) {
	if j.method == adapter.CLIP && v.Checkpoint == "" {
		o, err := adapter.PaperOptions(adapter.CLIP)
		if err != nil {
			return nil, err
		}
		return adapter.Train(context.Background(), set, o)
	}
	e := Eval{selection: v.selection, layout: v.layout, Checkpoint: v.Checkpoint}
	a, err := e.load(j)
	if err == nil {
		err = e.agree(a, j)
	}
	return a, err
}

// Run writes the files.
func (v Vectors) Run() error { return v.run(os.Stdout) }

func (v Vectors) run(stdout io.Writer) error {
	if v.Texts == "" && v.Images == "" {
		return errors.New("set --texts or --images to an output file")
	}
	jobs := v.jobs()
	if len(jobs) != 1 {
		return fmt.Errorf("%d adapters: want one method and one seed", len(jobs))
	}
	set, _, err := readWithKappas(v.Embeddings, v.Dataset, v.Split)
	if err != nil {
		return err
	}
	if set, err = set.Load(); err != nil {
		return err
	}
	a, err := v.adapter(jobs[0], set)
	if err != nil {
		return err
	}
	images, texts, err := adapter.VectorsOf(a, set.Images, set.Texts)
	if err != nil {
		return err
	}
	for _, side := range []struct {
		path string
		rows embedding.Matrix
		ids  []string
	}{{v.Texts, texts, set.Captions}, {v.Images, images, nil}} {
		if side.path == "" {
			continue
		}
		ids := side.ids
		if strings.EqualFold(filepath.Ext(side.path), ".npy") {
			ids = nil // the format has no ids
		}
		if err := export.Write(side.path, side.rows, ids); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s: %d rows of %d numbers\n", side.path, side.rows.Rows, side.rows.Columns)
	}
	fmt.Fprintf(stdout, "For %s, a larger inner product of two rows means a better match of image and text.\n", a.Method())
	return nil
}
