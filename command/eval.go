package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
)

// Eval is the subcommand that evaluates a trained adapter.
type Eval struct {
	Dataset string `help:"Data set: scenes_minilm and world are built in, others are folders of embeddings." default:"scenes_minilm"`
	Method  string `help:"Method that was trained." default:"asymvlm-vmf"`
	Seed    uint64 `help:"Seed that it was trained with." default:"0"`
	layout
	Results    string `help:"Folder of results, <data>/<seed>/<method>.json below it." default:"results" type:"path"`
	Split      string `help:"Split to evaluate on; val, or test for built-in data."`
	Levels     int    `help:"Levels of uncertainty." name:"uncer_levels" default:"10"`
	Checkpoint string `help:"Checkpoint to evaluate, instead of the one of the data set, seed and method." type:"path"`
}

// Run evaluates, prints the report and writes the results.
func (e Eval) Run() error { return e.run(os.Stdout) }

func (e Eval) run(stdout io.Writer) error {
	trained, err := e.load()
	if err != nil {
		return err
	}
	set, err := readDataset(e.Embeddings, e.Dataset, e.Split)
	if err != nil {
		return err
	}
	report, err := trained.Evaluate(set, e.Levels)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s\n%s, seed %d, %s\n\n%s\n", set, trained.Method(), trained.Options().Seed, trained.Options().Schedule, report)
	path := filepath.Join(e.Results, e.Dataset, strconv.FormatUint(e.Seed, 10), trained.Method()+".json")
	if err := writeJSON(path, newResult(trained, set, report)); err != nil {
		return err
	}
	fmt.Fprintln(stdout, path)
	return nil
}

// load reads the checkpoint. CLIP needs none.
func (e Eval) load() (*adapter.Adapter, error) {
	path := e.Checkpoint
	if path == "" {
		if _, err := adapter.PaperOptions(e.Method); err != nil {
			return nil, err
		}
		path = e.checkpoint(e.Dataset, e.Method, e.Seed)
	}
	trained, err := adapter.Load(path)
	if errors.Is(err, fs.ErrNotExist) && e.Checkpoint == "" {
		return nil, fmt.Errorf("no checkpoint %s; train it with: gosphere train --dataset %s --method %s --seed %d",
			path, e.Dataset, e.Method, e.Seed)
	}
	return trained, err
}

// A result is the content of a result file: the measures, and everything needed to get them again. It holds no time,
// so that equal runs give equal files.
type result struct {
	Program  string    `json:"program"`
	Device   string    `json:"device"`
	Dataset  string    `json:"dataset"`
	Checksum string    `json:"dataset_sha256"`
	Images   int       `json:"images"`
	Texts    int       `json:"texts"`
	Method   string    `json:"method"`
	Seed     uint64    `json:"seed"`
	Training training  `json:"training"`
	T2I      direction `json:"t2i"`
	I2T      direction `json:"i2t"`
}

type training struct {
	Schedule     string  `json:"schedule"`
	Epochs       int     `json:"epochs"`
	Batch        int     `json:"batch"`
	LearningRate float64 `json:"learning_rate"`
	Steps        int     `json:"steps"`
	Temperature  float64 `json:"temperature"`
	Checksum     string  `json:"dataset_sha256"`
}

type direction struct {
	Recall1         float64   `json:"recall_1"`
	Recall5         float64   `json:"recall_5"`
	Recall10        float64   `json:"recall_10"`
	Levels          []float64 `json:"recall_by_level"`
	MeanUncertainty []float64 `json:"mean_uncertainty_by_level"`
	Average         float64   `json:"average"`
	S               *float64  `json:"s"` // null when all levels have the same recall
	R2              *float64  `json:"r2"`
	MinusSR2        *float64  `json:"minus_s_r2"`
}

func newResult(a *adapter.Adapter, set *embedding.Set, report *retrieval.Report) result {
	o := a.Options()
	return result{
		Program: Banner(), Device: device.Shared().Name(),
		Dataset: set.Name, Checksum: adapter.Checksum(set), Images: set.Images.Rows, Texts: set.Texts.Rows,
		Method: a.Method(), Seed: o.Seed,
		Training: training{o.Schedule, o.Epochs, o.Batch, o.LearningRate, a.History().Steps(), a.Temperature(), a.TrainingChecksum()},
		T2I:      newDirection(report.TextToImage), I2T: newDirection(report.ImageToText),
	}
}

func newDirection(d retrieval.Direction) direction {
	return direction{d.Recall1, d.Recall5, d.Recall10, d.Levels, d.MeanUncertainty, d.Average,
		finite(d.S), finite(d.R2), finite(d.MinusSR2)}
}

// finite returns nil for what JSON cannot hold.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// writeJSON writes a file that appears whole or not at all.
func writeJSON(path string, value any) (err error) {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".result-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(file.Name())
		}
	}()
	_, err = file.Write(append(text, '\n'))
	if err := errors.Join(err, file.Chmod(0o644), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
