package cuda_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/internal/cuda/emulate"
	"gosphere/asymvlm/nn"
)

// A clerk is a GPU that records its calls, with the parts of a recording in braces.
type clerk struct {
	*emulate.Driver
	t        *testing.T
	calls    []string
	released int
}

func (c *clerk) note(what string) { c.calls = append(c.calls, what) }

func (c *clerk) Allocate(bytes int) (cuda.Address, error) {
	c.note("allocate")
	return c.Driver.Allocate(bytes)
}

func (c *clerk) Free(a cuda.Address) error {
	c.note("free")
	return c.Driver.Free(a)
}

func (c *clerk) Write(to cuda.Address, values []float32) error {
	c.note("write")
	return c.Driver.Write(to, values)
}

func (c *clerk) WriteWords(to cuda.Address, words []uint32) error {
	c.note("write words")
	return c.Driver.WriteWords(to, words)
}

func (c *clerk) Read(values []float32, from cuda.Address) error {
	c.note("read")
	return c.Driver.Read(values, from)
}

func (c *clerk) ReadWords(words []uint32, from cuda.Address) error {
	c.note("read words")
	return c.Driver.ReadWords(words, from)
}

func (c *clerk) Launch(l cuda.Launch) error {
	c.note(l.Kernel)
	return c.Driver.Launch(l)
}

// named returns a product's form and shape.
func named(p cuda.Product) string {
	form := map[[2]bool]string{{}: "ab", {true, false}: "aTb", {false, true}: "abT"}[[2]bool{p.LeftTransposed, p.RightTransposed}]
	if p.Add {
		form += "+"
	}
	return fmt.Sprintf("%s %d×%d×%d", form, p.Rows, p.Inner, p.Columns)
}

func (c *clerk) Multiply(p cuda.Product) error {
	c.note(named(p))
	return c.Driver.Multiply(p)
}

func (c *clerk) Record(parts []cuda.Part) (cuda.Recording, error) {
	c.note("record {")
	for _, p := range parts {
		if p.Product != nil {
			c.note(named(*p.Product))
		} else {
			c.note(p.Launch.Kernel)
		}
	}
	c.note("}")
	r, err := c.Driver.Record(parts)
	return &leaf{r, c}, err
}

func (c *clerk) Replay(r cuda.Recording) error {
	c.note("replay")
	return c.Driver.Replay(r.(*leaf).Recording)
}

func (c *clerk) Wait() error {
	c.note("wait")
	return c.Driver.Wait()
}

// A leaf is a recording of a clerk.
type leaf struct {
	cuda.Recording
	clerk *clerk
}

func (l *leaf) Release() error {
	l.clerk.released++
	return l.Recording.Release()
}

// take returns the calls since the last take, with repetitions counted.
func (c *clerk) take() string {
	var short []string
	for i := 0; i < len(c.calls); {
		again := i
		for again < len(c.calls) && c.calls[again] == c.calls[i] {
			again++
		}
		text := c.calls[i]
		if again > i+1 {
			text = fmt.Sprintf("%d %s", again-i, text)
		}
		short, i = append(short, text), again
	}
	c.calls = nil
	return strings.Join(short, ", ")
}

// The parts of a step as text. A forward pass through two layers 5-6-5 with 8 pairs, and a backward
// pass.
const (
	forward  = "abT 8×5×6, add_bias, abT 8×6×5, add_bias"
	backward = "rectify_gradient, add_parts, aTb 5×8×6, ab 8×5×6, rectify_gradient, add_parts, aTb 6×8×5"
	contrast = "abT 8×5×8, sums_linear, 2 merge, gradient_linear"
	adamEnd  = "adam, advance"
	sgdEnd   = "descend, advance"
)

// scripts are the complete steps of every method.
var scripts = []struct {
	architecture nn.Architecture
	want         []string
}{
	{nn.Architecture{Objective: nn.Contrastive, Likelihood: nn.VonMisesFisher},
		[]string{"gather", forward, "prepare", contrast, "along, aTb 8×8×5, combine, report", backward, sgdEnd}},
	{nn.Architecture{Objective: nn.ContrastiveImages, Likelihood: nn.PowerSpherical, Optimizer: nn.AdamW},
		[]string{"gather", forward, "prepare", strings.ReplaceAll(contrast, "linear", "power"), "along, aTb 8×8×5, combine, report", backward, adamEnd}},
	{nn.Architecture{Objective: nn.Contrastive, Likelihood: nn.Cosine},
		[]string{"gather", forward, "prepare", contrast, "aTb 8×8×5, across, report", backward, sgdEnd}},
	{nn.Architecture{Objective: nn.PCMEPP, Optimizer: nn.AdamW},
		[]string{"gather_both", forward, forward, "2 variances_of, abT 8×5×8, sigmoid_pairs, 2 add_parts, 2 variance_gradient, report_pairs",
			backward, backward, adamEnd}},
	{nn.Architecture{Objective: nn.ProLIP, Optimizer: nn.AdamW},
		[]string{"gather_both", forward, forward, "2 variances_of, abT 8×5×8, sigmoid_pairs, 2 add_parts, bottleneck, 2 variance_gradient, report_pairs",
			backward, backward, adamEnd}},
	{nn.Architecture{Objective: nn.SigmoidLog, Likelihood: nn.PowerSpherical},
		[]string{"gather", forward, "prepare, abT 8×5×8, temperature_of, sigmoid_power, along, aTb 8×8×5, combine, report_sigmoid", backward, sgdEnd}},
	{nn.Architecture{Objective: nn.Contrastive, Likelihood: nn.VonMisesFisherExact, Optimizer: nn.AdamP},
		[]string{"gather", forward, "concentrate", contrast, "along, aTb 8×8×5, combine, report", backward,
			"adamp_moments, adamp_angles, adamp_choose, 2 adamp, adamp_angles, adamp_choose, 3 adamp, advance"}},
	{nn.Architecture{Objective: nn.Symmetrized},
		[]string{"gather_both", forward, "concentrate", forward, "concentrate, abT 8×5×8, symmetric_likelihoods, sums_linear, 2 merge, gradient_linear",
			"symmetric_pulls, 4 add_parts, aTb 8×8×5, symmetric_gradient, ab 8×8×5, symmetric_gradient, report", backward, backward, sgdEnd}},
	{nn.Architecture{Objective: nn.ProLIPFull},
		[]string{"gather_both", forward, forward, "scaled_numbers, 2 variances_of, abT 8×5×8, sigmoid_pairs, 2 add_parts, bottleneck, 2 variance_gradient",
			"inclusion, include, inclusion_gradient, report_scaled", backward, backward, sgdEnd}},
	{nn.Architecture{Objective: nn.PFE},
		[]string{"gather_both", forward, forward, "matched_variances, report_rows", backward, backward, sgdEnd}},
	{nn.Architecture{Objective: nn.EvidentialITC, Optimizer: nn.AdamW},
		[]string{"gather_both", adapterForward, "prepare", adapterForward, "prepare", contrast, "aTb 8×8×5, across, ab 8×8×5, across, report",
			adapterBackward, adapterBackward, adamEnd}},
	{nn.Architecture{Objective: nn.Evidential, Optimizer: nn.AdamW},
		[]string{"gather_both", adapterForward, "prepare", adapterForward, "prepare", "abT 8×5×8, evidence, evidence_gradient",
			"aTb 8×8×5, across, ab 8×8×5, across, report", adapterBackward, adapterBackward, adamEnd}},
	{nn.Architecture{Objective: nn.ProbVLM, Optimizer: nn.AdamW},
		[]string{"gather_both", trunkForward, headForward, headForward, headForward, "generalized",
			trunkForward, headForward, headForward, headForward, "generalized, report_rows",
			headBackward, headBackwardAdded, headBackwardAdded, trunkBackward, headBackward, headBackwardAdded, headBackwardAdded, trunkBackward, adamEnd}},
}

const (
	adapterForward    = "abT 8×5×2, add_bias, abT 8×2×5, add_detour"
	adapterBackward   = "rectify_gradient, add_parts, aTb 5×8×2, ab 8×5×2, rectify_gradient, add_parts, aTb 2×8×5"
	trunkForward      = "abT 8×5×6, add_bias, abT 8×6×6, add_bias, abT 8×6×5, add_detour"
	headForward       = "abT 8×5×5, add_bias, abT 8×5×5, add_bias"
	headBackward      = "rectify_gradient, add_parts, aTb 5×8×5, ab 8×5×5, rectify_gradient, add_parts, aTb 5×8×5, ab 8×5×5"
	headBackwardAdded = "rectify_gradient, add_parts, aTb 5×8×5, ab 8×5×5, rectify_gradient, add_parts, aTb 5×8×5, ab+ 8×5×5"
	trunkBackward     = "rectify_gradient, add_parts, aTb 5×8×6, ab 8×5×6, rectify_gradient, add_parts, aTb 6×8×6, ab 8×6×6, rectify_gradient, add_parts, aTb 6×8×5"
)

func TestAStepIsRecordedInItsOrder(t *testing.T) {
	for _, test := range scripts {
		a := test.architecture
		a.Dimension, a.Hidden, a.HiddenLayers = 5, 6, 1
		g := newGame(a, 8, 19)
		card := &clerk{Driver: emulate.New(), t: t}
		residence := startOn(t, card, g.work(t, g.learner(t, device.Reference[float32]{})))
		if err := residence.Order(g.order); err != nil {
			t.Fatal(err)
		}
		card.calls = nil
		steps := g.plan(0)
		if _, err := residence.Steps(t.Context(), steps[:2]); err != nil {
			t.Fatal(err)
		}
		got, script := card.take(), strings.Join(test.want, ", ")
		if want := "record {, " + script + ", }, 2 write words, 2 replay, wait, read words, read"; got != want {
			t.Errorf("%s %s: a first window of two steps asks\n%s\nwant\n%s", a.Objective, a.Likelihood, got, want)
		}
		if _, err := residence.Steps(t.Context(), steps[:1]); err != nil {
			t.Fatal(err)
		}
		if got := card.take(); got != "2 write words, replay, wait, read words, read" {
			t.Errorf("%s: a window that was recorded before asks %s", a.Objective, got)
		}
		if _, err := residence.Steps(t.Context(), steps[2:]); err != nil {
			t.Fatal(err)
		}
		if got, short := card.take(), strings.NewReplacer(" 8×8×8", " 3×3×3", " 8×8×", " 3×3×", " 8×", " 3×", "×8×", "×3×", "×8,", "×3,").Replace(script); got != "record {, "+short+", }, 2 write words, replay, wait, read words, read" {
			t.Errorf("%s: a short batch asks\n%s\nwant\n%s", a.Objective, got, short)
		}
		residence.Close()
		allocated := strings.Count(card.take(), "free")
		if card.released != 2 || card.Used() != 0 || allocated == 0 {
			t.Errorf("%s: %d of 2 recordings are released, %d bytes are left", a.Objective, card.released, card.Used())
		}
	}
}

// startOn starts a training on any kind of GPU.
func startOn(t *testing.T, card cuda.Driver, work device.TrainingPlan) device.DeviceTraining {
	t.Helper()
	ops, err := cuda.New(card)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ops.Close)
	residence, err := ops.Train(work)
	if err != nil {
		t.Fatal(err)
	}
	return residence
}

// A recording that fails in the middle is discarded: the next call records again, and no partial
// step ever runs.
func TestAHalfRecordedStepIsNeverDone(t *testing.T) {
	g := smallGame()
	for failing := 1; ; failing += 5 {
		l := g.learner(t, device.Reference[float32]{})
		work := g.work(t, l)
		before := slices.Clone(work.Parameters)
		card := &stumbling{Driver: emulate.New(), failing: failing}
		residence := startOn(t, card, work)
		if err := residence.Order(g.order); err != nil {
			t.Fatal(err)
		}
		_, err := residence.Steps(t.Context(), g.plan(0)[:1])
		if err == nil {
			if failing < 25 {
				t.Errorf("a step has %d parts", failing)
			}
			residence.Close()
			return
		}
		if err.Error() != "the card stumbled" || card.replays != 0 {
			t.Fatalf("part %d: error %v, %d replays", failing, err, card.replays)
		}
		// The single fault has passed, so the whole step runs now.
		if _, err := residence.Steps(t.Context(), g.plan(0)[:1]); err != nil || card.Launches["advance"] != 1 {
			t.Errorf("part %d: after the fault error %v, %d steps", failing, err, card.Launches["advance"])
		}
		after := slices.Clone(before)
		if err := residence.Save(after, [][]float32{make([]float32, len(before)), make([]float32, len(before))}); err != nil || slices.Equal(after, before) {
			t.Errorf("part %d: nothing was learned, error %v", failing, err)
		}
		residence.Close()
	}
}

// A stumbling GPU rejects one part of a recording.
type stumbling struct {
	*emulate.Driver
	failing, asked, replays int
}

func (s *stumbling) stumble() error {
	if s.asked++; s.asked == s.failing {
		return fmt.Errorf("the card stumbled")
	}
	return nil
}

func (s *stumbling) Record(parts []cuda.Part) (cuda.Recording, error) {
	for range parts {
		if err := s.stumble(); err != nil {
			return nil, err
		}
	}
	return s.Driver.Record(parts)
}

func (s *stumbling) Replay(r cuda.Recording) error {
	s.replays++
	return s.Driver.Replay(r)
}
