// Package importing is the subcommand that makes a data set of arrays, CSV files or a folder.
//
// Read importing.go first, then arrays.go (formats).
package importing

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/dataset"
	"gosphere/asymvlm/embedding"
	"gosphere/internal/command/process"
	"gosphere/internal/userfile"
)

// Import is the subcommand that writes a data set from embeddings in other forms.
type Import struct {
	Name       string  `arg:"" help:"Name of the data set, which becomes the folder EMBEDDINGS/NAME."`
	Folder     string  `arg:"" optional:"" help:"Folder with one set: image and text files, and a table and captions if it has them; or a .npy file of pairs, 2×N×D with the images first." type:"path"`
	Images     string  `help:"Images, one row each: .npy, .npz, .parquet, .safetensors, .pt or .csv; FILE#ARRAY names one of several arrays." placeholder:"FILE"`
	Texts      string  `help:"Texts, one row each, as the encoder returns them (not normalized)." placeholder:"FILE"`
	Pairs      string  `help:"Pairs: a .csv with a column image, the row of the image, and optionally text_row and caption; or a .json table as in cap_id_to_img_id.json. Default: row i of both belong together." placeholder:"FILE"`
	Captions   string  `help:"Captions of the texts: .txt with one a line, .json with a list, or .csv with a column caption." placeholder:"FILE"`
	Val        float64 `help:"Share of the images for the split val." default:"0.2"`
	Seed       uint64  `help:"Seed of the split." default:"0"`
	Embeddings string  `help:"Folder of data sets." default:"embeddings" type:"path"`
	Overwrite  bool    `help:"Replace a data set of the same name."`
}

// Run writes the data set and prints a report. The exit status is 3 if the set has a problem.
func (c Import) Run() error { return c.run(os.Stdout) }

func (c Import) run(stdout io.Writer) error {
	out := filepath.Join(c.Embeddings, c.Name)
	if !filepath.IsLocal(c.Name) {
		return fmt.Errorf("%q is no name of a data set: want a folder inside %s", c.Name, c.Embeddings)
	}
	for _, split := range []string{"train", "val"} {
		if _, err := os.Stat(filepath.Join(out, split)); err == nil && !c.Overwrite {
			return fmt.Errorf("%s exists; choose another name, or set --overwrite", filepath.Join(out, split))
		}
	}
	set, err := c.read()
	if err != nil {
		return err
	}
	set.Name = c.Name
	if err := set.Check(); err != nil {
		return err
	}
	train, val, err := dataset.Split(set, c.Val, c.Seed)
	if err != nil {
		return err
	}
	train.Name, val.Name = c.Name+"/train", c.Name+"/val"
	problems := 0
	for _, part := range []struct {
		split string
		set   *embedding.Set
	}{{"train", train}, {"val", val}} {
		if err := embedding.WriteSet(filepath.Join(out, part.split), part.set); err != nil {
			return err
		}
		fmt.Fprintln(stdout, part.set)
		n, err := Report(stdout, part.set)
		if err != nil {
			return err
		}
		problems += n
	}
	leaks, err := dataset.Leaks(train, val)
	if err != nil {
		return err
	}
	problems += print(stdout, leaks)
	fmt.Fprintf(stdout, "%s: train it with gosphere train --dataset %s --method asymvlm-vmf-residual --schedule auto\n", out, c.Name)
	if problems > 0 {
		return process.Findings(problems)
	}
	return nil
}

// Report prints the recall without training and what is noticeable about a set, and returns the
// number of problems.
func Report(stdout io.Writer, set *embedding.Set) (problems int, err error) {
	baseline, err := adapter.BaselineOf(set)
	if err == nil {
		fmt.Fprintln(stdout, "  "+baseline.String())
		problems += print(stdout, dataset.AtChance(set, baseline.TextToImage, baseline.ImageToText))
	} else {
		fmt.Fprintf(stdout, "  no recall: %v\n", err) // a gallery of one image, for instance
	}
	findings, err := dataset.Inspect(set)
	return problems + print(stdout, findings), err
}

// print prints findings and returns the number of problems.
func print(stdout io.Writer, findings []dataset.Finding) (problems int) {
	for _, f := range findings {
		fmt.Fprintln(stdout, "  "+f.String())
		if f.Problem {
			problems++
		}
	}
	return problems
}

// read returns the whole set.
func (c Import) read() (*embedding.Set, error) {
	if c.Folder != "" {
		if c.Images != "" || c.Texts != "" {
			return nil, fmt.Errorf("%s already names the embeddings: omit the folder, or --images and --texts", c.Folder)
		}
		return c.fromFolder()
	}
	if c.Images == "" || c.Texts == "" {
		return nil, fmt.Errorf("import needs --images and --texts, or a folder with both")
	}
	images, err := readMatrix(c.Images)
	if err != nil {
		return nil, err
	}
	texts, err := readMatrix(c.Texts)
	if err != nil {
		return nil, err
	}
	return c.pair(images, texts)
}

// fromFolder reads a folder in the layout of embedding.ReadSet, or one with two matrices and no
// table.
func (c Import) fromFolder() (*embedding.Set, error) {
	if info, err := os.Stat(c.Folder); err == nil && !info.IsDir() {
		pairs, err := embedding.ReadPairs(c.Folder)
		if err != nil {
			return nil, err
		}
		return c.pair(pairs.Images, pairs.Texts)
	}
	set, err := embedding.ReadSet(c.Folder)
	if err == nil && c.Pairs == "" && c.Captions == "" {
		return set, nil
	}
	if err == nil {
		return c.pair(set.Images, set.Texts)
	}
	var paths [2]string
	for side, names := range [2][]string{{"image", "images", "image_embeddings", "img"}, {"text", "texts", "text_embeddings", "txt"}} {
		for _, name := range names {
			found, _ := filepath.Glob(filepath.Join(c.Folder, name+".*"))
			found = slices.DeleteFunc(found, func(path string) bool {
				return !slices.Contains([]string{".npy", ".npz", ".parquet", ".safetensors", ".pt", ".pth", ".csv"}, strings.ToLower(filepath.Ext(path)))
			})
			if len(found) == 1 && paths[side] == "" {
				paths[side] = found[0]
			}
		}
	}
	if _, there := os.Stat(filepath.Join(c.Folder, "cap_id_to_img_id.json")); paths[0] == "" || paths[1] == "" || there == nil && c.Pairs == "" && !hasForeign(paths) {
		return nil, err
	}
	images, err := readMatrix(paths[0])
	if err != nil {
		return nil, err
	}
	texts, err := readMatrix(paths[1])
	if err != nil {
		return nil, err
	}
	if table := filepath.Join(c.Folder, "cap_id_to_img_id.json"); c.Pairs == "" {
		if _, err := os.Stat(table); err == nil {
			c.Pairs = table
		}
	}
	if captions := filepath.Join(c.Folder, "captions.json"); c.Captions == "" {
		if _, err := os.Stat(captions); err == nil {
			c.Captions = captions
		}
	}
	return c.pair(images, texts)
}

// hasForeign reports whether a file has a format that embedding.ReadSet does not read.
func hasForeign(paths [2]string) bool {
	return slices.ContainsFunc(paths[:], func(path string) bool {
		return slices.Contains([]string{".pt", ".pth", ".csv"}, strings.ToLower(filepath.Ext(path)))
	})
}

// pair returns the set of two matrices and the pairs and captions of the flags.
func (c Import) pair(images, texts embedding.Matrix) (*embedding.Set, error) {
	set := &embedding.Set{Images: images, Texts: texts}
	switch {
	case c.Pairs == "":
		if images.Rows != texts.Rows {
			return nil, fmt.Errorf("%d images and %d texts: without --pairs, row i of both belong together", images.Rows, texts.Rows)
		}
		for row := range texts.Rows {
			set.CaptionImages = append(set.CaptionImages, row)
		}
	case strings.EqualFold(filepath.Ext(c.Pairs), ".json"):
		table, err := userfile.ReadFile(c.Pairs, userfile.Table)
		if err != nil {
			return nil, err
		}
		if set.CaptionImages, set.Positives, err = embedding.DecodeTable(table); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Pairs, err)
		}
	default:
		if err := c.pairsOf(set); err != nil {
			return nil, err
		}
	}
	if c.Captions != "" {
		var err error
		if set.Captions, err = readCaptions(c.Captions); err != nil {
			return nil, err
		}
		if len(set.Captions) != texts.Rows {
			return nil, fmt.Errorf("%s has %d captions for %d texts", c.Captions, len(set.Captions), texts.Rows)
		}
	}
	return set, nil
}

// pairsOf reads a CSV file of pairs into a set. A text in several lines describes several images.
func (c Import) pairsOf(set *embedding.Set) error {
	t, err := readTable(c.Pairs)
	if err != nil {
		return err
	}
	if t.images == nil {
		return fmt.Errorf("%s has no column image", c.Pairs)
	}
	if t.texts == nil {
		if len(t.images) != set.Texts.Rows {
			return fmt.Errorf("%s has %d pairs for %d texts: without a column text_row, line i is for text i", c.Pairs, len(t.images), set.Texts.Rows)
		}
		set.CaptionImages, set.Captions = t.images, t.captions
		return nil
	}
	lists := make([][]int, set.Texts.Rows)
	if t.captions != nil {
		set.Captions = make([]string, set.Texts.Rows)
	}
	for i, text := range t.texts {
		if text >= set.Texts.Rows {
			return fmt.Errorf("%s: line %d: text_row %d, but there are %d texts", c.Pairs, i+2, text, set.Texts.Rows)
		}
		lists[text] = append(lists[text], t.images[i])
		if t.captions != nil {
			set.Captions[text] = t.captions[i]
		}
	}
	for text, list := range lists {
		if list == nil {
			return fmt.Errorf("%s: text %d has no image", c.Pairs, text)
		}
	}
	encoded, err := json.Marshal(lists)
	if err == nil {
		set.CaptionImages, set.Positives, err = embedding.DecodeTable(encoded)
	}
	return err
}
