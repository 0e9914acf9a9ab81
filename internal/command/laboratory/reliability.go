package laboratory

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/calibration"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
	"gosphere/internal/userfile"
	"gosphere/plotting/figure"
)

// drawing is the flag by which eval draws figures.
type drawing struct {
	Figures string `help:"Folder for two figures of each adapter, <data>/<split>/<seed>/<method>-reliability.png and -levels.png below it: how often answers of some confidence are right, and Recall@1 by level of uncertainty beside the best uncertainty without training." type:"path" placeholder:"FOLDER"`
}

// reliabilityIntervals is the number of intervals of confidence.
const reliabilityIntervals = 10

// reliability draws the diagram of an adapter and says where it is; without the flag it does
// nothing.
func (d drawing) reliability(a *adapter.Adapter, set *embedding.Set, report *retrieval.Report, stdout io.Writer) error {
	if d.Figures == "" {
		return nil
	}
	texts, images, err := adapter.ConfidencesOf(a, set)
	if err != nil {
		return err
	}
	var list []figure.Calibration
	for _, of := range []struct {
		name       string
		hits       []bool
		confidence []float64
	}{{"text to image", report.TextToImage.Hits, texts}, {"image to text", report.ImageToText.Hits, images}} {
		r, err := calibration.NewReliability(of.hits, of.confidence, reliabilityIntervals)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s: expected calibration error %s\n", of.name, retrieval.Decimal(r.ECE, 3))
		list = append(list, figure.Calibration{Name: of.name, Confidence: r.Confidence, Accuracy: r.Accuracy, Count: r.Count})
	}
	f := figure.Reliability(list...)
	f.Title = fmt.Sprintf("%s, seed %d, on %s", a.Method(), a.Options().Seed, set.Name)
	picture, err := f.PNG()
	if err != nil {
		return err
	}
	return d.store(a, set, "reliability", picture, stdout)
}

// store writes a figure of an adapter and says where it is.
func (d drawing) store(a *adapter.Adapter, set *embedding.Set, name string, picture []byte, stdout io.Writer) error {
	path := filepath.Join(d.Figures, filepath.FromSlash(set.Name), strconv.FormatUint(a.Options().Seed, 10), a.Method()+"-"+name+".png")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := userfile.Write(path, picture); err != nil {
		return err
	}
	_, err := fmt.Fprintln(stdout, path)
	return err
}

// levels draws Recall@1 by level of uncertainty in both directions, beside the best uncertainty
// without training; without the flag it does nothing.
func (d drawing) levels(a *adapter.Adapter, data evaluated, report *retrieval.Report, stdout io.Writer) error {
	if d.Figures == "" {
		return nil
	}
	series := []figure.Series{{Name: "text to image", Values: report.TextToImage.Levels}, {Name: "image to text", Values: report.ImageToText.Levels}}
	if len(data.untrained) > 0 {
		texts, images := data.untrained.TextToImage(), data.untrained.ImageToText()
		series = append(series, figure.Series{Name: string(texts.Method) + ", untrained, text to image", Values: texts.Report.TextToImage.Levels},
			figure.Series{Name: string(images.Method) + ", untrained, image to text", Values: images.Report.ImageToText.Levels})
	}
	f := figure.RecallByLevel(series...)
	f.Title = fmt.Sprintf("%s, seed %d, on %s", a.Method(), a.Options().Seed, data.set.Name)
	f.Note = "the best order without training, by AURC, sorts the answers of the raw embeddings"
	picture, err := f.PNG()
	if err != nil {
		return err
	}
	return d.store(a, data.set, "levels", picture, stdout)
}

// calibrating is the flag by which eval measures calibration.
type calibrating struct {
	Calibrate string `help:"Split on which factors on the scores are fitted, such as val, another one than the split for evaluation. Prints the expected calibration error in 15 intervals before and after." placeholder:"SPLIT"`
}

// errorIntervals is the number of intervals of confidence of calibration errors.
const errorIntervals = 15

// A calibrated is the expected calibration error of one direction before and after a factor on the
// scores was fitted on another split.
type calibrated struct {
	Before      float64 `json:"ece_before"`
	After       float64 `json:"ece_after"`
	ScaleBefore float64 `json:"scale_before"`
	ScaleAfter  float64 `json:"scale_after"`
}

// A calibrationResult holds both directions and the split of the fit.
type calibrationResult struct {
	Split string     `json:"fitted_on"`
	T2I   calibrated `json:"t2i"`
	I2T   calibrated `json:"i2t"`
}

// fittedOn reads the split for the fit; nil without the flag.
func (c calibrating) fittedOn(embeddings, dataset, split string) (*embedding.Set, error) {
	if split == "" {
		split = evaluationSplit(dataset)
	}
	switch c.Calibrate {
	case "":
		return nil, nil
	case split:
		return nil, fmt.Errorf("--calibrate %s is the split that is evaluated: name another one", split)
	}
	return readDataset(embeddings, dataset, c.Calibrate)
}

// measure fits the factors of an adapter and measures its calibration on a set; nil without a
// split.
func (c calibrating) measure(a *adapter.Adapter, fit, set *embedding.Set, report *retrieval.Report, stdout io.Writer) (*calibrationResult, error) {
	if fit == nil {
		return nil, nil
	}
	first, err := adapter.ConfidenceScaleOf(a)
	if err != nil {
		return nil, err
	}
	texts, images, err := adapter.FitConfidenceScales(a, fit)
	if err != nil {
		return nil, err
	}
	r := &calibrationResult{Split: c.Calibrate, T2I: calibrated{ScaleBefore: first, ScaleAfter: texts}, I2T: calibrated{ScaleBefore: first, ScaleAfter: images}}
	for _, state := range []struct {
		texts, images float64
		t2i, i2t      *float64
	}{{first, first, &r.T2I.Before, &r.I2T.Before}, {texts, images, &r.T2I.After, &r.I2T.After}} {
		ofTexts, ofImages, err := adapter.ConfidencesAt(a, set, state.texts, state.images)
		if err != nil {
			return nil, err
		}
		if *state.t2i, err = calibrationError(report.TextToImage.Hits, ofTexts); err != nil {
			return nil, err
		}
		if *state.i2t, err = calibrationError(report.ImageToText.Hits, ofImages); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(stdout, "expected calibration error: text to image %s\nexpected calibration error: image to text %s\n\n", r.T2I.describe(r.Split), r.I2T.describe(r.Split))
	return r, nil
}

// describe returns the errors and the factors in one line.
func (d calibrated) describe(split string) string {
	return fmt.Sprintf("%s at the factor %.4g, %s at %.4g, fitted on %s", retrieval.Decimal(d.Before, 3), d.ScaleBefore, retrieval.Decimal(d.After, 3), d.ScaleAfter, split)
}

// calibrationError returns the expected calibration error.
func calibrationError(hits []bool, confidence []float64) (float64, error) {
	r, err := calibration.NewReliability(hits, confidence, errorIntervals)
	if err != nil {
		return 0, err
	}
	return r.ECE, nil
}
