package laboratory

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/encoder"
	"gosphere/asymvlm/encoder/hub"
)

// Encoder is the subcommand that manages networks that compute embeddings.
type Encoder struct {
	List  EncoderList  `cmd:"" help:"List known models and the models on this machine."`
	Get   EncoderGet   `cmd:"" help:"Download a model to the folder of models."`
	Info  EncoderInfo  `cmd:"" help:"Describe a model folder."`
	Check EncoderCheck `cmd:"" help:"Compare a model with stored vectors."`
}

// EncoderList is the subcommand that lists models.
type EncoderList struct{}

// Run lists the known models and the models in the model folders.
func (EncoderList) Run() error { return listEncoders(os.Stdout) }

func listEncoders(stdout io.Writer) error {
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tFAMILY\tWIDTH\tMB\tLICENSE\tHERE")
	here := map[string]string{}
	var others []string
	for _, folder := range encoder.Folders() {
		entries, err := os.ReadDir(folder)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		for _, entry := range entries {
			name, path := entry.Name(), filepath.Join(folder, entry.Name())
			if info, err := os.Stat(path); err != nil || !info.IsDir() || here[name] != "" {
				continue
			}
			here[name] = path
			if encoder.Known(name) == nil {
				others = append(others, name)
			}
		}
	}
	for _, p := range encoder.PublishedModels() {
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\t%s\n", p.Name, p.Family, p.Width, p.Megabytes, p.License, here[p.Name])
	}
	for _, name := range others {
		fmt.Fprintf(table, "%s\t\t\t\t\t%s\n", name, here[name])
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, "\nModels are searched in %s. Set %s to add folders.\n", strings.Join(encoder.Folders(), ", "), encoder.FoldersVariable)
	return err
}

// EncoderGet is the subcommand that downloads a model.
type EncoderGet struct {
	Model    string   `arg:"" help:"Name from gosphere encoder list, or OWNER/NAME on the hub with --file."`
	Folder   string   `help:"Folder for the model (default: its name in the cache folder)." type:"path"`
	Server   string   `help:"Address of the hub." default:"https://huggingface.co"`
	Revision string   `help:"Branch or commit of the repository." default:"main"`
	File     []string `help:"File to download. May be repeated (default: the files of a known model)."`
	Token    string   `help:"Access token for models that require a login." env:"HF_TOKEN"`
}

// Run downloads the files that are missing from the folder.
func (g EncoderGet) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return g.run(ctx, os.Stdout)
}

func (g EncoderGet) run(ctx context.Context, stdout io.Writer) error {
	repository, files, name := g.Model, g.File, filepath.Base(g.Model)
	if known := encoder.Known(g.Model); known != nil {
		repository, name = known.Repository, known.Name
		if files == nil {
			files = known.Files
		}
	}
	if len(files) == 0 || !strings.Contains(repository, "/") {
		return fmt.Errorf("unknown model %s: gosphere encoder list shows the known ones; for any other give OWNER/NAME and --file for each of its files", g.Model)
	}
	folder := g.Folder
	if folder == "" {
		if folder = encoder.CacheFolder(); folder == "" {
			return fmt.Errorf("no cache folder on this machine: set --folder")
		}
		folder = filepath.Join(folder, name)
	}
	last := -1
	err := hub.Get(ctx, hub.Options{
		Server: g.Server, Repository: repository, Revision: g.Revision, Files: files, Folder: folder, Token: g.Token,
		Progress: func(file string, done, total int64) {
			if total == 0 || total < 1<<20 {
				return
			}
			if tenth := int(10 * done / total); tenth != last {
				last = tenth
				fmt.Fprintf(stdout, "%s  %d of %d MB\n", file, done>>20, total>>20)
			}
		},
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s is in %s\n", name, folder)
	return err
}

// EncoderInfo is the subcommand that describes a model folder.
type EncoderInfo struct {
	Model string `arg:"" help:"Name or folder of the model."`
}

// Run opens the model and prints its description.
func (i EncoderInfo) Run() error { return i.run(os.Stdout) }

func (i EncoderInfo) run(stdout io.Writer) error {
	e, err := encoder.Open(i.Model)
	if err != nil {
		return err
	}
	defer e.Close()
	m := e.Model
	line := func(name, format string, values ...any) {
		fmt.Fprintf(stdout, "%-12s"+format+"\n", append([]any{name}, values...)...)
	}
	line("folder", "%s", e.Dir)
	line("family", "%s, layout of %s", m.Family, m.Layout)
	line("weights", "%d, stored as %s in %s", m.Parameters, m.Stored, strings.Join(m.Files, ", "))
	line("width", "%d", e.Width())
	if t := m.Text; t != nil {
		line("texts", "%d layers of %d, %d heads, %d token ids, at most %d tokens", t.Layers, t.Width, t.Heads, t.Vocabulary, t.Positions)
	}
	if e.Tokenizer != nil {
		line("tokenizer", "%s, texts are cut at %d tokens", e.Tokenizer.Name, e.Limit)
	} else if m.Text != nil {
		line("tokenizer", "none: copy the model's tokenizer into the folder to encode texts")
	}
	if v := m.Image; v != nil {
		line("pictures", "%d layers of %d, %d heads, %d×%d pixels in patches of %d", v.Layers, v.Width, v.Heads, v.Side, v.Side, v.Patch)
		line("channels", "mean %v, standard deviation %v", e.Picture.Mean, e.Picture.Deviation)
	}
	if m.LogitScale > 0 {
		line("logits", "%.4g·cosine %+.4g", m.LogitScale, m.LogitBias)
	}
	return nil
}

// EncoderCheck is the subcommand that compares a model with stored vectors.
type EncoderCheck struct {
	Model   string `arg:"" help:"Name or folder of the model."`
	Picture string `help:"CLIP.png of OpenAI's repository, to also compare the image encoder." type:"existingfile"`
}

// Run prints the comparisons. A difference is an error.
func (c EncoderCheck) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return c.run(ctx, os.Stdout)
}

func (c EncoderCheck) run(ctx context.Context, stdout io.Writer) error {
	e, err := encoder.OpenWith(c.Model, encoder.Options{Precision: device.Float32}) // the precision of the stored vectors
	if err != nil {
		return err
	}
	defer e.Close()
	check, err := e.Check(ctx, c.Picture)
	if err != nil {
		return err
	}
	for _, one := range check.Compared {
		fmt.Fprintf(stdout, "1 − cosine %8.1e  norm ratio %.6f  %.60q\n", math.Abs(1-one.Cosine), one.Norm, one.Input)
	}
	for i, p := range check.Probabilities {
		fmt.Fprintf(stdout, "probability of text %d for the picture: %.4f\n", i+1, p)
	}
	if !check.Passed() {
		return fmt.Errorf("%s is not the network %s: cosines must be within %g of 1 (other weights, or another tokenizer)", e.Name, check.Reference, check.Tolerance)
	}
	_, err = fmt.Fprintf(stdout, "%s reproduces the vectors of %s\n", e.Name, check.Reference)
	return err
}
