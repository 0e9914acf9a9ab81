// Command large creates a set of ten million float16 embeddings on disk, trains and evaluates an
// adapter with the rows left in their files, and prints the memory used and the speed relative to a
// set in memory:
//
//	go run ./bench/large -folder /tmp
//
// The folder needs 2.6 GB, which are removed at the end. The set has one file of images and ten
// files of texts. The set in memory has some of the same rows, as float32. Both trainings make
// steps of the same size and alternate after a few steps.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
)

// sizes are the sizes of the set.
type sizes struct {
	texts, images, columns, files int
	steps                         int // of each measurement
	rounds                        int
}

func main() {
	var s sizes
	folder := flag.String("folder", os.TempDir(), "folder for the files")
	flag.IntVar(&s.texts, "texts", 10_000_000, "number of texts")
	flag.IntVar(&s.images, "images", 1000, "number of images")
	flag.IntVar(&s.columns, "columns", 128, "numbers in a row")
	flag.IntVar(&s.files, "files", 10, "files of texts")
	flag.IntVar(&s.steps, "steps", 100, "training steps of each measurement")
	flag.IntVar(&s.rounds, "rounds", 5, "measurements of training; 0 only evaluates")
	keep := flag.Bool("keep", false, "write the set, print its folder and exit")
	set := flag.String("set", "", "folder of a set that -keep wrote, which is not removed")
	flag.Parse()
	if err := run(*folder, *set, *keep, s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run writes a set, unless dir names one, and measures it.
func run(folder, dir string, keep bool, s sizes) error {
	if dir == "" {
		temporary, err := os.MkdirTemp(folder, "large-*")
		if err != nil {
			return err
		}
		dir = filepath.Join(temporary, "large", "train")
		if !keep {
			defer os.RemoveAll(temporary)
		}
		started := time.Now()
		if err := write(dir, s); err != nil {
			return err
		}
		fmt.Printf("%d texts and %d images of %d float16 numbers in %d files, written in %.0f s\n", s.texts, s.images, s.columns, s.files+1, time.Since(started).Seconds())
	}
	if keep {
		fmt.Println(dir)
		return nil
	}
	return measure(dir, s)
}

// measure opens, trains on and evaluates a set.
func measure(dir string, s sizes) error {
	started := time.Now()
	set, err := embedding.OpenSet(dir, 0)
	if err != nil {
		return err
	}
	show("opened and checked", started, int64(s.texts))
	if s.rounds > 0 {
		if err := train(set, s); err != nil {
			return err
		}
	}
	options, err := adapter.PaperOptions(adapter.CLIP)
	if err != nil {
		return err
	}
	clip, err := adapter.Train(context.Background(), set, options)
	if err != nil {
		return err
	}
	started = time.Now()
	report, err := clip.Evaluate(set, 10)
	if err != nil {
		return err
	}
	show("evaluated", started, int64(s.texts))
	fmt.Print(report)
	return nil
}

// write writes the files of a data set with random embeddings.
func write(dir string, s sizes) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 2))
	images, table := embedding.NewMatrix(s.images, s.columns), make([]int64, 0, s.texts)
	for i := range images.Values {
		images.Values[i] = float32(random.NormFloat64())
	}
	array, err := images.Float16()
	if err != nil {
		return err
	}
	if err := embedding.WriteNPY(filepath.Join(dir, "image.npy"), array); err != nil {
		return err
	}
	for file := range s.files {
		rows := (file+1)*s.texts/s.files - len(table)
		texts := &embedding.Array{Type: "F16", Shape: []int{rows, s.columns}, Data: make([]byte, 2*rows*s.columns)}
		row := embedding.NewMatrix(1, s.columns)
		for i := range rows {
			image := random.IntN(s.images)
			for j, value := range images.Row(image) {
				row.Values[j] = value + 2*random.Float32() - 1
			}
			half, err := row.Float16()
			if err != nil {
				return err
			}
			copy(texts.Data[2*i*s.columns:], half.Data)
			table = append(table, int64(image))
		}
		if err := embedding.WriteNPY(filepath.Join(dir, fmt.Sprintf("text_%04d.npy", file)), texts); err != nil {
			return err
		}
	}
	return embedding.WriteNPY(filepath.Join(dir, "caption_images.npy"), embedding.Int64Array(table))
}

// errEnough stops a training.
var errEnough = errors.New("enough steps")

// A meter is a progress that times steps, except for the first ones.
type meter struct {
	steps  int
	begun  time.Time
	spent  time.Duration // CPU time at the start
	perSec [2]float64    // pairs per second of wall time, and per second of CPU time
}

// warm is the number of steps that are not timed.
const warm = 5

func (*meter) Begin(string, int) {}
func (*meter) End(error)         {}
func (m *meter) Advance(u adapter.Update) error {
	switch u.Step {
	case warm:
		m.begun, m.spent = time.Now(), processorTime()
	case warm + m.steps:
		pairs := float64(m.steps * u.Pairs)
		m.perSec = [2]float64{pairs / time.Since(m.begun).Seconds(), pairs / (processorTime() - m.spent).Seconds()}
		return errEnough
	}
	return nil
}

// train measures trainings with rows in files and in memory alternately.
func train(set *embedding.Set, s sizes) error {
	few := min(s.images, 50)
	chosen := make([]int, few)
	for i := range chosen {
		chosen[i] = i
	}
	memory, err := set.SelectImages(chosen)
	if err != nil {
		return err
	}
	fmt.Printf("in memory: %s\n", memory)
	var total [2]float64
	for round := range s.rounds {
		var speed [2][2]float64
		for i, data := range []*embedding.Set{set, memory} {
			options, err := adapter.PaperOptions(adapter.AsymVLMVonMisesFisher)
			if err != nil {
				return err
			}
			m := &meter{steps: s.steps}
			options.Progress, options.Epochs, options.LearningRate, options.FinalRate = m, 1, 1e-3, 1e-3
			started := time.Now()
			if _, err := adapter.Train(context.Background(), data, options); !errors.Is(err, errEnough) {
				return fmt.Errorf("%d steps were asked for: %w", s.steps, err)
			}
			if speed[i] = m.perSec; i == 0 && round == 0 {
				show("trained a few steps, all rows checked before", started, int64(data.Texts.Rows))
			}
		}
		for i, of := range []string{"second", "CPU second"} {
			ratio := speed[0][i] / speed[1][i]
			total[i] += ratio
			fmt.Printf("pairs a %s: %.0f with rows in files, %.0f in memory, ratio %.3f\n", of, speed[0][i], speed[1][i], ratio)
		}
	}
	fmt.Printf("mean ratio %.3f, by CPU time %.3f\n", total[0]/float64(s.rounds), total[1]/float64(s.rounds))
	return nil
}

// show prints a time and the memory of the process.
func show(what string, started time.Time, rows int64) {
	took := time.Since(started).Seconds()
	resident, peak := memory()
	fmt.Printf("%s: %.1f s, %.0f rows a second; resident %d MB, at most %d MB so far\n", what, took, float64(rows)/took, resident, peak)
}

// memory returns the current and the peak resident memory of the process in MB, or zeros if the
// system does not report them.
func memory() (now, peak int) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		kB, _ := strconv.Atoi(fields[1]) // 0 if it is not a number
		switch fields[0] {
		case "VmRSS:":
			now = kB >> 10
		case "VmHWM:":
			peak = kB >> 10
		}
	}
	return now, peak
}
