package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/gaussian"
)

// A golden is a file of reference numbers computed by PyTorch in float64, with gradients by
// automatic differentiation.
type golden struct {
	t      *testing.T
	arrays map[string]*embedding.Array
}

// readGolden reads a file from outside the repository and skips the test if it does not exist.
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

// near compares by the largest difference divided by the largest value, the measure of the
// reference's tolerances.
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
	if testing.Verbose() {
		t.Logf("%s: error %.1e", what, worst/size)
	}
	if !(worst <= tolerance*size) {
		t.Errorf("%s: difference %.3g of %.3g, want at most %.3g of it", what, worst, size, tolerance)
	}
}

// tolerances are those measured in the reference's README; in float64 one tolerance applies to
// everything.
type tolerances struct{ loss, forward, outputs, parameters, steps, uncertainty float64 }

var (
	tolerances64 = tolerances{1e-9, 1e-9, 1e-9, 1e-9, 1e-9, 1e-9}
	tolerances32 = tolerances{1e-5, 5e-6, 1e-5, 1e-4, 1e-5, 5e-5}
)

// learnerFrom returns a learner with the initial parameters of a file.
func learnerFrom[F device.Float](g *golden, ops device.Operations[F], a Architecture) *learner[F] {
	a.Dimension, a.Hidden, a.HiddenLayers = 12, 20, 3
	l, err := newLearner(ops, a, 7)
	if err != nil {
		g.t.Fatal(err)
	}
	l.Initialize(rand.New(rand.NewPCG(1, 1)))
	for _, p := range l.Parameters() {
		for i, value := range g.values("init/" + p.Name) {
			p.Values[i] = F(value)
		}
	}
	return l
}

// A goldenCase describes how a file was made.
type goldenCase struct {
	architecture Architecture
	rate         device.Rate // of the first step
	gradients    float64     // factor on the tolerance of the parameters' gradients in float32
}

// gradientDescent holds the rates of AsymVLM's reference implementation.
var gradientDescent = device.Rate{Rate: 0.01, Momentum: 0.9, WeightDecay: 5e-4}

var goldenCases = map[string]goldenCase{
	"asymvlm_vmf":       {Architecture{Likelihood: VonMisesFisher}, gradientDescent, 1},
	"asymvlm_vmf_exact": {Architecture{Likelihood: VonMisesFisherExact}, gradientDescent, 1},
	"asymvlm_ps":        {Architecture{Likelihood: PowerSpherical}, gradientDescent, 1},
	"determ_ft":         {Architecture{Likelihood: Cosine}, gradientDescent, 1},
	"asymvlm_gauss":     {Architecture{Likelihood: Gaussian}, gradientDescent, 1},
	"asymvlm_image":     {Architecture{Objective: ContrastiveImages, Likelihood: VonMisesFisher}, gradientDescent, 1},
	"siglip_vmf":        {Architecture{Objective: Sigmoid, Likelihood: VonMisesFisher}, gradientDescent, 1},
	"siglip_ps":         {Architecture{Objective: Sigmoid, Likelihood: PowerSpherical}, gradientDescent, 1},
	"symvlm":            {Architecture{Objective: Symmetrized}, gradientDescent, 1},
	"symvlm_mutual":     {Architecture{Objective: Mutual}, gradientDescent, 10},
	"pfe":               {Architecture{Objective: PFE}, device.Rate{Rate: 1e-3, Momentum: 0.9, WeightDecay: 5e-4}, 1},
	"pcmepp":            {Architecture{Objective: PCMEPP, Optimizer: AdamW}, device.Rate{Rate: 5e-4, WeightDecay: 1e-4}, 1},
	"prolip":            {Architecture{Objective: ProLIP, Optimizer: AdamW}, device.Rate{Rate: 5e-4, WeightDecay: 5e-4}, 1},
	"prolip_exact_vib":  {Architecture{Objective: ProLIPExact, Optimizer: AdamW}, device.Rate{Rate: 5e-4, WeightDecay: 5e-4}, 1},
	"prolip_full":       {Architecture{Objective: ProLIPFull, Optimizer: AdamW}, device.Rate{Rate: 5e-4, WeightDecay: 5e-4}, 1},
	"probvlm_official":  {Architecture{Objective: ProbVLM, Optimizer: AdamW}, device.Rate{Rate: 1e-4, WeightDecay: 5e-4}, 1},
	"probvlm_exact":     {Architecture{Objective: ProbVLMExact, Optimizer: AdamW}, device.Rate{Rate: 1e-4, WeightDecay: 5e-4}, 1},
	"elip":              {Architecture{Objective: Evidential, Optimizer: AdamW}, device.Rate{Rate: 5e-5, WeightDecay: 0.02}, 1},
	"elip_itc":          {Architecture{Objective: EvidentialITC, Optimizer: AdamW}, device.Rate{Rate: 5e-5, WeightDecay: 0.02}, 1},
	"clip_ensemble":     {Architecture{Objective: Ensemble, Optimizer: AdamW}, device.Rate{Rate: 5e-5, WeightDecay: 0.02}, 1},
	"siglip_vmf_logtau": {Architecture{Objective: SigmoidLog, Likelihood: VonMisesFisher}, gradientDescent, 1},
}

// probes returns values of an objective's last forward and backward pass, by the reference's names.
func probes[F device.Float](o objective[F]) (forward, outputs map[string][]F) {
	switch o := o.(type) {
	case *residual[F]:
		return probes[F](o.asymmetric)
	case *asymmetric[F]:
		// The gradient has overwritten the logits, so they are recomputed.
		ell := device.NewMatrix[F](o.ell.Rows, o.ell.Columns)
		o.likelihood.fill(ell, o.anchors.mu)
		if o.side == Images {
			ell = transposed(ell)
		}
		return map[string][]F{"z": o.network.outputs[len(o.network.outputs)-1].Values, "ell": ell.Values}, map[string][]F{"z": o.dEta.Values}
	case *symmetric[F]:
		ell := device.NewMatrix[F](o.ell.Rows, o.ell.Columns)
		o.prepare(o.networks[Images].outputs[3], o.networks[Texts].outputs[3])
		o.fill(ell, ell)
		return map[string][]F{"z_text": o.networks[Texts].outputs[3].Values, "z_image": o.networks[Images].outputs[3].Values, "ell": ell.Values},
			map[string][]F{"z_text": o.dEta[Texts].Values, "z_image": o.dEta[Images].Values}
	case *frozen[F]:
		name := "logvar"
		if !o.loss.unit() {
			name = "raw"
		}
		forward, outputs = map[string][]F{}, map[string][]F{}
		for side, n := range o.networks {
			forward[name+"_"+Side(side).name()] = n.outputs[3].Values
			outputs[name+"_"+Side(side).name()] = o.dOutput[side].Values
		}
		if loss, ok := o.loss.(*matchingProbability[F]); ok {
			forward["csd"] = distances(loss, o.batch)
		}
		return forward, outputs
	case *reconstruction[F]:
		forward, outputs = map[string][]F{}, map[string][]F{}
		for side, tower := range o.towers {
			for i, name := range [heads]string{"mu_", "raw_q_", "raw_beta_"} {
				forward[name+Side(side).name()] = tower.heads[i].outputs[1].Values
				outputs[name+Side(side).name()] = tower.dOutputs[i].Values
			}
		}
		return forward, outputs
	case *bottleneck[F]:
		return map[string][]F{"v_image": o.units[Images].mu.Values, "v_text": o.units[Texts].mu.Values},
			map[string][]F{"rho": o.cosines.Values}
	}
	return nil, nil
}

// distances returns PCME++'s closed-form distances of a batch.
func distances[F device.Float](m *matchingProbability[F], b varianceBatch[F]) []F {
	csd := device.NewMatrix[F](b.means[Images].Rows, b.means[Texts].Rows)
	m.ops.ProductRightTransposed(csd, b.means[Images], b.means[Texts])
	for s := range csd.Rows {
		for r, cosine := range csd.Row(s) {
			csd.Row(s)[r] = F(2 - 2*float64(cosine) + b.sums[Images][s] + b.sums[Texts][r])
		}
	}
	return csd.Values
}

func transposed[F device.Float](m device.Matrix[F]) device.Matrix[F] {
	turned := device.NewMatrix[F](m.Columns, m.Rows)
	for i := range m.Rows {
		for j, value := range m.Row(i) {
			turned.Row(j)[i] = value
		}
	}
	return turned
}

// checkGolden compares with one file: forward pass, loss, gradients, retrieval, five steps,
// retrieval again.
func checkGolden[F device.Float](t *testing.T, g *golden, c goldenCase, ops device.Operations[F], allow tolerances) {
	l := learnerFrom(g, ops, c.architecture)
	texts, images := goldenMatrix[F](g, "input/text"), goldenMatrix[F](g, "input/image")
	l.SetEpoch(1)
	result, err := l.differentiate(texts, images)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "loss", []float64{result.Loss}, g.values("forward/loss"), allow.loss)
	forward, outputs := probes(l.objective)
	for name, values := range forward {
		near(t, name, values, g.values("forward/"+name), allow.forward)
	}
	for name, values := range outputs {
		near(t, "gradient of "+name, values, g.values("grad_out/"+name), allow.outputs)
	}
	gradients := l.tensors.named("", l.gradient)
	if want := strings.Count(fmt.Sprint(g.names()), " init/"); want != len(gradients) {
		t.Errorf("%d parameters, want %d", len(gradients), want)
	}
	for _, p := range gradients {
		near(t, "gradient of "+p.Name, p.Values, g.values("grad/"+p.Name), allow.parameters*c.gradients)
	}
	checkRetrieval(t, g, "infer", l, allow)

	schedule := CosineSchedule{Initial: c.rate.Rate, Final: 1e-6, Steps: 10}
	for step, want := range g.values("train/loss") {
		rate := c.rate
		rate.Rate = schedule.Rate(step)
		near(t, "learning rate", []float64{rate.Rate}, g.values("train/lr")[step:step+1], 1e-12)
		l.SetEpoch(step + 1) // the reference counts every step as an epoch
		result, err := l.Step(texts, images, rate)
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

// names returns the names of the arrays, each preceded by a space.
func (g *golden) names() string {
	var all strings.Builder
	for name := range g.arrays {
		all.WriteString(" " + name)
	}
	return all.String()
}

// checkRetrieval compares scores, uncertainties and the best items for the learner's current
// parameters.
func checkRetrieval[F device.Float](t *testing.T, g *golden, when string, l *learner[F], allow tolerances) {
	t.Helper()
	images := l.Represent(Images, goldenMatrix[F](g, "input/image"))
	texts := l.Represent(Texts, goldenMatrix[F](g, "input/text"))
	scores := device.NewMatrix[F](7, 7)
	l.Score(scores, images, texts)
	near(t, when+" scores", scores.Values, g.values(when+"/scores"), allow.forward)
	checkDistances(t, g, when, l, allow)
	if r, ok := l.objective.(*reconstruction[F]); ok && r.form == gaussian.Exact {
		// The reference stores the reciprocal of the published form for both forms.
		near(t, when+" mean variances", texts.Uncertainty, g.values(when+"/mean_var_text"), allow.uncertainty)
		invert(texts.Uncertainty)
		invert(images.Uncertainty)
	}
	for name, u := range map[string][]float64{"u_text": texts.Uncertainty, "u_image": images.Uncertainty} {
		if g.arrays[when+"/"+name] != nil && u != nil {
			near(t, when+" "+name, u, g.values(when+"/"+name), allow.uncertainty)
		}
	}
	byText, byImage := make([]int, 7), make([]int, 7)
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
		byText[query], byImage[query] = image, text
		if float64(image) != g.values(when + "/t2i")[query] || float64(text) != g.values(when + "/i2t")[query] {
			t.Errorf("%s: query %d finds image %d and text %d", when, query, image, text)
		}
	}
	uTexts, uImages := l.QueryUncertainty(BestOf(scores), images, texts)
	for name, u := range map[string][]float64{"u_t2i": uTexts, "u_i2t": uImages} {
		if want := g.arrays[when+"/"+name] != nil; want != (u != nil) {
			t.Errorf("%s: %s is %v", when, name, u)
		} else if want {
			near(t, when+" "+name, u, g.values(when+"/"+name), allow.uncertainty)
		}
	}
}

// checkDistances compares the distances of Gaussians by which the program of PCME++ ranks.
func checkDistances[F device.Float](t *testing.T, g *golden, when string, l *learner[F], allow tolerances) {
	t.Helper()
	if g.arrays[when+"/scores_csd"] == nil {
		return
	}
	side := func(side Side, name string) []gaussian.Diagonal {
		means, logVariances, ok := l.Gaussians(side, goldenMatrix[F](g, name))
		if !ok {
			t.Fatalf("%s: distances in the golden file and no Gaussians", when)
		}
		list := make([]gaussian.Diagonal, means.Rows)
		for i := range list {
			for j, mean := range means.Row(i) {
				list[i].Mean = append(list[i].Mean, float64(mean))
				list[i].LogVariance = append(list[i].LogVariance, float64(logVariances.Row(i)[j]))
			}
		}
		return list
	}
	var scores []float64
	for _, image := range side(Images, "input/image") {
		for _, text := range side(Texts, "input/text") {
			scores = append(scores, -gaussian.CSD(image, text))
		}
	}
	near(t, when+" distances", scores, g.values(when+"/scores_csd"), allow.forward)
}

func invert(values []float64) {
	for i, value := range values {
		values[i] = 1 / value
	}
}

func TestTrainingAgreesWithPyTorchInDoublePrecision(t *testing.T) {
	for file := range goldenCases {
		t.Run(file, func(t *testing.T) {
			checkGolden(t, readGolden(t, file), goldenCases[file], device.Reference[float64]{}, tolerances64)
		})
	}
}

func TestTrainingAgreesWithPyTorchInSinglePrecision(t *testing.T) {
	cpu := device.NewCPU(2)
	defer cpu.Close()
	for _, ops := range []device.Device{device.Reference[float32]{}, cpu} {
		for file := range goldenCases {
			t.Run(strings.Fields(ops.Name())[0]+"/"+file, func(t *testing.T) {
				checkGolden(t, readGolden(t, file), goldenCases[file], ops, tolerances32)
			})
		}
	}
}

func TestLossGradientsAgreeWithPyTorchForSmallAndLargeConcentrations(t *testing.T) {
	g := readGolden(t, "functions")
	kinds := map[string]Likelihood{"vmf": VonMisesFisher, "vmf_exact": VonMisesFisherExact, "ps": PowerSpherical, "cosine": Cosine, "gauss": Gaussian}
	for name, kind := range kinds {
		prefix := "kernel/" + name + "/"
		z, x := goldenMatrix[float64](g, "kernel/z"), goldenMatrix[float64](g, "kernel/x")
		tau := g.values("kernel/tau")[0]
		ops := device.Reference[float64]{}
		likelihood, err := likelihoodFor(kind, z.Columns, z.Rows)
		if err != nil {
			t.Fatal(err)
		}
		ell, dEta := device.NewMatrix[float64](x.Rows, z.Rows), device.NewMatrix[float64](z.Rows, z.Columns)
		likelihood.prepare(z)
		likelihood.fill(ell, x)
		near(t, prefix+"ell", ell.Values, g.values(prefix+"ell"), 1e-9)
		c := contrastive[float64]{ops: ops}
		loss, slopes := c.loss(ell, tau)
		near(t, prefix+"loss", []float64{loss}, g.values(prefix+"infonce/loss"), 1e-9)
		near(t, prefix+"dTau", []float64{slopes.dScale}, g.values(prefix+"infonce/grad_tau"), 1e-9)
		likelihood.gradient(dEta, slopes, x, tau)
		near(t, prefix+"dEta", dEta.Values, g.values(prefix+"infonce/grad_z"), 1e-9)
	}
}

func TestOppositePairStaysFinite(t *testing.T) {
	g := readGolden(t, "functions")
	z, x := goldenMatrix[float64](g, "kernel/z"), goldenMatrix[float64](g, "kernel/x")
	copy(z.Row(1), g.values("kernel/ps/antipodal/z1"))
	likelihood, err := likelihoodFor(PowerSpherical, z.Columns, z.Rows)
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
