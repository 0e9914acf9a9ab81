package cuda_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"gosphere/asymvlm/cuda"
	"gosphere/asymvlm/cuda/emulate"
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/nn"
)

var update = flag.Bool("update", false, "write BUDGET.md again")

// paperWork is the paper's step.
func paperWork(t *testing.T, likelihood string, dimension int) device.Work {
	t.Helper()
	l, err := nn.NewLearner(device.Reference[float32]{}, nn.Architecture{Dimension: dimension, Hidden: 1024, HiddenLayers: 3,
		Likelihood: likelihood}, 2048)
	if err != nil {
		t.Fatal(err)
	}
	work, _, _ := l.Work()
	return work
}

// table prints a budget in Markdown.
func table(t *testing.T, likelihood string, dimension int) string {
	t.Helper()
	costs, err := cuda.Budget(paperWork(t, likelihood, dimension))
	if err != nil {
		t.Fatal(err)
	}
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

const budgetEnd = "<!-- end of the tables -->\n"

func TestTheBudgetIsThatOfTheStep(t *testing.T) {
	page, err := os.ReadFile("BUDGET.md")
	if err != nil {
		t.Fatal(err)
	}
	const begin = "<!-- tables, made by go test ./asymvlm/cuda -run Budget -update -->\n"
	before, _, ok := strings.Cut(string(page), begin)
	_, after, ended := strings.Cut(string(page), budgetEnd)
	if !ok || !ended {
		t.Fatal("BUDGET.md has no place for the tables")
	}
	want := before + begin
	for _, of := range []struct {
		name, likelihood string
		dimension        int
	}{{"von Mises-Fisher, d=512", nn.VonMisesFisher, 512}, {"power spherical, d=512", nn.PowerSpherical, 512},
		{"von Mises-Fisher, d=768", nn.VonMisesFisher, 768}} {
		want += "\n## " + of.name + "\n\n" + table(t, of.likelihood, of.dimension)
	}
	want += "\n" + budgetEnd + after
	if *update {
		if err := os.WriteFile("BUDGET.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(page) != want {
		t.Error("BUDGET.md is not the budget of the step: go test ./asymvlm/cuda -run Budget -update")
	}
}

// A step of 2,048 pairs at d=512 needs 45.1 GFLOP in its products; the parts' sum must be that.
func TestTheBudgetHasAllProducts(t *testing.T) {
	costs, err := cuda.Budget(paperWork(t, nn.VonMisesFisher, 512))
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
	// Forward, gradients of the weights, of the inputs but the first layer's, logits, and their gradient.
	const batch, first, inside, pairs = 2048., 512 * 1024., 2*1024*1024 + 1024*512., 2048 * 512.
	if want := 2 * batch * (2*(first+inside) + inside + 2*pairs); sum != want || products != 13 {
		t.Errorf("%d products of %g operations, want 13 of %g", products, sum, want)
	}
}

func TestEveryPartOfAStepIsTimed(t *testing.T) {
	for _, likelihood := range []string{nn.VonMisesFisher, nn.PowerSpherical} {
		g := newGame(nn.Architecture{Dimension: 9, Hidden: 14, HiddenLayers: 2, Likelihood: likelihood}, 20, 40)
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
