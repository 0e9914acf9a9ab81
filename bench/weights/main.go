// Command weights trains every method for a few steps on the CPU and prints a checksum of its
// weights, optimizer state, scores and uncertainties. Two versions of the program whose lines are
// equal on one machine compute the same bytes:
//
//	go run ./bench/weights > before; …; go run ./bench/weights | diff before -
package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
	"gosphere/asymvlm/world"
)

func main() {
	log.SetFlags(0)
	train, test, err := world.New(world.Options{Scenes: 40, TestScenes: 20, Dimension: 16, Seed: 3})
	if err != nil {
		log.Fatal(err)
	}
	for _, method := range adapter.Methods() {
		for _, v := range variants {
			options, err := adapter.SmallOptions(method)
			if err != nil {
				log.Fatal(err)
			}
			if options.Reads("Epochs") {
				options.Epochs, options.Batch = 2, 48 // the last batch of an epoch is shorter
			}
			if options.Reads("Hidden") {
				options.Hidden = 24
			}
			if options.Seed = 5; v.change != nil {
				v.change(&options)
			}
			fmt.Println(method, v.name, checksum(&train.Set, &test.Set, options))
		}
	}
}

// variants are changes of options. A method that refuses one prints the error.
var variants = []struct {
	name   string
	change func(o *adapter.Options)
}{
	{"default", nil},
	{"adamp", func(o *adapter.Options) { o.Optimizer = nn.AdamP }},
	{"masked", func(o *adapter.Options) { o.MaskSameImage = true }},
	{"fixed", func(o *adapter.Options) { o.FirstTemperature, o.FixedTemperature = 3, true }},
	{"logarithm", func(o *adapter.Options) { o.LogTemperature = true }},
	{"scaled", func(o *adapter.Options) { o.ScaledStart = true }},
	{"pairs", func(o *adapter.Options) {
		o.Pairs = &nn.PairWeights{Bottleneck: 1e-3, Inclusion: 0.2, Eps: -1, Sharpness: 5}
	}},
}

// checksum trains and returns the first digits of a SHA-256, or the error.
func checksum(train, test *embedding.Set, options adapter.Options) string {
	dir, err := os.MkdirTemp("", "weights-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	options.Checkpoint = filepath.Join(dir, "adapter.safetensors")
	options.Progress = adapter.Watch(func(adapter.Update) error { return nil })
	trained, err := adapter.Train(context.Background(), train, options)
	if err != nil {
		return err.Error()
	}
	sum := sha256.New()
	if stored, err := os.ReadFile(options.Checkpoint); err == nil {
		sum.Write(stored)
	}
	report, err := trained.Evaluate(test, 5)
	if err != nil {
		return err.Error()
	}
	fmt.Fprintf(sum, "%+v", *report)
	uncertainties, err := trained.Uncertainty(test.Texts)
	for _, u := range uncertainties {
		_ = binary.Write(sum, binary.LittleEndian, math.Float64bits(u))
	}
	return fmt.Sprintf("%x %v", sum.Sum(nil)[:12], err)
}
