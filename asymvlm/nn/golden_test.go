package nn

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
)

// golden is a file of reference numbers that PyTorch computed in float64, with its gradients by automatic
// differentiation.
type golden struct {
	t      *testing.T
	arrays map[string]*embedding.Array
}

// readGolden finds a file beside the repository; where it is absent the test is skipped.
func readGolden(t *testing.T, name string) *golden {
	t.Helper()
	for folder, up := "../..", 0; up < 3; folder, up = filepath.Join(folder, ".."), up+1 {
		path := filepath.Join(folder, "shared", "golden", name+".npz")
		if _, err := os.Stat(path); err != nil {
			continue
		}
		arrays, err := embedding.ReadNPZ(path)
		if err != nil {
			t.Fatal(err)
		}
		return &golden{t, arrays}
	}
	t.Skip("reference numbers from PyTorch are not here")
	return nil
}

func (g *golden) values(name string) []float64 {
	g.t.Helper()
	array := g.arrays[name]
	if array == nil {
		g.t.Fatalf("no array %q", name)
	}
	values, err := array.Float64s()
	if err != nil {
		g.t.Fatal(err)
	}
	return values
}

func goldenMatrix[F device.Float](g *golden, name string) device.Matrix[F] {
	array := g.arrays[name]
	m := device.NewMatrix[F](array.Shape[0], array.Shape[1])
	for i, value := range g.values(name) {
		m.Values[i] = F(value)
	}
	return m
}

func goldenUnit[F device.Float](g *golden, name string) device.Matrix[F] {
	m := goldenMatrix[float64](g, name)
	unit := device.NewMatrix[F](m.Rows, m.Columns)
	for i := range m.Rows {
		length := norm(m.Row(i))
		for j, value := range m.Row(i) {
			unit.Values[i*m.Columns+j] = F(value / length)
		}
	}
	return unit
}

// near compares by the largest difference divided by the largest value, the measure of the reference's tolerances.
func near[F device.Float](t *testing.T, what string, got []F, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s has %d values, want %d", what, len(got), len(want))
		return
	}
	worst, size := 0.0, 1e-300
	for i, value := range want {
		worst, size = math.Max(worst, math.Abs(float64(got[i])-value)), math.Max(size, math.Abs(value))
	}
	if !(worst <= tolerance*size) {
		t.Errorf("%s: difference %.3g of %.3g, want at most %.3g of it", what, worst, size, tolerance)
	}
}

// tolerances are those that the reference's README measured and allows; in float64 one for everything.
type tolerances struct{ loss, forward, outputs, parameters, steps float64 }

var (
	tolerances64 = tolerances{1e-9, 1e-9, 1e-9, 1e-9, 1e-9}
	tolerances32 = tolerances{1e-5, 5e-6, 1e-5, 1e-4, 1e-5}
)

// learnerFrom makes a learner with the initial parameters of a file.
func learnerFrom[F device.Float](g *golden, ops device.Operations[F], kind string) *learner[F] {
	l, err := newLearner(ops, Architecture{Dimension: 12, Hidden: 20, HiddenLayers: 3, Likelihood: kind}, 7)
	if err != nil {
		g.t.Fatal(err)
	}
	for _, p := range l.Parameters() {
		for i, value := range g.values("init/" + p.Name) {
			p.Values[i] = F(value)
		}
	}
	return l
}

// checkGolden follows one file: forward, loss, gradients, retrieval, five steps, retrieval again.
func checkGolden[F device.Float](t *testing.T, file, kind string, ops device.Operations[F], allow tolerances) {
	g := readGolden(t, file)
	l := learnerFrom(g, ops, kind)
	texts, images := goldenMatrix[F](g, "input/text"), goldenUnit[F](g, "input/image")
	result, err := l.differentiate(texts, images)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "loss", []float64{result.Loss}, g.values("forward/loss"), allow.loss)
	near(t, "outputs", l.network.outputs[3].Values, g.values("forward/z"), allow.forward)
	near(t, "log-likelihoods", l.ell.Values, g.values("forward/ell"), allow.forward)
	near(t, "gradient of the outputs", l.dEta.Values, g.values("grad_out/z"), allow.outputs)
	for _, p := range l.named(l.gradient) {
		near(t, "gradient of "+p.Name, p.Values, g.values("grad/"+p.Name), allow.parameters)
	}
	if kind != Cosine {
		near(t, "concentrations", l.likelihood.concentrations(), g.values("forward/kappa"), allow.forward)
	}
	checkRetrieval(t, g, "infer", l, allow)

	schedule := CosineSchedule{Initial: 0.01, Final: 1e-6, Steps: 10}
	for step, want := range g.values("train/loss") {
		rate := schedule.Rate(step)
		near(t, "learning rate", []float64{rate}, g.values("train/lr")[step:step+1], 1e-12)
		result, err := l.Step(texts, images, device.Rate{Rate: rate, Momentum: 0.9, WeightDecay: 5e-4})
		if err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprint("loss of step ", step+1), []float64{result.Loss}, []float64{want}, allow.loss)
		if step == 0 || step == 4 {
			for _, p := range l.Parameters() {
				near(t, fmt.Sprintf("%s after %d steps", p.Name, step+1), p.Values,
					g.values(fmt.Sprintf("step%d/%s", step+1, p.Name)), allow.steps)
			}
		}
	}
	checkRetrieval(t, g, "final", l, allow)
}

// checkRetrieval compares scores, uncertainties and the best items at the learner's present parameters.
func checkRetrieval[F device.Float](t *testing.T, g *golden, when string, l *learner[F], allow tolerances) {
	t.Helper()
	texts, images := goldenMatrix[F](g, "input/text"), goldenUnit[F](g, "input/image")
	eta, scores := device.NewMatrix[F](7, 12), device.NewMatrix[F](7, 7)
	l.Natural(eta, texts)
	l.LogLikelihoods(scores, images, eta)
	near(t, when+" scores", scores.Values, g.values(when+"/scores"), allow.forward)
	if g.arrays[when+"/u_text"] != nil {
		uncertainty := make([]float64, 7)
		for r, kappa := range l.likelihood.concentrations() {
			uncertainty[r] = 1 / kappa
		}
		near(t, when+" uncertainties", uncertainty, g.values(when+"/u_text"), 5*allow.forward)
	}
	for query := range 7 {
		image, text := 0, 0
		for item := range 7 {
			if scores.Values[item*7+query] > scores.Values[image*7+query] {
				image = item
			}
			if scores.Values[query*7+item] > scores.Values[query*7+text] {
				text = item
			}
		}
		if float64(image) != g.values(when + "/t2i")[query] || float64(text) != g.values(when + "/i2t")[query] {
			t.Errorf("%s: query %d finds image %d and text %d", when, query, image, text)
		}
	}
}

var goldenKinds = map[string]string{
	"asymvlm_vmf": VonMisesFisher, "asymvlm_vmf_exact": VonMisesFisherExact, "asymvlm_ps": PowerSpherical, "determ_ft": Cosine,
}

func TestTrainingAgreesWithPyTorchInDoublePrecision(t *testing.T) {
	for file, kind := range goldenKinds {
		t.Run(file, func(t *testing.T) {
			checkGolden(t, file, kind, device.Reference[float64]{}, tolerances64)
		})
	}
}

func TestTrainingAgreesWithPyTorchInSinglePrecision(t *testing.T) {
	cpu := device.NewCPU(2)
	defer cpu.Close()
	for _, ops := range []device.Device{device.Reference[float32]{}, cpu} {
		for file, kind := range goldenKinds {
			t.Run(strings.Fields(ops.Name())[0]+"/"+file, func(t *testing.T) {
				checkGolden(t, file, kind, ops, tolerances32)
			})
		}
	}
}

func TestLossGradientsAgreeWithPyTorchForSmallAndLargeConcentrations(t *testing.T) {
	g := readGolden(t, "functions")
	kinds := map[string]string{"vmf": VonMisesFisher, "vmf_exact": VonMisesFisherExact, "ps": PowerSpherical, "cosine": Cosine}
	for name, kind := range kinds {
		prefix := "kernel/" + name + "/"
		z, x := goldenMatrix[float64](g, "kernel/z"), goldenMatrix[float64](g, "kernel/x")
		tau := g.values("kernel/tau")[0]
		ops := device.Reference[float64]{}
		likelihood, err := newLikelihood(ops, kind, z.Columns, z.Rows)
		if err != nil {
			t.Fatal(err)
		}
		ell, dEta := device.NewMatrix[float64](x.Rows, z.Rows), device.NewMatrix[float64](z.Rows, z.Columns)
		likelihood.prepare(z)
		likelihood.fill(ell, x)
		near(t, prefix+"ell", ell.Values, g.values(prefix+"ell"), 1e-9)
		c := contrastive[float64]{ops: ops}
		loss, gradient, dTau := c.loss(ell, tau)
		near(t, prefix+"loss", []float64{loss}, g.values(prefix+"infonce/loss"), 1e-9)
		near(t, prefix+"dTau", []float64{dTau}, g.values(prefix+"infonce/grad_tau"), 1e-9)
		likelihood.gradient(dEta, gradient, x, tau)
		near(t, prefix+"dEta", dEta.Values, g.values(prefix+"infonce/grad_z"), 1e-9)
	}
}

func TestOppositePairStaysFinite(t *testing.T) {
	g := readGolden(t, "functions")
	z, x := goldenMatrix[float64](g, "kernel/z"), goldenMatrix[float64](g, "kernel/x")
	copy(z.Row(1), g.values("kernel/ps/antipodal/z1"))
	likelihood, err := newLikelihood(device.Reference[float64]{}, PowerSpherical, z.Columns, z.Rows)
	if err != nil {
		t.Fatal(err)
	}
	ell := device.NewMatrix[float64](x.Rows, z.Rows)
	likelihood.prepare(z)
	likelihood.fill(ell, x)
	near(t, "ell", ell.Values, g.values("kernel/ps/antipodal/ell"), 1e-9)
}

func TestScheduleAgreesWithPyTorch(t *testing.T) {
	g := readGolden(t, "functions")
	schedule := CosineSchedule{Initial: 0.01, Final: 1e-6, Steps: 50}
	for step, want := range g.values("schedule/lr") {
		if got := schedule.Rate(step); math.Abs(got-want) > 1e-12 {
			t.Errorf("rate after %d steps is %g, want %g", step, got, want)
		}
	}
}
