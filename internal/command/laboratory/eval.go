package laboratory

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/adapter/released"
	"gosphere/asymvlm/baseline"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
	"gosphere/internal/command/process"
)

// Eval is the subcommand that evaluates trained adapters.
type Eval struct {
	selection
	layout
	Results string     `help:"Folder for results, written to <data>/<seed>/<method>.json, or <method>.<split>.json for a split other than the default." default:"results" type:"path"`
	Split   string     `help:"Split to evaluate on (default: val, or test for built-in data)."`
	Levels  atLeastTwo `help:"Number of uncertainty levels." name:"uncer_levels" default:"10"`
	posterior
	ordering
	drawing
	judging
	untrainedScale
	intervals
	calibrating
	Checkpoint string       `help:"Checkpoint to evaluate (default: those of the data set, seeds and methods). A .pt file of the AsymVLM paper's program is read as well; its name, such as asymvlm-vmf.pt, or --method is its method." type:"path"`
	JSON       bool         `name:"json" help:"Print JSON instead of reports: an array of results, as they are also written to files."`
	took       func(result) // receives each result; nil for none

	process.Compute
}

// Run evaluates, prints the reports and writes the results.
func (e Eval) Run() error { return e.run(os.Stdout, os.Stderr) }

// printed evaluates without reports and prints the results as JSON.
func (e Eval) printed(stdout, stderr io.Writer) error {
	results := []result{}
	e.JSON, e.took = false, func(r result) { results = append(results, r) }
	failed := e.run(io.Discard, stderr)
	return errors.Join(process.PrintJSON(stdout, results), failed)
}

func (e Eval) run(stdout, stderr io.Writer) error {
	if err := e.intervals.check("text"); err != nil {
		return err
	}
	if e.JSON {
		return e.printed(stdout, stderr)
	}
	set, kappas, err := readWithKappas(e.Embeddings, e.Dataset, e.Split)
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, set)
	data := evaluated{set: set, kappas: kappas}
	if data.positives, err = e.judging.positivesOf(set, stderr); err != nil {
		return err
	}
	if data.fit, err = e.fittedOn(e.Embeddings, e.Dataset, e.Split); err != nil {
		return err
	}
	recall, err := adapter.BaselineOf(set)
	if err == nil { // otherwise evaluating fails as well, with a more specific error
		fmt.Fprintln(stdout, recall)
		data.baseline = &recall
	}
	jobs := e.jobs()
	if e.Checkpoint == "" {
		if err := errors.Join(e.posterior.check(e.Method.methods), e.ordering.check(e.Method.methods)); err != nil {
			return err
		}
	}
	if e.Checkpoint != "" && len(jobs) > 1 {
		return fmt.Errorf("--checkpoint names one adapter: omit the list of methods or seeds")
	}
	tellCard(stderr)
	var failed []error
	if data.untrained, err = baseline.EvaluateAt(set, int(e.Levels), e.scale()); err == nil {
		fmt.Fprintf(stdout, "\n%s\n", data.untrained)
		failed = append(failed, e.keepUntrained(data))
	}
	collected := newRowsOf(e.intervals)
	e.took = collected.with(e.took)
	for _, j := range jobs {
		if err := e.evaluate(data, j, stdout, stderr); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(append(failed, collected.write(stdout))...)
}

// evaluated is the data on which adapters are evaluated, with the measures that do not depend on an
// adapter.
type evaluated struct {
	set       *embedding.Set
	positives *retrieval.Positives // nil if each text has one image
	kappas    []float64            // true concentrations of the texts, nil if unknown
	baseline  *adapter.Baseline    // nil if it could not be measured
	fit       *embedding.Set       // on which confidences are calibrated, or nil
	untrained baseline.Rows        // the uncertainties without training; nil if they could not be measured
}

// evaluate evaluates one adapter and writes its result.
func (e Eval) evaluate(data evaluated, j job, stdout, stderr io.Writer) error {
	set, kappas := data.set, data.kappas
	trained, err := e.load(j)
	if err == nil {
		err = e.agree(trained, j)
	}
	if err != nil {
		return err
	}
	if e.posterior != (posterior{}) && (e.Checkpoint != "" || adapter.IsOnePass(trained.Method())) {
		if err := trained.SetPrediction(e.posterior.over(trained.Options().Posterior)); err != nil {
			return fmt.Errorf("%s: %w", j, err)
		}
	}
	if e.Ranking != "" && (e.Checkpoint != "" || readsRanking(trained.Method())) {
		if err := adapter.SetRanking(trained, e.Ranking); err != nil {
			return fmt.Errorf("%s: %w", j, err)
		}
	}
	report, err := trained.Evaluate(set, int(e.Levels))
	if err != nil {
		return fmt.Errorf("%s on %s: %w", j, set.Name, fewLevels(err))
	}
	j.method, j.seed = trained.Method(), trained.Options().Seed // those of the checkpoint
	fmt.Fprintf(stdout, "%s, %s%s\n\n%s\n", j, trained.Options().Label, predictionNote(trained.Options()), report)
	r, err := newResult(trained, set, report)
	if err != nil {
		return err
	}
	r.Baseline = data.baseline
	if r.Positives, err = measurePositives(trained, set, data.positives, stdout); err != nil {
		return fmt.Errorf("%s: %w", j, err)
	}
	if r.Calibration, err = e.calibrating.measure(trained, data.fit, set, report, stdout); err != nil {
		return fmt.Errorf("%s: %w", j, err)
	}
	warnBelow(data.baseline, recallOf(report), j.String(), stderr)
	warnSign(r, j.String(), stderr)
	if r.notImproved() {
		fmt.Fprintf(stderr, "warning: %s: nothing was learned: no measurement on the validation set was better than that before the first step\n", j)
	}
	if trained.TrainingChecksum() == r.Checksum {
		fmt.Fprintf(stderr, "%s was trained on these pairs: the result says nothing about other data\n", j)
	}
	if kappas != nil {
		r.KappaRank = kappaRank(report, kappas)
		if r.KappaRank != nil {
			fmt.Fprintf(stdout, "rank correlation of certainty and true concentration %.3f\n\n", *r.KappaRank)
		}
	}
	if err := errors.Join(e.drawing.reliability(trained, set, report, stdout), e.drawing.levels(trained, data, report, stdout)); err != nil {
		return fmt.Errorf("%s: %w", j, err)
	}
	path := resultFile(e.Results, e.Dataset, e.Split, j)
	if err := writeJSON(path, r); err != nil {
		return err
	}
	if e.took != nil {
		e.took(r)
	}
	fmt.Fprintln(stdout, path)
	return nil
}

// agree returns an error if --method or --seeds contradicts --checkpoint. A default value counts as
// not given.
func (e Eval) agree(trained *adapter.Adapter, j job) error {
	if e.Checkpoint == "" {
		return nil
	}
	own := trained.Options()
	switch {
	case j.method != own.Method && j.method != adapter.AsymVLMVonMisesFisher:
		return fmt.Errorf("--method %s: %s holds %s; leave --method out", j.method, e.Checkpoint, own.Method)
	case j.seed != own.Seed && j.seed != 0:
		return fmt.Errorf("--seeds %d: %s was trained with seed %d; omit --seeds", j.seed, e.Checkpoint, own.Seed)
	}
	return nil
}

// imported returns the method of a checkpoint of the reference implementation: that of the flag, or
// "" for the one that the file is named after.
func (e Eval) imported(j job) string {
	if j.method == adapter.AsymVLMVonMisesFisher { // the default
		return ""
	}
	return j.method
}

// load reads the checkpoint. Method clip needs none.
func (e Eval) load(j job) (*adapter.Adapter, error) {
	path := e.Checkpoint
	if path == "" {
		path = e.checkpoint(e.Dataset, j.method, j.seed)
	}
	if ext := filepath.Ext(path); ext == ".pt" || ext == ".pth" {
		return released.Import(path, e.imported(j))
	}
	trained, err := adapter.Load(path)
	if errors.Is(err, fs.ErrNotExist) && e.Checkpoint == "" {
		return nil, fmt.Errorf("no checkpoint %s; train it with: gosphere train --dataset %s --method %s --seeds %d%s",
			path, e.Dataset, j.method, j.seed, e.flags())
	}
	return trained, err
}
