// Command encoders compares the speed of encoders with PyTorch on the same machine, in one run,
// with the same weights:
//
//	go run ./bench/encoders -python .venv/training/bin/python
//
// The networks have the sizes of CLIP ViT-B/32 and of MiniLM and random weights, in a temporary
// folder that both sides read. Captions have the token lengths of the built-in captions. PyTorch
// pads them to the longest of each batch of 64 and uses its fused attention. Rounds are
// interleaved, both sides have the same number of threads, and the outputs are compared first. With
// -encoder and -captions the tokenizer of a model folder is measured as well.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/encoder"
)

func main() {
	python := flag.String("python", "", "Python interpreter with PyTorch; without it, only our side is measured")
	script := flag.String("script", "bench/encoders/peer.py", "the Python side")
	rounds := flag.Int("rounds", 5, "rounds of every measurement")
	slice := flag.Duration("slice", 2*time.Second, "time of one measurement in one round")
	threads := flag.Int("threads", runtime.GOMAXPROCS(0), "threads of both programs")
	model := flag.String("encoder", "", "model folder whose tokenizer is measured")
	captions := flag.String("captions", "", "file of captions for the tokenizer, one a line")
	flag.Parse()
	b := bench{threads: *threads, rounds: *rounds, slice: *slice}
	err := b.run(*python, *script)
	if err == nil && *model != "" {
		err = b.tokenizer(*model, *captions)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "encoders:", err)
		os.Exit(1)
	}
}

// A bench holds the settings of the measurement.
type bench struct {
	threads, rounds int
	slice           time.Duration
}

// A task is some items for one network.
type task struct {
	Name   string      `json:"name"`
	Folder string      `json:"folder"`
	Kind   string      `json:"kind"` // image, text or bert
	Batch  int         `json:"batch"`
	Tokens [][]int32   `json:"tokens"`
	Pixels [][]float32 `json:"pixels"`

	encode func(context.Context) (embedding.Matrix, error)
}

// items returns the number of pictures or captions.
func (t task) items() int { return max(len(t.Tokens), len(t.Pixels)) }

// run measures all tasks on both sides.
func (b bench) run(python, script string) error {
	folder, err := os.MkdirTemp("", "encoders-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	tasks, err := b.tasks(folder)
	if err != nil {
		return err
	}
	var other *peer
	if python != "" {
		if other, err = start(python, script, b.threads); err != nil {
			return err
		}
		defer other.stop()
		fmt.Printf("- PyTorch %s\n", other.version)
	}
	fmt.Printf("- %d threads, medians of %d rounds of %v; rates are items per second of wall time\n\n", b.threads, b.rounds, b.slice)
	fmt.Println("| task | gosphere, items/s | PyTorch, items/s | gosphere / PyTorch | by CPU time | lowest cosine |\n|---|---|---|---|---|---|")
	for _, t := range tasks {
		if err := b.compare(t, other); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	return nil
}

// tasks creates the networks and their input.
func (b bench) tasks(folder string) ([]task, error) {
	clip, bert := filepath.Join(folder, "clip"), filepath.Join(folder, "bert")
	if err := writeCLIP(clip); err != nil {
		return nil, err
	}
	if err := writeBERT(bert); err != nil {
		return nil, err
	}
	pictures, err := encoder.OpenWith(clip, encoder.Options{Cores: b.threads})
	if err != nil {
		return nil, err
	}
	sentences, err := encoder.OpenWith(bert, encoder.Options{Cores: b.threads})
	if err != nil {
		return nil, err
	}
	lengths, err := captionLengths(256)
	if err != nil {
		return nil, err
	}
	tasks := []task{{Name: "ViT-B/32, 32 pictures", Folder: clip, Kind: "image", Batch: 32, Pixels: pixels(32)}}
	tasks[0].encode = func(ctx context.Context) (embedding.Matrix, error) { return pictures.Prepared(ctx, tasks[0].Pixels...) }
	for _, side := range []struct {
		name, kind, folder string
		encoder            *encoder.Encoder
	}{{"CLIP, 256 captions", "text", clip, pictures}, {"MiniLM, 256 captions", "bert", bert, sentences}} {
		t := task{Name: side.name, Folder: side.folder, Kind: side.kind, Batch: 64}
		var captions []string
		for i, length := range lengths {
			captions = append(captions, sentence(length, i))
			ids, err := side.encoder.Tokens(captions[i])
			if err != nil {
				return nil, err
			}
			t.Tokens = append(t.Tokens, ids)
		}
		t.encode = func(ctx context.Context) (embedding.Matrix, error) { return side.encoder.Texts(ctx, captions...) }
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// captionLengths returns numbers of words for captions with the token lengths of the built-in
// captions.
func captionLengths(n int) ([]int, error) {
	_, test, err := embedding.Scenes()
	if err != nil {
		return nil, err
	}
	if len(test.CaptionTokens) < n {
		return nil, fmt.Errorf("%d lengths of captions, want %d", len(test.CaptionTokens), n)
	}
	return test.CaptionTokens[:n], nil
}

// sentence returns the given number of words of the vocabulary.
func sentence(words, number int) string {
	var all []string
	for i := range words {
		all = append(all, fmt.Sprint("word", 3+(number*31+i*7)%20000))
	}
	return strings.Join(all, " ")
}

// compare measures one task and prints its line.
func (b bench) compare(t task, other *peer) error {
	ours, err := t.encode(context.Background())
	if err != nil {
		return err
	}
	lowest := math.NaN()
	if other != nil {
		theirs, err := other.begin(t)
		if err != nil {
			return err
		}
		lowest = lowestCosine(ours, theirs)
		if !(lowest > 0.99999) {
			return fmt.Errorf("the outputs differ: lowest cosine %g", lowest)
		}
	}
	var own, others [2][]float64
	for range b.rounds {
		c, err := b.repeat(func() error { _, err := t.encode(context.Background()); return err })
		if err != nil {
			return err
		}
		own[0], own[1] = append(own[0], c[0]), append(own[1], c[1])
		if other != nil {
			c, err := other.measure(b.slice)
			if err != nil {
				return err
			}
			others[0], others[1] = append(others[0], c[0]), append(others[1], c[1])
		}
	}
	n := float64(t.items())
	if other == nil {
		fmt.Printf("| %s | %.1f | | | | |\n", t.Name, n/median(own[0]))
		return nil
	}
	fmt.Printf("| %s | %.1f | %.1f | %.2f | %.2f | %.8f |\n", t.Name, n/median(own[0]), n/median(others[0]), median(others[0])/median(own[0]), median(others[1])/median(own[1]), lowest)
	return nil
}

// repeat measures a function for a slice of time and returns the wall time and the CPU time of one
// call in seconds.
func (b bench) repeat(work func() error) ([2]float64, error) {
	count, start, spent := 0, time.Now(), processorTime()
	for time.Since(start) < b.slice || count == 0 {
		if err := work(); err != nil {
			return [2]float64{}, err
		}
		count++
	}
	return [2]float64{time.Since(start).Seconds() / float64(count), (processorTime() - spent).Seconds() / float64(count)}, nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// lowestCosine returns the lowest cosine between corresponding rows.
func lowestCosine(a embedding.Matrix, b [][]float32) float64 {
	lowest := 1.0
	for i, other := range b {
		var dot, left, right float64
		for j, y := range other {
			x := float64(a.At(i, j))
			dot, left, right = dot+x*float64(y), left+x*x, right+float64(y)*float64(y)
		}
		lowest = min(lowest, dot/math.Sqrt(left*right))
	}
	return lowest
}

// tokenizer measures the tokenization of a file's captions on all threads.
func (b bench) tokenizer(model, path string) error {
	e, err := encoder.OpenWith(model, encoder.Options{Cores: b.threads})
	if err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	captions := strings.Split(strings.TrimSpace(string(text)), "\n")
	c, err := b.repeat(func() error { return tokenize(e, captions, b.threads) })
	if err != nil {
		return err
	}
	fmt.Printf("\nTokenizer of %s: %.0f captions per second with %d threads, %.0f per CPU second.\n", e.Name, float64(len(captions))/c[0], b.threads, float64(len(captions))/c[1])
	return nil
}

// tokenize distributes captions over goroutines.
func tokenize(e *encoder.Encoder, captions []string, threads int) error {
	results := make(chan error, threads)
	for part := range threads {
		// The goroutine owns its part of the captions and ends after the last.
		go func() {
			for _, caption := range captions[part*len(captions)/threads : (part+1)*len(captions)/threads] {
				if _, err := e.Tokens(caption); err != nil {
					results <- err
					return
				}
			}
			results <- nil
		}()
	}
	for range threads {
		if err := <-results; err != nil {
			return err
		}
	}
	return nil
}

// A peer is the Python process, which answers each line with a line.
type peer struct {
	version  string
	command  *exec.Cmd
	requests io.WriteCloser
	answers  *bufio.Reader
}

func start(interpreter, script string, threads int) (*peer, error) {
	p := &peer{command: exec.Command(interpreter, script, strconv.Itoa(threads))}
	p.command.Stderr = os.Stderr
	var err error
	if p.requests, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.answers = bufio.NewReader(output)
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	return p, p.answer(&p.version)
}

func (p *peer) answer(into any) error {
	line, err := p.answers.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, into)
}

func (p *peer) ask(request, into any) error {
	line, err := json.Marshal(request)
	if err != nil {
		return err
	}
	if _, err := p.requests.Write(append(line, '\n')); err != nil {
		return err
	}
	return p.answer(into)
}

// begin sends a task to the other side and returns its embeddings.
func (p *peer) begin(t task) (rows [][]float32, err error) { return rows, p.ask(t, &rows) }

// measure returns the cost of one repetition of the task.
func (p *peer) measure(slice time.Duration) (c [2]float64, err error) {
	return c, p.ask(map[string]float64{"seconds": slice.Seconds()}, &c)
}

func (p *peer) stop() {
	p.requests.Close()
	p.command.Wait() // ends with its input
}
