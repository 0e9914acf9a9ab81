package adapter

import (
	"context"
	"fmt"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
)

// CrossValidate trains and evaluates on a set that is too small to be cut in two: for every part of set.Folds an
// adapter is trained on the other images with their captions and evaluated on the part, whose images and captions are
// the gallery. The reports of the parts are pooled: recalls and recalls by level are means over the parts. A gallery
// is a part only, so recalls are higher than on the whole set; compare with those of CLIP by the same folds.
//
// No checkpoint is read or written. Every part must hold as many queries as there are levels.
func CrossValidate(ctx context.Context, set *embedding.Set, options Options, folds, levels int) (*retrieval.Report, error) {
	if options.Checkpoint != "" || options.Resume {
		return nil, fmt.Errorf("adapter: cross-validation trains %d adapters and writes no checkpoint %s", folds, options.Checkpoint)
	}
	if options.Validation != nil {
		return nil, fmt.Errorf("adapter: cross-validation measures every fold on its own part and takes no validation set")
	}
	rest, part, err := set.Folds(folds)
	if err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	reports := make([]*retrieval.Report, folds)
	for fold := range folds {
		trained, err := Train(ctx, rest[fold], options)
		if err != nil {
			return nil, fmt.Errorf("adapter: fold %d of %d: %w", fold+1, folds, err)
		}
		if reports[fold], err = trained.Evaluate(part[fold], levels); err != nil {
			return nil, fmt.Errorf("adapter: fold %d of %d: %w", fold+1, folds, err)
		}
	}
	return retrieval.Pool(reports)
}
