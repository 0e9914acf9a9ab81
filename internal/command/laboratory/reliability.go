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
	"gosphere/internal/command/process"
	"gosphere/plotting/figure"
)

// drawing is the flag by which eval draws figures.
type drawing struct {
	Figures string `help:"Folder for a reliability diagram of each adapter, <data>/<seed>/<method>-reliability.png below it: how often answers of some confidence are right." type:"path" placeholder:"FOLDER"`
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
	path := filepath.Join(d.Figures, filepath.FromSlash(set.Name), strconv.FormatUint(a.Options().Seed, 10), a.Method()+"-reliability.png")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := process.WriteWhole(path, picture); err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, path)
	return err
}
