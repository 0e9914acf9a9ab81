package world

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
	"gosphere/asymvlm/zeroshot"
)

func TestChainsGoFromGeneralToExactInTheSameWorld(t *testing.T) {
	options := Options{TestScenes: 60, Seed: 3}
	chains, err := NewChains(options, 4)
	if err != nil {
		t.Fatal(err)
	}
	if err := chains.Check(); err != nil {
		t.Fatal(err)
	}
	if chains.Texts.Rows != 240 || chains.CaptionImages[7] != 1 || chains.Name != "world/chains" {
		t.Errorf("%v", chains)
	}
	// The default interval [8, 128] has four parts, starting at 8, 16, 32 and 64.
	for text, kappa := range chains.Kappas {
		if low := 8 * math.Pow(2, float64(text%4)); kappa < low || kappa > 2*low {
			t.Errorf("level %d has concentration %g, want %g to %g", text%4, kappa, low, 2*low)
		}
	}
	train, _ := small(t, options)
	if inside := outside(train.Images.Row64(0), chains.Images); inside > 1e-9 {
		t.Errorf("scenes of chains lie %g outside the subspace of the training scenes", inside)
	}
	if _, err := NewChains(options, 1); err == nil || !strings.Contains(err.Error(), "chains of 1 levels") {
		t.Errorf("error %v", err)
	}
}

// outside returns the smallest fraction of x's squared norm that is outside the span of the first
// 40 rows, by orthogonalization. For rows of the same subspace it is 0.
func outside(x []float64, m embedding.Matrix) float64 {
	var basis [][]float64
	clear := func(v []float64) []float64 {
		v = slices.Clone(v)
		for range 2 {
			for _, axis := range basis {
				product := 0.0
				for i := range v {
					product += v[i] * axis[i]
				}
				for i := range v {
					v[i] -= product * axis[i]
				}
			}
		}
		return v
	}
	square := func(v []float64) (sum float64) {
		for _, value := range v {
			sum += value * value
		}
		return sum
	}
	for i := range 40 {
		row := m.Row64(i)
		if v := clear(row); square(v) > 1e-6*square(row) {
			basis = append(basis, normalize(v))
		}
	}
	return square(clear(x)) / square(x)
}

func TestTaskCanBeClassifiedByItsPromptsAndShiftLeavesTheSubspace(t *testing.T) {
	_, test := small(t, Options{Seed: 1})
	for _, shift := range []float64{0, 0.5, 1} {
		task, err := NewTask(Options{Seed: 1}, TaskOptions{Shift: shift})
		if err != nil {
			t.Fatal(err)
		}
		if err := task.Check(); err != nil {
			t.Fatal(err)
		}
		if task.Images.Rows != 1000 || task.ClassCount() != 10 || task.Dummies.Rows != 3 || task.Labels[999] != 9 {
			t.Errorf("%d images, %d classes", task.Images.Rows, task.ClassCount())
		}
		scores, err := task.Scores(cosines, task)
		if err != nil {
			t.Fatal(err)
		}
		point, err := zeroshot.NoneOfTheAbove(scores, scores, task.Labels, task.Dummies.Rows)
		if err != nil || point.Positive < 0.6 {
			t.Errorf("shift %g: accuracy %.3f by cosines, %v", shift, point.Positive, err)
		}
		// The squared fraction outside is that of the mean of a class's direction and the image's
		// own part, which is shift.
		mean := 0.0
		for image := range 100 {
			mean += outside(task.Images.Row64(10*image), test.Images) / 100
		}
		if math.Abs(mean-shift) > 0.05 {
			t.Errorf("shift %g: %.3f of the images is outside the subspace", shift, mean)
		}
	}
	one, _ := NewTask(Options{}, TaskOptions{Seed: 1})
	same, _ := NewTask(Options{}, TaskOptions{Seed: 1})
	other, _ := NewTask(Options{}, TaskOptions{Seed: 2})
	if !slices.Equal(one.Images.Values, same.Images.Values) || slices.Equal(one.Images.Values, other.Images.Values) {
		t.Error("equal options give other tasks, or other seeds the same")
	}
}

// cosines is a Scorer that returns cosines.
func cosines(images, texts embedding.Matrix) (embedding.Matrix, error) {
	scores, err := retrieval.Cosines(images, texts)
	if err != nil {
		return embedding.Matrix{}, err
	}
	return retrieval.Whole(scores)
}

func TestTaskOptionsOutsideTheirDomainAreRefused(t *testing.T) {
	for want, of := range map[string]TaskOptions{
		"1 classes":    {Classes: 1},
		"spread by -1": {Spread: -1},
		"shift 2":      {Shift: 2},
		"shift NaN":    {Shift: math.NaN()},
	} {
		if _, err := NewTask(Options{}, of); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := NewTask(Options{Scenes: 1}, TaskOptions{}); err == nil {
		t.Error("a world with one scene was accepted")
	}
}
