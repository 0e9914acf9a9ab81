// Command bfloat tells what products with factors in bfloat16 would do to results: it trains on the built-in data with
// products of float32 and with both factors of every product rounded to 8 bits, as the instructions of AVX512_BF16 take
// them, and prints recall, S and R² of both directions over some seeds. The sums stay in float32, as theirs do.
//
//	go run ./bench/bfloat -epochs 15 -seeds 3
//
// With -kernels it measures instead what a kernel with those instructions does beside that of float32.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
)

func main() {
	p := plan{method: adapter.AsymVLMVonMisesFisher, hidden: 512, batch: 512}
	flag.StringVar(&p.method, "method", p.method, "method to train")
	flag.IntVar(&p.epochs, "epochs", 15, "epochs of each training")
	flag.IntVar(&p.seeds, "seeds", 3, "seeds, from 0")
	kernels := flag.Bool("kernels", false, "measure the speed of a kernel")
	flag.Parse()
	if *kernels {
		if err := measureKernels(os.Stdout, 25); err != nil {
			fmt.Fprintln(os.Stderr, "bfloat:", err)
			os.Exit(1)
		}
		return
	}
	train, test, err := embedding.Scenes()
	if err == nil {
		err = compare(os.Stdout, [2]*embedding.Set{train, test}, p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bfloat:", err)
		os.Exit(1)
	}
}

// A plan is what to train.
type plan struct {
	method                       string
	hidden, batch, epochs, seeds int
}

// names are the measures of a training.
var names = []string{"t2i R@1", "t2i S", "t2i R²", "i2t R@1", "i2t S", "i2t R²", "last loss"}

// compare trains with both kinds of products and prints means and standard deviations over the seeds.
func compare(w io.Writer, sets [2]*embedding.Set, p plan) error {
	cpu := device.NewCPU(0)
	defer cpu.Close()
	exact, rounding := device.NewCPU(0), rounder{}
	defer exact.Close()
	device.OfferCUDA(func() (device.Device, error) { return cpu, nil })
	defer device.OfferCUDA(nil)
	fmt.Fprintf(w, "%s, %d epochs, batch %d, hidden %d, seeds 0 to %d: mean ± standard deviation\n\n| products |", p.method, p.epochs, p.batch,
		p.hidden, p.seeds-1)
	for _, name := range names {
		fmt.Fprintf(w, " %s |", name)
	}
	fmt.Fprint(w, "\n|---|---|---|---|---|---|---|---|\n")
	for _, kind := range []string{"float32", "bfloat16 factors"} {
		if kind != "float32" {
			cpu.GiveProducts("rounded to bfloat16", 0, func(f device.ForeignProduct) { rounding.multiply(exact, f) })
		}
		measured := make([][]float64, len(names))
		for seed := range p.seeds {
			values, err := p.run(sets, uint64(seed))
			if err != nil {
				return err
			}
			for i, value := range values {
				measured[i] = append(measured[i], value)
			}
		}
		fmt.Fprintf(w, "| %s |", kind)
		for _, values := range measured {
			mean, deviation := spread(values)
			fmt.Fprintf(w, " %.5f ± %.5f |", mean, deviation)
		}
		fmt.Fprintln(w)
	}
	return nil
}

// run trains and evaluates once on the device that was offered.
func (p plan) run(sets [2]*embedding.Set, seed uint64) ([]float64, error) {
	if err := device.Use(device.NameCUDA); err != nil {
		return nil, err
	}
	options, err := adapter.PaperOptions(p.method)
	if err != nil {
		return nil, err
	}
	options.Epochs, options.Batch, options.Hidden, options.LearningRate, options.Seed = p.epochs, p.batch, p.hidden, 0.1, seed
	trained, err := adapter.Train(context.Background(), sets[0], options)
	if err != nil {
		return nil, err
	}
	report, err := trained.Evaluate(sets[1], 10)
	if err != nil {
		return nil, err
	}
	t, i := report.TextToImage, report.ImageToText
	losses := trained.History().Loss
	return []float64{t.Recall1, t.S, t.R2, i.Recall1, i.S, i.R2, losses[len(losses)-1]}, nil
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

// A rounder multiplies rounded factors, and keeps their memory.
type rounder struct{ a, b []float32 }

func (r *rounder) multiply(cpu *device.CPU, f device.ForeignProduct) {
	a, b := f.A, f.B
	r.a, r.b = rounded(r.a, a.Values[:a.Rows*a.Columns]), rounded(r.b, b.Values[:b.Rows*b.Columns])
	a.Values, b.Values = r.a, r.b
	switch {
	case f.LeftTransposed:
		cpu.ProductLeftTransposed(f.Dst, a, b)
	case f.RightTransposed:
		cpu.ProductRightTransposed(f.Dst, a, b)
	default:
		cpu.Product(f.Dst, a, b)
	}
}

// rounded returns values with their lower 16 bits rounded away, to the nearest and of two to the even one. dst is used where
// it is large enough.
func rounded(dst, values []float32) []float32 {
	dst = append(dst[:0], values...)
	for i, value := range dst {
		bits := math.Float32bits(value)
		if value-value == 0 { // neither infinite nor NaN
			bits += 0x7fff + bits>>16&1
		}
		dst[i] = math.Float32frombits(bits &^ 0xffff)
	}
	return dst
}
