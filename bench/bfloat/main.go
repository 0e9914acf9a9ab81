// Command bfloat measures the effect of bfloat16 matrix products on training results. For each
// built-in data set it trains with both precisions over several seeds by the schedule of
// asymvlm/RESULTS.md, and prints recall, S and R² of both directions, and then the errors of matrix
// products relative to float64.
//
//	go run ./bench/bfloat -seeds 6
//
// Both trainings of a seed begin with the same weights and see the same batches. Evaluation is in
// float32 for both. A seed for which either training ends mirrored is excluded and reported.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/dataset"
	"gosphere/asymvlm/device"
)

func main() {
	var p plan
	names := flag.String("dataset", dataset.World+","+dataset.Scenes, "data sets to train on")
	methods := flag.String("method", adapter.AsymVLMVonMisesFisher+","+adapter.AsymVLMPowerSpherical, "methods to train")
	flag.IntVar(&p.epochs, "epochs", 0, "epochs of each training; 0 for the schedule's")
	flag.IntVar(&p.seeds, "seeds", 3, "seeds, from 0")
	flag.Parse()
	p.methods = strings.Split(*methods, ",")
	err := run(os.Stdout, strings.Split(*names, ","), p)
	if err == nil {
		err = distances(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bfloat:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, names []string, p plan) error {
	for _, name := range names {
		data, err := dataset.Open(name)
		if err != nil {
			return err
		}
		for _, method := range p.methods {
			if err := compare(w, data, method, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// A plan describes what to train. Numbers of 0 select those of the schedule.
type plan struct {
	methods                      []string
	epochs, seeds, hidden, batch int
}

// measures are the names of the measures of a training.
var measures = [...]string{"t2i R@1", "t2i S", "t2i R²", "i2t R@1", "i2t S", "i2t R²", "last loss"}

// compare trains with both precisions and prints means and standard deviations over the seeds, and
// those of the differences between the two trainings of a seed.
func compare(w io.Writer, data *dataset.Data, method string, p plan) error {
	fmt.Fprintf(w, "| %s, %s | %s |\n%s\n", method, data.Name, strings.Join(measures[:], " | "), strings.Repeat("|---", 1+len(measures))+"|")
	var rows [3][len(measures)][]float64
	mirrored := ""
	for seed := range p.seeds {
		var values [2][len(measures)]float64
		var err error
		for i, precision := range []device.Precision{device.Float32, device.BFloat16} {
			if values[i], err = p.train(data, method, uint64(seed), precision); err != nil {
				break
			}
		}
		if errors.Is(err, adapter.ErrMirrored) {
			mirrored += fmt.Sprintf(" %d", seed)
			continue
		}
		if err != nil {
			return err
		}
		for m, exact := range values[0] {
			brief := values[1][m]
			for i, value := range []float64{exact, brief, brief - exact} {
				rows[i][m] = append(rows[i][m], value)
			}
		}
	}
	for i, name := range []string{string(device.Float32), string(device.BFloat16), "difference, seed by seed"} {
		fmt.Fprintf(w, "| %s |", name)
		for _, values := range rows[i] {
			mean, deviation := spread(values)
			fmt.Fprintf(w, " %.4f ± %.4f |", mean, deviation)
		}
		fmt.Fprintln(w)
	}
	if mirrored != "" {
		fmt.Fprintf(w, "\nSeeds that ended mirrored:%s.\n", mirrored)
	}
	fmt.Fprintln(w)
	return nil
}

// train trains and evaluates once.
func (p plan) train(data *dataset.Data, method string, seed uint64, precision device.Precision) (values [len(measures)]float64, err error) {
	options, err := adapter.SmallOptions(method)
	if err != nil {
		return values, err
	}
	options.Epochs, options.Batch = cmp.Or(p.epochs, options.Epochs), cmp.Or(p.batch, options.Batch)
	if options.Reads("Hidden") {
		options.Hidden = cmp.Or(p.hidden, options.Hidden)
	}
	options.Seed, options.Precision = seed, precision
	trained, err := adapter.Train(context.Background(), data.Train, options)
	if err != nil {
		return values, err
	}
	report, err := trained.Evaluate(data.Test, 10)
	if err != nil {
		return values, err
	}
	t, i := report.TextToImage, report.ImageToText
	losses := trained.History().Loss
	return [...]float64{t.Recall1, t.S, t.R2, i.Recall1, i.S, i.R2, losses[len(losses)-1]}, nil
}

// spread returns the mean and the standard deviation of a sample.
func spread(values []float64) (mean, deviation float64) {
	for _, value := range values {
		mean += value / float64(len(values))
	}
	for _, value := range values {
		deviation += (value - mean) * (value - mean)
	}
	return mean, math.Sqrt(deviation / math.Max(1, float64(len(values)-1)))
}
