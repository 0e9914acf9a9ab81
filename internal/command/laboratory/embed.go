package laboratory

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"gosphere/asymvlm/encoder"
	"gosphere/asymvlm/encoder/bulk"
	"gosphere/asymvlm/encoder/source"
	"gosphere/internal/command/process"
)

// Embed is the subcommand that embeds a collection of captioned or classified pictures, or of
// captions alone.
type Embed struct {
	Encoder   string `help:"Name or folder of the model; gosphere encoder list shows the names." required:"" placeholder:"MODEL"`
	Data      string `help:"Collection as KIND:PATH. Kinds: coco, karpathy, flickr, hierarcaps, folder, webdataset or parquet with captions; captions (.txt, .csv, .tsv, .parquet) or cc (CC3M, CC12M) without pictures; cifar10, cifar100, stl10 or classes (folders as in ImageNet) with classes." required:"" placeholder:"KIND:PATH"`
	Split     string `help:"Split of the collection (default: the whole collection if it has no splits)."`
	Output    string `short:"o" help:"Folder for the embeddings (default: embeddings/NAME/SPLIT)." type:"path"`
	MostBad   int    `name:"most-bad" help:"Maximum number of unusable items." default:"1000"`
	Truncated bool   `help:"Accept tar files whose end is missing, and list them in bad.txt. Otherwise such a file makes the command fail."`
	Shard     int    `help:"Number of items after which intermediate results are written." default:"1024"`
	Float16   bool   `name:"float16" help:"Store float16 values, which halves the size."`
	Texts     bool   `help:"Embed only the captions; do not write image.npy."`
	Scenes    int    `help:"Keep N captions per picture and use the mean of the others in place of the picture (text against text)." placeholder:"N"`
	Precision string `help:"Precision of products with weights: float32, or bfloat16, which is faster on CPUs with AVX512_BF16 (default: GOSPHERE_PRECISION, or float32)." placeholder:"NAME"`
	Orient    bool   `help:"Apply the EXIF orientation of JPEG files, which CLIP's training did not."`
}

// Run embeds the collection. A second run with the same flags continues where the first one ended.
func (e Embed) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return e.run(ctx, os.Stdout, os.Stderr)
}

func (e Embed) run(ctx context.Context, stdout, stderr io.Writer) error {
	kind, path, ok := strings.Cut(e.Data, ":")
	if !ok || path == "" {
		return fmt.Errorf("--data %q: want KIND:PATH with one of the kinds %s", e.Data, strings.Join(source.Kinds(), ", "))
	}
	if e.Shard < 1 {
		return fmt.Errorf("--shard %d: want at least 1", e.Shard)
	}
	if e.Scenes < 0 || e.Texts && e.Scenes > 0 {
		return fmt.Errorf("--scenes %d: want at least 1, without --texts", e.Scenes)
	}
	s, err := source.Open(kind, path, e.Split)
	if err != nil {
		return err
	}
	enc, err := encoder.Open(e.Encoder)
	if err != nil {
		return err
	}
	defer enc.Close()
	enc.Orient = e.Orient
	if s.TextOnly && e.Scenes == 0 && !e.Texts {
		fmt.Fprintln(stderr, "The collection has no pictures: embedding only the captions.")
		e.Texts = true
	}
	if enc.Model.Image == nil && e.Scenes == 0 && !e.Texts {
		return fmt.Errorf("%s does not encode pictures: set --texts to embed only the captions, or --scenes 2 to compare text with text", enc.Name)
	}
	folder := e.Output
	if folder == "" {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		if strings.ContainsAny(name, "*?[{") {
			return fmt.Errorf("--output is required if the path is a pattern")
		}
		split := e.Split
		if split == "" {
			split = "all"
		}
		folder = filepath.Join("embeddings", name, split)
	}
	release, err := process.InTurn(ctx, folder, stderr)
	if err != nil {
		return err
	}
	defer release()
	var shown time.Time
	state, err := bulk.Run(ctx, bulk.Options{
		Encoder: enc, Source: s, Folder: folder, Shard: e.Shard, MostBad: e.MostBad, Truncated: e.Truncated,
		Half: e.Float16, Alone: e.Texts, Scenes: e.Scenes,
		Progress: func(state bulk.State) {
			if time.Since(shown) >= 10*time.Second {
				shown = time.Now()
				fmt.Fprintln(stderr, progressLine(state, e.unit()))
			}
		},
	})
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted after %d %s; rerun the command to continue", state.Pictures, e.unit())
		}
		return err
	}
	fmt.Fprintf(stdout, "%s: %d %s, %d captions, %d unusable %[3]s\n", folder, state.Pictures, e.unit(), state.Captions, state.Bad)
	if e.Scenes > 0 {
		fmt.Fprintf(stdout, "A scene is the mean of a picture's captions after the first %d: results on this set compare text with text.\n", e.Scenes)
	}
	if state.Bad > 0 {
		fmt.Fprintf(stdout, "Unusable items are listed in %s.\n", filepath.Join(folder, "bad.txt"))
	}
	return nil
}

// unit returns the word for the items of the job.
func (e Embed) unit() string {
	switch {
	case e.Texts:
		return "items"
	case e.Scenes > 0:
		return "scenes"
	}
	return "pictures"
}

// progressLine describes the progress of a job in items, with its rate and the remaining time.
func progressLine(state bulk.State, unit string) string {
	fresh := state.Pictures - state.Resumed
	rate := float64(fresh) / max(state.Elapsed.Seconds(), 1e-3)
	line := fmt.Sprintf("%d %s, %d captions, %.1f %[2]s/s", state.Pictures, unit, state.Captions, rate)
	if state.Bad > 0 {
		line += fmt.Sprintf(", %d unusable", state.Bad)
	}
	if state.Count > 0 && fresh > 0 {
		left := float64(state.Count-state.Pictures-state.Bad) / rate
		line += fmt.Sprintf(", of %d, %s left", state.Count, time.Duration(left*float64(time.Second)).Round(time.Second))
	}
	return line
}
