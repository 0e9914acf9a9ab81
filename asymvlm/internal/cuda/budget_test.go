package cuda_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/internal/cuda/emulate"
	"gosphere/asymvlm/nn"
)

var update = flag.Bool("update", false, "write BUDGET.md again")

// paperWork returns a step of the paper's size.
func paperWork(t *testing.T, a nn.Architecture, batch int) device.TrainingPlan {
	t.Helper()
	a.Hidden, a.HiddenLayers = 1024, 3
	l, err := nn.NewLearner(device.Reference[float32]{}, a, batch)
	if err != nil {
		t.Fatal(err)
	}
	work, _, ok := l.Work()
	if !ok {
		t.Fatalf("%s does not stay on the card", a.Objective)
	}
	return work
}

// table formats a budget in Markdown.
func table(t *testing.T, work device.TrainingPlan) string {
	t.Helper()
	costs, err := cuda.Budget(work)
	if err != nil {
		t.Fatal(err)
	}
	return tableOf(costs)
}

func tableOf(costs []cuda.Cost) string {
	var b strings.Builder
	b.WriteString("| part | MB | GFLOP | bound, float32 | bound, TF32 | by |\n|---|---|---|---|---|---|\n")
	var bytes, operations, slow, fast float64
	line := func(name string, columns ...any) {
		fmt.Fprintf(&b, "| %s | %.2f | %.3f | %.2f | %.2f | %s |\n", append([]any{name}, columns...)...)
	}
	for _, c := range costs {
		float, _ := c.Bound(cuda.H200)
		tensor, memory := c.Bound(cuda.H200TF32)
		by := "arithmetic"
		if memory {
			by = "memory"
		}
		line(c.Name, c.Bytes/1e6, c.Operations/1e9, float, tensor, by)
		bytes, operations, slow, fast = bytes+c.Bytes, operations+c.Operations, slow+float, fast+tensor
	}
	line(fmt.Sprintf("**%d parts**", len(costs)), bytes/1e6, operations/1e9, slow, fast, "")
	return b.String()
}

// budgets are the steps of BUDGET.md.
var budgets = []struct {
	name         string
	architecture nn.Architecture
}{
	{"AsymVLM, von Mises-Fisher, d=512", nn.Architecture{Dimension: 512, Likelihood: nn.VonMisesFisher}},
	{"AsymVLM, power spherical, d=512", nn.Architecture{Dimension: 512, Likelihood: nn.PowerSpherical}},
	{"AsymVLM, von Mises-Fisher, d=768", nn.Architecture{Dimension: 768, Likelihood: nn.VonMisesFisher}},
	{"determ-ft, d=512", nn.Architecture{Dimension: 512, Likelihood: nn.Cosine}},
	{"PCME++, d=512", nn.Architecture{Dimension: 512, Objective: nn.PCMEPP, Optimizer: nn.AdamW}},
	{"ProLIP, d=512", nn.Architecture{Dimension: 512, Objective: nn.ProLIP, Optimizer: nn.AdamW}},
	{"PFE, d=512", nn.Architecture{Dimension: 512, Objective: nn.PFE}},
	{"ProbVLM, d=512", nn.Architecture{Dimension: 512, Objective: nn.ProbVLM, Optimizer: nn.AdamW}},
	{"ProbVLM with the exact likelihood, d=512", nn.Architecture{Dimension: 512, Objective: nn.ProbVLMExact, Optimizer: nn.AdamW}},
	{"AsymVLM, von Mises-Fisher, masked, d=512", nn.Architecture{Dimension: 512, Likelihood: nn.VonMisesFisher}},
	{"SigLIP's loss, power spherical, d=512", nn.Architecture{Dimension: 512, Objective: nn.SigmoidLog, Likelihood: nn.PowerSpherical}},
	{"SymVLM, mutual, d=512", nn.Architecture{Dimension: 512, Objective: nn.Mutual}},
	{"ProLIP, full, d=512", nn.Architecture{Dimension: 512, Objective: nn.ProLIPFull, Optimizer: nn.AdamW}},
	{"PCME++ with AdamP, d=512", nn.Architecture{Dimension: 512, Objective: nn.PCMEPP, Optimizer: nn.AdamP}},
	{"PCME++, masked, d=512", nn.Architecture{Dimension: 512, Objective: nn.PCMEPP, Optimizer: nn.AdamW}},
	{"ELIP, 280 pairs, d=512", nn.Architecture{Dimension: 512, Objective: nn.Evidential, Optimizer: nn.AdamW}},
	{"CLIP-ensemble, 280 pairs, d=512", nn.Architecture{Dimension: 512, Objective: nn.Ensemble, Optimizer: nn.AdamW}},
	{"ELIP without evidence, 280 pairs, d=512", nn.Architecture{Dimension: 512, Objective: nn.EvidentialITC, Optimizer: nn.AdamW}},
}

// draws are the sampling operations of BUDGET.md.
var draws = []struct {
	name string
	do   func(on *cuda.Device) error
}{
	{"Probabilities of 512 queries among 25,014 candidates, 100 draws", func(on *cuda.Device) error {
		l := device.UncertainLogits[float32]{Means: device.NewMatrix[float32](512, 25014), Deviations: device.NewMatrix[float32](512, 25014), Scale: 100}
		return on.MeanSoftmax(device.NewMatrix[float32](512, 25014), l, 100, device.Origin{})
	}},
	{"Power spherical vectors, 16 around each of 4,096 directions, d=512", func(on *cuda.Device) error {
		means := device.NewMatrix[float32](4096, 512)
		for i := range means.Rows {
			means.Row(i)[0] = 1
		}
		return on.DrawSphere(device.NewMatrix[float32](16*4096, 512), device.PowerSpherical, means, make([]float32, 4096), device.Origin{})
	}},
}

const budgetEnd = "<!-- end of the tables -->\n"

func TestTheBudgetIsThatOfTheStep(t *testing.T) {
	page, err := os.ReadFile("BUDGET.md")
	if err != nil {
		t.Fatal(err)
	}
	const begin = "<!-- tables, made by go test ./asymvlm/internal/cuda -run Budget -update -->\n"
	before, _, ok := strings.Cut(string(page), begin)
	_, after, ended := strings.Cut(string(page), budgetEnd)
	if !ok || !ended {
		t.Fatal("BUDGET.md has no place for the tables")
	}
	want := before + begin
	for _, of := range budgets {
		batch := 2048
		if strings.Contains(of.name, "280 pairs") { // those of the ELIP paper
			batch = 280
		}
		work := paperWork(t, of.architecture, batch)
		if strings.Contains(of.name, "masked") {
			work.Groups = device.Groups{}
		}
		want += "\n## " + of.name + "\n\n" + table(t, work)
	}
	for _, of := range draws {
		costs, err := cuda.BudgetOf(of.do)
		if err != nil {
			t.Fatal(err)
		}
		want += "\n## " + of.name + "\n\n" + tableOf(costs)
	}
	want += "\n" + budgetEnd + after
	if *update {
		if err := os.WriteFile("BUDGET.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(page) != want {
		t.Error("BUDGET.md is not the budget of the step: go test ./asymvlm/internal/cuda -run Budget -update")
	}
}

// Every candidate of every sample is an exponential and a normal number; the matrices are
// transferred once.
func TestTheBudgetOfDrawsCountsEveryOne(t *testing.T) {
	costs, err := cuda.BudgetOf(draws[0].do)
	if err != nil {
		t.Fatal(err)
	}
	const values = 512. * 25014
	bytes, operations := 0., 0.
	for _, c := range costs {
		bytes, operations = bytes+c.Bytes, operations+c.Operations
	}
	if bytes != 16*values || operations != 51*100*values {
		t.Errorf("%g bytes and %g operations, want %g and %g", bytes, operations, 16*values, 51*100*values)
	}
	// 64 M words hold 670 rows of four matrices, so the queries are one block, and so are the
	// vectors, with 32 M words.
	if vectors, err := cuda.BudgetOf(draws[1].do); err != nil || len(costs) != 1 || len(vectors) != 2 || !(vectors[0].Operations > 0) || !(vectors[1].Bytes > 4*16*4096*512) {
		t.Errorf("%d and %d parts, error %v", len(costs), len(vectors), err)
	}
}

// A step of 2,048 pairs at d=512 needs 45.1 GFLOP in its matrix products; the sum of the parts must
// equal that.
func TestTheBudgetHasAllProducts(t *testing.T) {
	costs, err := cuda.Budget(paperWork(t, nn.Architecture{Dimension: 512, Likelihood: nn.VonMisesFisher}, 2048))
	if err != nil {
		t.Fatal(err)
	}
	sum, products := 0.0, 0
	for _, c := range costs {
		if c.Product {
			sum += c.Operations
			products++
		}
	}
	// Forward, gradients of the weights, of the inputs except the first layer's, logits, and their
	// gradient.
	const batch, first, inside, pairs = 2048., 512 * 1024., 2*1024*1024 + 1024*512., 2048 * 512.
	if want := 2 * batch * (2*(first+inside) + inside + 2*pairs); sum != want || products != 13 {
		t.Errorf("%d products of %g operations, want 13 of %g", products, sum, want)
	}
}

// Matrix products of the other methods, per step of B pairs: the networks of both sides without the
// gradient of the embeddings, and the products of the losses.
func TestTheBudgetsOfBothSidesHaveAllProducts(t *testing.T) {
	const batch, d, h = 2048., 512., 1024.
	network := 2 * batch * (3*(d*h+h*h+h*h+h*d) - d*h) // the first layer has no gradient with respect to its input
	trunk, heads := 2*batch*(3*(d*h+h*h+h*d)-d*h), 3*2*batch*3*(d*d+d*d)
	for objective, want := range map[nn.Objective]float64{
		nn.PCMEPP:  2*network + 2*batch*batch*d,
		nn.ProLIP:  2*network + 2*batch*batch*d,
		nn.PFE:     2 * network,
		nn.ProbVLM: 2 * (trunk + heads),
	} {
		costs, err := cuda.Budget(paperWork(t, nn.Architecture{Dimension: d, Objective: objective}, batch))
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, c := range costs {
			if c.Product {
				sum += c.Operations
			}
		}
		if sum != want {
			t.Errorf("%s: products of %g operations, want %g", objective, sum, want)
		}
	}
}

// Every part of every budget transfers and computes something, and its costs are never negative or
// beyond the step's memory.
func TestEveryPartOfEveryBudgetMovesAndComputesSomething(t *testing.T) {
	for _, of := range budgets {
		costs, err := cuda.Budget(paperWork(t, of.architecture, 64))
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range costs {
			if !(c.Bytes > 0) || !(c.Operations > 0) || c.Bytes > 1e9 || c.Operations > 1e12 {
				t.Errorf("%s: part %d, %s, moves %g bytes and does %g operations", of.name, i, c.Name, c.Bytes, c.Operations)
			}
			bound, _ := c.Bound(cuda.H200)
			fast, _ := c.Bound(cuda.H200TF32)
			if fast > bound || !(fast > 0) {
				t.Errorf("%s: part %d, %s, takes %g µs in float32 and %g with TF32", of.name, i, c.Name, bound, fast)
			}
		}
	}
}

func TestEveryPartOfAStepIsTimed(t *testing.T) {
	for _, a := range []nn.Architecture{{Likelihood: nn.VonMisesFisher}, {Likelihood: nn.PowerSpherical}, {Objective: nn.PCMEPP, Optimizer: nn.AdamW},
		{Objective: nn.ProLIP, Optimizer: nn.AdamW}, {Objective: nn.PFE}, {Objective: nn.ProbVLM, Optimizer: nn.AdamW}} {
		a.Dimension, a.Hidden, a.HiddenLayers = 9, 14, 2
		g := newGame(a, 20, 40)
		card := emulate.New()
		ops, err := cuda.New(card)
		if err != nil {
			t.Fatal(err)
		}
		defer ops.Close()
		work := g.work(t, g.learner(t, ops))
		costs, err := cuda.Budget(work)
		if err != nil {
			t.Fatal(err)
		}
		times, err := ops.Times(work, 3)
		if err != nil || len(times) != len(costs)+1 || card.Used() != 0 {
			t.Fatalf("%d times for %d parts, %d bytes left, error %v", len(times), len(costs), card.Used(), err)
		}
		if whole := times[len(costs)]; whole != 1e3*float64(len(costs)-1) {
			t.Errorf("the whole step has %g parts, want all %d but its end", whole/1e3, len(costs))
		}
		if steps := card.Launches["advance"]; steps != 1+3 {
			t.Errorf("%d ends of steps, want that of the first and 3 timed ones", steps)
		}
	}
}
