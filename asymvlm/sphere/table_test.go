package sphere

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// sharedFile returns the path of a file of the reference material, which may lie next to the
// repository, or skips the test.
func sharedFile(t *testing.T, path ...string) string {
	t.Helper()
	for up := ".."; strings.Count(up, "..") <= 3; up += "/.." {
		file := filepath.Join(append([]string{up, "shared"}, path...)...)
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	t.Skip("the reference file " + filepath.Join(path...) + " is not here")
	return ""
}

// readJSON decodes a JSON file into value.
func readJSON(t *testing.T, path string, value any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, value); err != nil {
		t.Fatal(err)
	}
}

// number parses a decimal number.
func number(t *testing.T, s string) float64 {
	t.Helper()
	value, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// errors records the largest error of each of several quantities.
type errors map[string]struct {
	error float64
	where string
}

// relative records |got − want|/|want|.
func (e errors) relative(name, where string, got, want float64) {
	if got != want {
		e.see(name, where, math.Abs(got-want)/math.Abs(want))
	}
}

// scaled records |got − want|/max(1, |want|).
func (e errors) scaled(name, where string, got, want float64) {
	e.see(name, where, math.Abs(got-want)/max(1, math.Abs(want)))
}

func (e errors) see(name, where string, value float64) {
	if old, seen := e[name]; !seen || !(value <= old.error) {
		e[name] = struct {
			error float64
			where string
		}{value, where}
	}
}

// atMost fails for every quantity whose error is above its limit or that was never recorded.
func (e errors) atMost(t *testing.T, limits map[string]float64) {
	t.Helper()
	for name, limit := range limits {
		worst, seen := e[name]
		t.Logf("%-22s %.2g at %s", name, worst.error, worst.where)
		if !seen || !(worst.error <= limit) {
			t.Errorf("%s: error %g at %s, want at most %g", name, worst.error, worst.where, limit)
		}
	}
}

// normalizers returns all three normalizers of a dimension.
func normalizers(t testing.TB, d int) (*VonMisesFisherNormalizer, *PaperNormalizer, *PowerSphericalNormalizer) {
	t.Helper()
	exact, err := NewVonMisesFisherNormalizer(d)
	if err != nil {
		t.Fatal(err)
	}
	paper, err := NewPaperNormalizer(d)
	if err != nil {
		t.Fatal(err)
	}
	power, err := NewPowerSphericalNormalizer(d)
	if err != nil {
		t.Fatal(err)
	}
	return exact, paper, power
}

func TestDensitiesAgreeWithTableOf40Digits(t *testing.T) {
	var table []struct {
		Dimension        int
		Kappa            string
		AtZero           string `json:"at_zero"`
		ZeroBased        string `json:"zero_based"`
		Resultant        string
		ResultantSlope   string `json:"resultant_slope"`
		Entropy          string
		KLToUniform      string `json:"kl_to_uniform"`
		Paper            string
		PowerZeroBased   string `json:"power_zero_based"`
		PowerSlope       string `json:"power_slope"`
		PowerEntropy     string `json:"power_entropy"`
		PowerKLToUniform string `json:"power_kl_to_uniform"`
	}
	readJSON(t, "testdata/table.json", &table)
	if len(table) < 30 {
		t.Fatalf("table of %d rows", len(table))
	}
	seen := errors{}
	for _, row := range table {
		exact, paper, power := normalizers(t, row.Dimension)
		kappa, where := number(t, row.Kappa), "d="+strconv.Itoa(row.Dimension)+" κ="+row.Kappa
		seen.scaled("at zero", where, exact.LogNormalizerAtZero(), number(t, row.AtZero))
		seen.relative("zero-based", where, exact.LogNormalizerShifted(kappa), number(t, row.ZeroBased))
		seen.relative("resultant", where, exact.MeanResultantLength(kappa), number(t, row.Resultant))
		seen.relative("resultant slope", where, exact.MeanResultantSlope(kappa), number(t, row.ResultantSlope))
		seen.scaled("entropy", where, exact.Entropy(kappa), number(t, row.Entropy))
		seen.relative("KL to uniform", where, exact.KLToUniform(kappa), number(t, row.KLToUniform))
		seen.relative("paper", where, paper.LogNormalizerShifted(kappa), number(t, row.Paper))
		seen.scaled("power", where, power.LogNormalizerShifted(kappa), number(t, row.PowerZeroBased))
		seen.scaled("power slope", where, power.Derivative(kappa), number(t, row.PowerSlope))
		seen.scaled("power entropy", where, power.Entropy(kappa), number(t, row.PowerEntropy))
		seen.scaled("power KL", where, power.KLToUniform(kappa), number(t, row.PowerKLToUniform))
	}
	seen.atMost(t, map[string]float64{
		"zero-based": 2e-15, "resultant": 2e-15, "paper": 2e-15, "power": 2e-15, "power slope": 2e-15,
		// log Γ(d/2) from Go's math package, a number in the hundreds, is accurate to a few units
		// in the last place.
		"at zero": 1e-14,
		// The recurrence to d < 64 costs digits for κ much larger than d; see
		// special.BesselI.RatioDerivative.
		"resultant slope": 1e-12,
		// For κ much larger than d these are small differences of numbers of the size of κ.
		"KL to uniform": 1e-12, "power KL": 1e-12, "entropy": 1e-12, "power entropy": 1e-12,
	})
}

// A referencePoint is one point of vmf_reference.json.
type referencePoint struct {
	D     int
	Kappa string
	VMF   map[string]string `json:"vmf"`
	F     map[string]string `json:"F_d"`
	PS    map[string]string `json:"ps"`
}

func TestDensitiesAgreeWithReferencePoints(t *testing.T) {
	var reference struct{ Points []referencePoint }
	readJSON(t, sharedFile(t, "spec", "vmf_reference.json"), &reference)
	if len(reference.Points) != 82 {
		t.Fatalf("%d points, want 82", len(reference.Points))
	}
	seen := errors{}
	for _, p := range reference.Points {
		exact, paper, power := normalizers(t, p.D)
		kappa, where := number(t, p.Kappa), "d="+strconv.Itoa(p.D)+" κ="+p.Kappa
		want := func(values map[string]string, name string) float64 { return number(t, values[name]) }
		seen.scaled("lnC", where, exact.LogNormalizer(kappa), want(p.VMF, "lnC"))
		seen.relative("lnC−lnC0", where, exact.LogNormalizerShifted(kappa), want(p.VMF, "lnC_minus_lnC0"))
		seen.relative("A", where, exact.MeanResultantLength(kappa), want(p.VMF, "A"))
		seen.relative("A′", where, exact.MeanResultantSlope(kappa), want(p.VMF, "A_prime"))
		seen.relative("A/κ", where, -exact.DerivativeOverKappa(kappa), want(p.VMF, "tangential_var_per_dim"))
		seen.scaled("entropy", where, exact.Entropy(kappa), want(p.VMF, "entropy"))
		seen.relative("KL", where, exact.KLToUniform(kappa), want(p.VMF, "kl_to_uniform"))
		seen.scaled("F", where, paper.LogNormalizer(kappa), want(p.F, "value"))
		seen.relative("F−F0", where, paper.LogNormalizerShifted(kappa), want(p.F, "value_minus_value0"))
		seen.relative("F′", where, paper.Derivative(kappa), want(p.F, "prime"))
		seen.scaled("F error", where, paper.LogNormalizerShifted(kappa)-exact.LogNormalizerShifted(kappa), want(p.F, "error_vs_exact_up_to_const"))
		seen.scaled("PS", where, power.LogNormalizerShifted(kappa), want(p.PS, "lnC_minus_lnC0"))
		seen.scaled("PS lnC", where, power.LogNormalizer(kappa), want(p.PS, "lnC"))
		seen.scaled("PS slope", where, power.Derivative(kappa), want(p.PS, "dlnC_dkappa"))
		seen.relative("PS mean", where, power.MeanResultantLength(kappa), want(p.PS, "mean_t"))
		seen.relative("PS variance", where, power.Variance(kappa), want(p.PS, "var_t"))
		seen.scaled("PS entropy", where, power.Entropy(kappa), want(p.PS, "entropy"))
		seen.scaled("PS KL", where, power.KLToUniform(kappa), want(p.PS, "kl_to_uniform"))
	}
	seen.atMost(t, map[string]float64{
		"lnC−lnC0": 1e-13, "A": 1e-13, "A/κ": 1e-13, "F−F0": 1e-13, "F′": 1e-13, "PS mean": 1e-13, "PS variance": 1e-13,
		"lnC": 1e-13, "F": 1e-13, "entropy": 1e-13, "KL": 1e-13, "PS": 1e-13, "PS lnC": 1e-13, "PS slope": 1e-13,
		"PS entropy": 1e-13, "PS KL": 1e-13,
		"F error": 1e-10, // a difference of numbers of the size of κ, here up to 10⁵
		"A′":      1e-11, // d < 64 at κ in the ten thousands; below 1e-14 otherwise
	})
}

func TestConstantsAgreeWithReference(t *testing.T) {
	var reference struct{ Constants map[string]map[string]string }
	readJSON(t, sharedFile(t, "spec", "vmf_reference.json"), &reference)
	seen := errors{}
	for dimension, values := range reference.Constants {
		d := int(number(t, dimension))
		exact, paper, power := normalizers(t, d)
		seen.scaled("lnC(0)", "d="+dimension, exact.LogNormalizerAtZero(), number(t, values["lnC_at_0"]))
		seen.scaled("F(0)", "d="+dimension, paper.LogNormalizerAtZero(), number(t, values["F_d_at_0"]))
		seen.scaled("offset", "d="+dimension, paper.Offset(), number(t, values["F_d_offset_lnC0_minus_F0"]))
		if exact.Dimension() != d || paper.Dimension() != d || power.Dimension() != d {
			t.Errorf("d=%d: dimensions %d, %d, %d", d, exact.Dimension(), paper.Dimension(), power.Dimension())
		}
	}
	seen.atMost(t, map[string]float64{"lnC(0)": 1e-14, "F(0)": 1e-14, "offset": 1e-14})
}

func TestPairsAgreeWithReference(t *testing.T) {
	var reference struct {
		Pairs []struct {
			D                                   int
			Kappa1, Kappa2, Cos_mu1_mu2, Kl_vmf string
			Ln_inner_product                    string
		}
	}
	readJSON(t, sharedFile(t, "spec", "vmf_reference.json"), &reference)
	if len(reference.Pairs) != 12 {
		t.Fatalf("%d pairs, want 12", len(reference.Pairs))
	}
	seen := errors{}
	for _, p := range reference.Pairs {
		kappa1, kappa2, cosine := number(t, p.Kappa1), number(t, p.Kappa2), number(t, p.Cos_mu1_mu2)
		exact, _, _ := normalizers(t, p.D)
		where := "d=" + strconv.Itoa(p.D) + " κ=" + p.Kappa1 + "," + p.Kappa2
		seen.relative("KL", where, exact.KLDivergence(kappa1, kappa2, cosine), number(t, p.Kl_vmf))
		seen.relative("inner product", where, exact.LogInnerProduct(kappa1, kappa2, cosine), number(t, p.Ln_inner_product))
		first, second := densityPair(t, p.D, kappa1, kappa2, cosine)
		seen.relative("KL of densities", where, first.KLDivergence(second), number(t, p.Kl_vmf))
		seen.relative("product of densities", where, first.LogInnerProduct(second), number(t, p.Ln_inner_product))
	}
	// The cosines of the table are decimals; a cosine of 0.95 as a float64 is off by 5e-17.
	seen.atMost(t, map[string]float64{"KL": 1e-12, "inner product": 1e-12, "KL of densities": 1e-10, "product of densities": 1e-12})
}

// densityPair returns two densities whose mean directions have the given cosine.
func densityPair(t *testing.T, d int, kappa1, kappa2, cosine float64) (first, second *VonMisesFisher) {
	t.Helper()
	mu1, mu2 := make([]float64, d), make([]float64, d)
	mu1[0], mu2[0], mu2[1] = 1, cosine, math.Sqrt((1-cosine)*(1+cosine))
	first, err := NewVonMisesFisher(mu1, kappa1, nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err = NewVonMisesFisher(mu2, kappa2, nil)
	if err != nil {
		t.Fatal(err)
	}
	return first, second
}

// golden reads an array of functions.npz.
func golden(t *testing.T, arrays map[string]*embedding.Array, name string) []float64 {
	t.Helper()
	if arrays[name] == nil {
		t.Fatalf("no array %q", name)
	}
	values, err := arrays[name].Float64s()
	if err != nil {
		t.Fatal(err)
	}
	return values
}

func TestDensitiesAgreeWithGoldenArrays(t *testing.T) {
	arrays, err := embedding.ReadNPZ(sharedFile(t, "golden", "functions.npz"))
	if err != nil {
		t.Fatal(err)
	}
	seen := errors{}
	for _, d := range []int{12, 64, 512, 768} {
		exact, paper, power := normalizers(t, d)
		where := "d=" + strconv.Itoa(d)
		kappas := golden(t, arrays, "density/d"+strconv.Itoa(d)+"/kappa")
		for name, f := range map[string]func(float64) float64{
			"F": paper.LogNormalizer, "F_zero": paper.LogNormalizerShifted, "F_slope": paper.Derivative, "lnC": exact.LogNormalizer,
			"lnC_zero": exact.LogNormalizerShifted, "A": exact.MeanResultantLength, "A_prime": exact.MeanResultantSlope,
			"entropy": exact.Entropy, "kl_uniform": exact.KLToUniform, "ps_lnC": power.LogNormalizer,
			"ps_lnC_zero": power.LogNormalizerShifted, "ps_slope": power.Derivative, "ps_mean": power.MeanResultantLength,
			"ps_entropy": power.Entropy, "ps_kl_uniform": power.KLToUniform,
		} {
			want := golden(t, arrays, "density/d"+strconv.Itoa(d)+"/"+name)
			for i, got := range Each(nil, f, kappas) {
				seen.scaled(name, where+" κ="+strconv.FormatFloat(kappas[i], 'g', -1, 64), got, want[i])
			}
		}
		prefix := "density_pair/d" + strconv.Itoa(d) + "/"
		kappa2, cosine := golden(t, arrays, prefix+"kappa2"), golden(t, arrays, prefix+"cosine")
		kl, product := golden(t, arrays, prefix+"kl_vmf"), golden(t, arrays, prefix+"ln_inner_product")
		same := golden(t, arrays, prefix+"kl_ps_same_mean")
		for i, kappa1 := range golden(t, arrays, prefix+"kappa1") {
			seen.scaled("pair KL", where, exact.KLDivergence(kappa1, kappa2[i], cosine[i]), kl[i])
			seen.scaled("pair product", where, exact.LogInnerProduct(kappa1, kappa2[i], cosine[i]), product[i])
			seen.scaled("pair PS KL", where, power.KLSameDirection(kappa1, kappa2[i]), same[i])
		}
	}
	limits := map[string]float64{}
	for name := range seen {
		limits[name] = 1e-12 // the golden arrays ask for 1e-9
	}
	if len(limits) != 18 {
		t.Errorf("%d quantities compared, want 18", len(limits))
	}
	seen.atMost(t, limits)
}
