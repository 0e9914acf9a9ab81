package laboratory

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
	"gosphere/internal/command/process"
)

// validating holds the flags for measurements during a training and for its curves.
type validating struct {
	Validation    string            `help:"Validation set: another split, or a share of the training images such as 0.2, which is then held out. The weights of the best measurement are kept." placeholder:"SPLIT|SHARE"`
	ValidateEvery process.Positive  `help:"With --validation: epochs between measurements (default: 1)." placeholder:"N"`
	Patience      process.Positive  `help:"With --validation: number of measurements without improvement after which the training stops (default: never)." placeholder:"N"`
	BestBy        adapter.Criterion `help:"With --validation: criterion for the best weights: aurc (area under the risk-coverage curve), recall (Recall@1), minus-s-r2 (−S·R²), or both for the sum of the last two (default: aurc). Criteria that cannot see what a method learns are refused." enum:",aurc,recall,minus-s-r2,both" default:""`
	Curves        bool              `help:"Write the curves of each training next to its checkpoint, as <method>.jsonl with a line of JSON per epoch."`
	Tensorboard   string            `help:"Folder for the curves as TensorBoard event files, written to <data>/<seed>/<method>." type:"path" placeholder:"FOLDER"`

	set *embedding.Set `kong:"-"` // nil without --validation
}

// check returns an error for flags that require another flag, or that no method of a list reads.
func (v validating) check(methods []string) error {
	if v.Validation == "" && (v.ValidateEvery != 0 || v.Patience != 0 || v.BestBy != "") {
		return fmt.Errorf("--validate-every, --patience and --best-by require --validation, which names the split or the share of images to measure")
	}
	descends := func(method string) bool {
		o, err := adapter.PaperOptions(method)
		return err == nil && o.Reads("Validation")
	}
	if (v.Validation != "" || v.Curves || v.Tensorboard != "") && !slices.ContainsFunc(methods, descends) {
		return fmt.Errorf("--validation, --curves and --tensorboard apply to methods that minimize a loss, not to %s: omit them", strings.Join(methods, ", "))
	}
	return nil
}

// divide reads the validation split, or removes its share from the training images, and returns the
// remaining training set.
func (v *validating) divide(t Train, set *embedding.Set) (*embedding.Set, error) {
	share, err := strconv.ParseFloat(v.Validation, 64)
	switch {
	case v.Validation == "":
		return set, nil
	case err == nil && !(share > 0 && share < 1):
		return nil, fmt.Errorf("--validation %s: want a share of the training images above 0 and below 1, or the name of a split", v.Validation)
	case err == nil:
		return v.holdOut(set, share)
	case v.Validation == t.Split:
		return nil, fmt.Errorf("--validation %s is the training split: name another one, or a share of its images such as 0.2", t.Split)
	case isBuiltIn(t.Dataset) && t.Split == "train" && (v.Validation == "fit" || v.Validation == "val"):
		return nil, fmt.Errorf("--validation %s is a part of train: train on the other part, as in --split fit --validation val", v.Validation)
	}
	v.set, err = readDataset(t.Embeddings, t.Dataset, v.Validation)
	return set, err
}

// holdOut removes a share of the images from a set, evenly spaced.
func (v *validating) holdOut(set *embedding.Set, share float64) (rest *embedding.Set, err error) {
	var kept, held []int
	for image := range set.Images.Rows {
		if int(float64(image+1)*share) > int(float64(image)*share) {
			held = append(held, image)
		} else {
			kept = append(kept, image)
		}
	}
	if levels := adapter.NewValidation(nil).Levels; len(held) < levels || len(kept) < 1 {
		return nil, fmt.Errorf("--validation %g of %d images holds out %d and leaves %d: want at least %d, the number of levels of uncertainty, and 1",
			share, set.Images.Rows, len(held), len(kept), levels)
	}
	if v.set, err = set.SelectImages(held); err != nil {
		return nil, err
	}
	v.set.Name = set.Name + ", " + v.Validation + " of its images"
	rest, err = set.SelectImages(kept)
	if err == nil {
		rest.Name = set.Name
	}
	return rest, err
}

// note warns if the choice of weights makes a later evaluation on the same pairs too optimistic. It
// returns "" if it does not.
func (v validating) note(dataset string) string {
	if v.set == nil || v.Validation != evaluationSplit(dataset) {
		return ""
	}
	return fmt.Sprintf("weights are chosen on %s, the evaluation split: its results will be too optimistic; --validation 0.2 holds out training images instead", v.Validation)
}

// over adds the flags to the options of one training.
func (v validating) over(options *adapter.Options, events string) {
	if !options.Reads("Validation") {
		return
	}
	if v.set != nil {
		options.Validation = adapter.NewValidation(v.set)
		if v.ValidateEvery != 0 {
			options.Validation.Every = int(v.ValidateEvery)
		}
		if v.BestBy != "" {
			options.Validation.By = v.BestBy
		}
		options.Validation.Patience = int(v.Patience)
	}
	if v.Curves {
		options.Curves = strings.TrimSuffix(options.Checkpoint, filepath.Ext(options.Checkpoint)) + ".jsonl"
	}
	if v.Tensorboard != "" {
		options.Events = filepath.Join(v.Tensorboard, events)
	}
}

// bestLine describes the weights that a training kept. It returns "" without a validation set.
func bestLine(trained *adapter.Adapter) string {
	kept, ok := trained.Best()
	if !ok {
		return ""
	}
	measured := trained.Measurements()
	line := fmt.Sprintf("%s is the best of %d measurements by %s\n", kept, len(measured), trained.Options().Validation.By)
	if h := trained.History(); h.Steps() < adapter.StepsOf(trained) {
		line += fmt.Sprintf("stopped after epoch %d of %d: no improvement in %d measurements\n", h.Steps()/h.StepsPerEpoch, trained.Options().Epochs, trained.Options().Validation.Patience)
	}
	return line
}
