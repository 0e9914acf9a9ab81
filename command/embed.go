package command

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
)

// Embed is the subcommand that embeds a collection of pictures with captions or classes.
type Embed struct {
	Encoder string `help:"Name or folder of the model, see gosphere encoder list." required:"" placeholder:"MODEL"`
	Data    string `help:"Collection as KIND:PATH: coco, karpathy, flickr, folder or webdataset with captions; cifar10, cifar100, stl10 or classes (folders as in ImageNet) with classes." required:"" placeholder:"KIND:PATH"`
	Split   string `help:"Split of the collection (default: all of it, where it has no splits)."`
	Output  string `short:"o" help:"Folder for the embeddings (default: embeddings/NAME/SPLIT)." type:"path"`
	MostBad int    `name:"most-bad" help:"Number of pictures that may be unusable." default:"1000"`
	Shard   int    `help:"Pictures after which the work so far is written." default:"1024"`
	Orient  bool   `help:"Turn JPEG files as their EXIF orientation says; the programs that trained CLIP do not."`
}

// Run embeds the collection. A second run with the same flags goes on where the first one ended.
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
	folder := e.Output
	if folder == "" {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		if strings.ContainsAny(name, "*?[") {
			return fmt.Errorf("--output is needed where the path is a pattern")
		}
		split := e.Split
		if split == "" {
			split = "all"
		}
		folder = filepath.Join("embeddings", name, split)
	}
	var shown time.Time
	state, err := bulk.Run(ctx, bulk.Options{
		Encoder: enc, Source: s, Folder: folder, Shard: e.Shard, MostBad: e.MostBad,
		Progress: func(state bulk.State) {
			if time.Since(shown) >= 10*time.Second {
				shown = time.Now()
				fmt.Fprintln(stderr, progressLine(state))
			}
		},
	})
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted after %d pictures; run the same command again to go on", state.Pictures)
		}
		return err
	}
	fmt.Fprintf(stdout, "%s: %d pictures, %d captions, %d unusable pictures\n", folder, state.Pictures, state.Captions, state.Bad)
	if state.Bad > 0 {
		fmt.Fprintf(stdout, "The unusable ones are listed in %s.\n", filepath.Join(folder, "bad.txt"))
	}
	return nil
}

// progressLine says how far a job is, with its rate and the time that is left.
func progressLine(state bulk.State) string {
	fresh := state.Pictures - state.Resumed
	rate := float64(fresh) / max(state.Elapsed.Seconds(), 1e-3)
	line := fmt.Sprintf("%d pictures, %d captions, %.1f pictures/s", state.Pictures, state.Captions, rate)
	if state.Bad > 0 {
		line += fmt.Sprintf(", %d unusable", state.Bad)
	}
	if state.Count > 0 && fresh > 0 {
		left := float64(state.Count-state.Pictures-state.Bad) / rate
		line += fmt.Sprintf(", of %d, %s left", state.Count, time.Duration(left*float64(time.Second)).Round(time.Second))
	}
	return line
}
