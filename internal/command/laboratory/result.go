package laboratory

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"path/filepath"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
	"gosphere/internal/command/process"
	"gosphere/internal/userfile"
)

// A result is the content of a result file: the measures, and everything needed to reproduce them.
// It contains no times, so that equal runs write equal files.
type result struct {
	Program  string    `json:"program"`
	Device   string    `json:"device"`
	NoCard   string    `json:"gpu_fallback_reason,omitempty"` // why the device auto did not use a GPU
	Dataset  string    `json:"dataset"`
	Checksum string    `json:"dataset_sha256"`
	Images   int       `json:"images"`
	Texts    int       `json:"texts"`
	Method   string    `json:"method"`
	Seed     uint64    `json:"seed"`
	Training training  `json:"training"`
	T2I      direction `json:"t2i"`
	I2T      direction `json:"i2t"`
	// Positives holds the measures by all positives of a query, if some have several.
	Positives *judgedMeasures `json:"positives,omitempty"`
	// KappaRank is Spearman's correlation between the certainty of the texts as queries and their
	// true concentrations, for data with known concentrations.
	KappaRank *float64 `json:"kappa_rank_correlation,omitempty"`
	Folds     int      `json:"folds,omitempty"` // for a cross-validation
	// Validation is the measurement whose weights were kept. It is nil for trainings without a
	// validation set.
	Validation *chosen `json:"validation,omitempty"`
	// Calibration is the expected calibration error before and after a fit on another split, nil if
	// it was not measured.
	Calibration *calibrationResult `json:"calibration,omitempty"`
	// HeldOut is the gain of learned concentrations over a constant on held-out images, nil if the
	// training did not measure it.
	HeldOut *retrieval.HeldOut `json:"held_out,omitempty"`
	// Baseline is the recall without training on the same data. It is nil in results of earlier
	// versions.
	Baseline *adapter.Baseline `json:"without_training,omitempty"`
}

type training struct {
	Schedule     string  `json:"schedule"`
	Epochs       int     `json:"epochs"`
	Batch        int     `json:"batch"`
	LearningRate float64 `json:"learning_rate"`
	Steps        int     `json:"steps"`
	Temperature  float64 `json:"temperature"`
	Mask         bool    `json:"mask_same_image,omitempty"`
	Precision    string  `json:"precision"`
	Checksum     string  `json:"dataset_sha256"`
}

type direction struct {
	Recall1         float64    `json:"recall_1"`
	Recall5         float64    `json:"recall_5"`
	Recall10        float64    `json:"recall_10"`
	Levels          []float64  `json:"recall_by_level"`
	MeanUncertainty []*float64 `json:"mean_uncertainty_by_level"` // null if infinite
	Average         float64    `json:"average"`
	S               *float64   `json:"s"` // null if all levels have the same recall
	R2              *float64   `json:"r2"`
	MinusSR2        *float64   `json:"minus_s_r2"`
	AURC            *float64   `json:"aurc"` // null in results of earlier versions
	EAURC           *float64   `json:"e_aurc"`
	outcomes
}

// notImproved reports whether the training kept the weights of its start, because no measurement on
// the validation set was better.
func (r result) notImproved() bool { return r.Validation != nil && r.Validation.Epoch == 0 }

func newResult(a *adapter.Adapter, set *embedding.Set, report *retrieval.Report) (result, error) {
	r, err := measured(set, a.Options(), report)
	if err != nil {
		return r, err
	}
	r.Training.Steps, r.Training.Temperature, r.Training.Checksum = a.History().Steps(), a.Temperature(), a.TrainingChecksum()
	if best, ok := a.Best(); ok {
		by := a.Options().Validation.By
		r.Validation = &chosen{best.Epoch, string(by), best.Score(by), best.TextToImage.Recall1, best.ImageToText.Recall1}
	}
	return r, nil
}

// measured returns a result without the fields that only the adapter knows.
func measured(set *embedding.Set, o adapter.Options, report *retrieval.Report) (result, error) {
	checksum, err := adapter.ChecksumOf(set)
	return result{
		Program: process.Banner(), Device: device.Shared().Name(), NoCard: device.GPUFallbackReason(),
		Dataset: set.Name, Checksum: checksum, Images: set.Images.Rows, Texts: set.Texts.Rows,
		Method: o.Method, Seed: o.Seed,
		Training: training{Schedule: o.Label + predictionNote(o), Epochs: o.Epochs, Batch: o.Batch, LearningRate: o.LearningRate, Mask: o.MaskSameImage,
			Precision: string(cmp.Or(o.Precision, device.Float32))},
		HeldOut: report.HeldOut,
		T2I:     newDirection(report.TextToImage, set.CaptionImages), I2T: newDirection(report.ImageToText, nil),
	}, err
}

// newDirection returns the measures of a direction whose queries are in groups; nil means that each
// query is its own group.
func newDirection(d retrieval.Direction, groups []int) direction {
	means := make([]*float64, len(d.MeanUncertainty))
	for i, u := range d.MeanUncertainty {
		means[i] = finite(u)
	}
	return direction{d.Recall1, d.Recall5, d.Recall10, d.Levels, means, d.Average,
		finite(d.S), finite(d.R2), finite(d.MinusSR2), finite(d.AURC), finite(d.EAURC), newOutcomes(d, groups)}
}

// kappaRank returns the rank correlation between the certainty of the texts as queries and their
// true concentrations. It is 1 if the least uncertain text is the most concentrated one, and so on.
func kappaRank(report *retrieval.Report, kappas []float64) *float64 {
	certainty := make([]float64, len(kappas))
	for text, u := range report.TextToImage.Uncertainty {
		certainty[text] = -u
	}
	return finite(retrieval.Spearman(certainty, kappas))
}

// finite returns nil for values that JSON cannot represent.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// orNaN returns NaN for nil.
func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// writeJSON writes a file atomically.
func writeJSON(path string, value any) (err error) {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return userfile.Write(path, append(text, '\n'))
}
