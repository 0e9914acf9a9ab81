package main

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"gosphere/asymvlm/device"
)

// A steady peer takes a microsecond for every repetition of a product and does not support steps.
type steady struct{ asked []string }

func (s *steady) names() []string       { return []string{"steady"} }
func (s *steady) version(string) string { return "1" }
func (s *steady) measure(name string, t task, _ time.Duration) (cost, error) {
	s.asked = append(s.asked, t.name)
	if t.Kind == "step" {
		return cost{}, nil
	}
	return cost{1e-6, 2e-6}, nil
}

func TestStepOfThePaperCounts45GFLOP(t *testing.T) {
	step := task{Kind: "step", Rows: 2048, Inner: 1024, Columns: 512}
	// Forward 12.9, weights 12.9, inputs 10.7, log-likelihoods and their gradient 8.6.
	if got := step.flops() / 1e9; math.Abs(got-45.1) > 0.05 {
		t.Errorf("%.2f GFLOP", got)
	}
}

func TestEveryMethodOfAStepIsCounted(t *testing.T) {
	vmf := task{Kind: "step", Method: "vmf", Rows: 2048, Inner: 1024, Columns: 512}
	pairs := 2.0 * 2048 * 2048 * 512
	pcmepp, probvlm := vmf, vmf
	pcmepp.Method, probvlm.Method = "pcmepp", "probvlm"
	if got, want := pcmepp.flops(), 2*(vmf.flops()-2*pairs)+pairs; got != want {
		t.Errorf("pcmepp %g, want %g", got, want)
	}
	// On each side 0.5+1+0.5 million weights of the trunk and 1.5 million of the heads, all used
	// three times except the first layer, which is used twice.
	weights := 512.*1024 + 1024*1024 + 1024*512 + 6*512*512
	if got, want := probvlm.flops(), 2*2*2048*(3*weights-512*1024); got != want {
		t.Errorf("probvlm %g, want %g", got, want)
	}
}

func TestEveryRoundAsksEveryProgram(t *testing.T) {
	others := &steady{}
	small := task{name: "small", Kind: "product", Form: "abT", Rows: 10, Inner: 10, Columns: 10}
	r, err := compare(small, device.Reference[float32]{}, others, plan{rounds: 3, slice: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if len(others.asked) != 3 || len(r.own) != 3 || len(r.others["steady"]) != 3 || r.others["steady"][0].processor != 2e-6 {
		t.Errorf("asked %q, rates %+v", others.asked, r)
	}
	if line := r.line(small, others.names()); !strings.HasPrefix(line, "| small | ") || !strings.HasSuffix(line, "(1.0) |") {
		t.Errorf("line %q", line)
	}
}

func TestEveryFormRuns(t *testing.T) {
	for _, form := range []string{"ab", "aTb", "abT"} {
		work, err := task{Kind: "product", Form: form, Rows: 5, Inner: 7, Columns: 9}.own(device.Reference[float32]{})
		if err != nil {
			t.Fatal(err)
		}
		work()
	}
	work, err := task{Kind: "step", Rows: 4, Inner: 6, Columns: 5}.own(device.Reference[float32]{})
	if err != nil {
		t.Fatal(err)
	}
	work()
	r, err := compare(task{name: "step", Kind: "step", Rows: 2, Inner: 3, Columns: 4}, device.Reference[float32]{}, &steady{}, plan{rounds: 1, slice: 1, threads: 1})
	if err != nil || !strings.Contains(r.line(task{name: "step", Kind: "step", Rows: 2}, []string{"steady"}), "| – |") {
		t.Errorf("%v, %v", r, err)
	}
}

func TestMedianOfRounds(t *testing.T) {
	if median([]float64{3, 1, 2}) != 2 || median([]float64{4, 1, 2, 3}) != 2.5 {
		t.Error("median")
	}
}

func TestMissingInterpreterIsAnError(t *testing.T) {
	if err := bench(&bytes.Buffer{}, "no-such-python", "peer.py", plan{rounds: 1, slice: 1, threads: 1}); err == nil {
		t.Error("no error")
	}
}

func TestPythonAnswers(t *testing.T) {
	interpreter := os.Getenv("GOSPHERE_PYTHON")
	if interpreter == "" {
		interpreter = "python3"
	}
	if exec.Command(interpreter, "-c", "import numpy").Run() != nil {
		t.Skip("no Python with numpy; GOSPHERE_PYTHON may name one")
	}
	p, err := startPython(interpreter, "peer.py", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer p.stop()
	for _, name := range p.names() {
		for _, kind := range []string{"product", "step"} {
			if name == "torch.compile" {
				continue // requires a C++ compiler and half a minute
			}
			spent, err := p.measure(name, task{Kind: kind, Method: "vmf", Form: "aTb", Rows: 6, Inner: 8, Columns: 10}, time.Millisecond)
			if err != nil || !(spent.clock >= 0) || kind == "product" && spent.clock == 0 {
				t.Errorf("%s %s: %g, %v", name, kind, spent, err)
			}
		}
	}
}

func TestStepsAreMeasuredInBothPrecisions(t *testing.T) {
	list := rounded()
	for _, want := range []string{"vmf, batch 2048, d=512 in bfloat16", "vmf, batch 2048, d=768 in bfloat16", "abT 2048× 512×2048 in bfloat16"} {
		if !slices.ContainsFunc(list, func(task task) bool { return task.name == want }) {
			t.Errorf("%s is not measured", want)
		}
	}
	brief, err := device.NewCPUWith(1, device.BFloat16)
	if err != nil {
		t.Fatal(err)
	}
	defer brief.Close()
	small := task{name: "small in bfloat16", Kind: "step", Rows: 4, Inner: 6, Columns: 5}
	made := 0
	exact := &counted{Reference: device.Reference[float32]{}, products: &made}
	var w bytes.Buffer
	if err := (table{"steps", []task{small}, brief, &single{device: exact}}).print(&w, plan{rounds: 2, slice: 1, threads: 1}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(w.String(), " float32: wall, CPU (GFLOP) |\n") || !strings.Contains(w.String(), "\n| small in bfloat16 | ") || made == 0 {
		t.Errorf("%d products by the other device, printed:\n%s", made, w.String())
	}
}

// A counted device counts its matrix products.
type counted struct {
	device.Reference[float32]
	products *int
}

func (c *counted) Affine(dst, input, weight device.Matrix[float32], bias device.Bias[float32]) {
	*c.products++
	c.Reference.Affine(dst, input, weight, bias)
}
