package adapter

import (
	"context"
	"fmt"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
)

// CrossValidate trains and evaluates on a set that is too small to split once. For every fold of
// set.Folds, an adapter is trained on the other images with their captions and evaluated on the
// fold, whose images and captions form the gallery. The reports are pooled: recalls and recalls by
// level are means over the folds. The gallery is only one fold, so recalls are higher than on the
// whole set; compare them with those of CLIP on the same folds.
//
// No checkpoint is read or written. Every fold must hold at least as many queries as there are
// levels.
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
	var gains retrieval.HeldOutGains
	for fold := range folds {
		of := options
		of.HeldOut = false
		trained, err := Train(ctx, rest[fold], of)
		if err != nil {
			return nil, fmt.Errorf("adapter: fold %d of %d: %w", fold+1, folds, err)
		}
		if reports[fold], err = trained.Evaluate(part[fold], levels); err != nil {
			return nil, fmt.Errorf("adapter: fold %d of %d: %w", fold+1, folds, err)
		}
		if options.HeldOut { // the folds are held out anyway
			if err := addGains(&gains, trained, part[fold]); err != nil {
				return nil, fmt.Errorf("adapter: fold %d of %d: %w", fold+1, folds, err)
			}
		}
	}
	pooled, err := retrieval.Pool(reports)
	if err == nil && options.HeldOut {
		pooled.HeldOut = gains.HeldOut()
	}
	return pooled, err
}
