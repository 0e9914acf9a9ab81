package laboratory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/baseline"
	"gosphere/asymvlm/embedding"
	"gosphere/internal/command/process"
)

// Crossval is the subcommand that cross-validates on a data set too small to split in two.
type Crossval struct {
	selection
	sources
	recipe
	Split  string     `help:"Split to divide into folds (default: val, or test for built-in data)."`
	Folds  atLeastTwo `help:"Number of folds, over images." default:"5"`
	Levels atLeastTwo `help:"Number of uncertainty levels in each fold." name:"uncer_levels" default:"10"`
	untrainedScale
	Results string `help:"Folder for results, written to <data>/<seed>/<method>.folds.json." default:"results" type:"path"`

	process.Compute
}

// Run cross-validates, prints the pooled reports and writes the results.
func (c Crossval) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return c.run(ctx, os.Stdout, os.Stderr)
}

func (c Crossval) run(ctx context.Context, stdout, stderr io.Writer) error {
	set, err := readDataset(c.Embeddings, c.Dataset, c.Split)
	if err != nil {
		return err
	}
	if err := c.recipe.check(c.Method.methods); err != nil {
		return err
	}
	c.recipe.pairs = fewestPairs(set, int(c.Folds))
	jobs := c.jobs()
	for _, j := range jobs { // invalid flags are reported before hours of work
		options, err := c.recipe.options(c.Dataset, j)
		if err == nil {
			err = options.Check()
		}
		if err != nil {
			return err
		}
	}
	for _, j := range jobs { // and so are results that cannot be written
		if err := process.Storable(resultFile(c.Results, c.Dataset, foldsName, j)); err != nil {
			return err
		}
	}
	tellCard(stderr)
	fmt.Fprintf(stdout, "%s, %d folds over images\n", set, c.Folds)
	recall, err := adapter.BaselineOfFolds(set, int(c.Folds), int(c.Levels))
	if err != nil {
		return fewLevels(err)
	}
	untrained, err := baseline.EvaluateFoldsAt(set, int(c.Folds), int(c.Levels), c.scale())
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%v\n\n%v\n", recall, untrained)
	data := evaluated{set: set, baseline: &recall, untrained: untrained}
	if err := c.keepUntrained(data); err != nil {
		return err
	}
	var failed []error
	for _, j := range jobs {
		if err := c.validate(ctx, data, j, streams{stdout, stderr}); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", j, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failed...)
}

// validate cross-validates one method with one seed.
func (c Crossval) validate(ctx context.Context, data evaluated, j job, to streams) error {
	set, stdout, stderr := data.set, to.stdout, to.stderr
	options, err := c.recipe.options(c.Dataset, j)
	if err != nil {
		return err
	}
	options.Progress = progressOn(stderr, j.label)
	report, err := adapter.CrossValidate(ctx, set, options, int(c.Folds), int(c.Levels))
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s, %s%s\n\n%s\n", j, options.Label, predictionNote(options), report)
	r, err := measured(set, options, report)
	if err != nil {
		return err
	}
	r.Folds, r.Baseline = int(c.Folds), data.baseline
	r.T2I.Groups = foldGroups(set, int(c.Folds))
	warnBelow(data.baseline, recallOf(report), j.String(), stderr)
	warnSign(r, j.String(), stderr)
	path := resultFile(c.Results, c.Dataset, foldsName, j)
	if err := writeJSON(path, r); err != nil {
		return err
	}
	fmt.Fprintln(stdout, path)
	return nil
}

// fewestPairs returns the number of pairs in the smallest training set of a cross-validation, with
// the parts of embedding.Set.Folds.
func fewestPairs(set *embedding.Set, folds int) int {
	left := make([]int, folds) // pairs in each part
	for _, image := range set.CaptionImages {
		left[image%folds]++
	}
	return len(set.CaptionImages) - slices.Max(left)
}

// foldGroups returns the image of each caption in the order of pooled reports: fold by fold, with
// the parts of embedding.Set.Folds.
func foldGroups(set *embedding.Set, folds int) places {
	var groups places
	for fold := range folds {
		for _, image := range set.CaptionImages {
			if image%folds == fold {
				groups = append(groups, image)
			}
		}
	}
	return groups
}

// foldsName replaces the split in the names of results.
const foldsName = "folds"
