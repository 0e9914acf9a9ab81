package sphere

import (
	"math"
	"testing"
)

// sharp holds measures of densities with large κ, computed with 160 digits. The terms of size κ
// cancel in their definitions and leave no correct digit in float64.
var sharp = []struct {
	d     int
	kappa float64
	// von Mises–Fisher: the divergence from the uniform density, the divergence from the density
	// with κ/2, and the logarithm of the inner product with itself
	toUniform, toHalf, inner float64
	// power spherical: the same two divergences
	powerToUniform, powerToHalf float64
}{
	{2, 700, 3.6941211744548162, 0.096663132145778373, 2.0097599633232019, 3.3482622532428068, 0.096484304649202225},
	{2, 1e+06, 7.3266935621866223, 0.096573652780097655, 5.6422429679973823, 6.9801204719068371, 0.096573527779972655},
	{2, 1e+12, 14.234449091168697, 0.096573590280035155, 12.549998434479441, 13.887875500889224, 0.096573590279910155},
	{2, 1e+30, 34.957714928115358, 0.096573590279972655, 33.27326427142604, 34.611141337835385, 0.096573590279972655},
	{2, 1e+99, 114.39690063640993, 0.096573590279972655, 112.71244997972062, 114.05032704612996, 0.096573590279972655},
	{3, 700, 6.24422751560335, 0.19314718055994531, 4.0200560880741139, 5.5539344205581279, 0.19243493033049318},
	{3, 1e+06, 13.508657738524219, 0.19314718055994531, 11.284486310994983, 12.815512557962774, 0.19314668056094531},
	{3, 1e+12, 27.324168296488494, 0.19314718055994531, 25.099996868959257, 26.631021115930548, 0.19314718055944531},
	{3, 1e+30, 68.770699970381316, 0.19314718055994531, 66.54652854285208, 68.077552789821371, 0.19314718055994531},
	{3, 1e+99, 227.64907138697047, 0.19314718055994531, 225.42489995944123, 226.95592420641052, 0.19314718055994531},
	{4, 700, 8.553484433658118, 0.28945214574871423, 6.030888374081149, 7.5201765779044209, 0.28785541759230622},
	{4, 1e+06, 19.449057939591701, 0.28972058333954296, 16.926730028992803, 18.409341668744096, 0.28971945834466795},
	{4, 1e+12, 40.1723230265383, 0.28972077083973046, 37.649995303439449, 39.132602255702882, 0.28972077083860546},
	{4, 1e+30, 102.34212053737678, 0.28972077083991796, 99.81979281427812, 101.30239976653687, 0.28972077083991796},
	{4, 1e+99, 340.65967766226051, 0.28972077083991796, 338.13734993916185, 339.61995689142059, 0.28972077083991796},
	{64, 700, 77.571705752623699, 5.7406480571579641, 127.66178985819785, 58.36586249407993, 5.1611298369891883},
	{64, 1e+06, 305.0286957091261, 6.0838959996581125, 355.46203935926223, 283.19654391360132, 6.0833999465789582},
	{64, 1e+12, 740.21631753524108, 6.0841361873980897, 790.64990137293717, 718.3821813495873, 6.0841361869019647},
	{64, 1e+30, 2045.7820652619042, 6.0841361876382772, 2096.2156490998405, 2023.947929074266, 6.0841361876382772},
	{64, 1e+99, 7050.4507648844625, 6.0841361876382772, 7100.8843487223988, 7028.6166286968242, 6.0841361876382772},
	{512, 700, 171.79697668278915, 28.43812488773551, 1095.9228699196972, 104.05050154171199, 17.495126720579769},
	{512, 1e+06, 1936.8822787299539, 49.332848414022536, 2883.2350210498363, 1759.9136763399985, 49.300247111428142},
	{512, 1e+12, 5466.6802015567868, 49.349104616809839, 6413.0492000678588, 5289.5810970542813, 49.349104584169714},
	{512, 1e+30, 16056.269044171378, 49.349104633066027, 17002.638042698706, 15879.169939538312, 49.349104633066027},
	{512, 1e+99, 56649.692941109907, 49.349104633066027, 57596.061939637235, 56472.59383647684, 49.349104633066027},
}

func TestSharpDensitiesKeepTheirDigits(t *testing.T) {
	for _, c := range sharp {
		vmf, err := NewVonMisesFisherNormalizer(c.d)
		if err != nil {
			t.Fatal(err)
		}
		power, err := NewPowerSphericalNormalizer(c.d)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []struct {
			name      string
			got, want float64
		}{
			{"KLToUniform", vmf.KLToUniform(c.kappa), c.toUniform},
			{"Entropy", vmf.Entropy(c.kappa), -vmf.LogNormalizerAtZero() - c.toUniform},
			{"KLDivergence", vmf.KLDivergence(c.kappa, c.kappa/2, 1), c.toHalf},
			{"LogInnerProduct", vmf.LogInnerProduct(c.kappa, c.kappa, 1), c.inner},
			{"power spherical KLToUniform", power.KLToUniform(c.kappa), c.powerToUniform},
			{"power spherical Entropy", power.Entropy(c.kappa), -power.LogNormalizerAtZero() - c.powerToUniform},
			{"power spherical KLSameDirection", power.KLSameDirection(c.kappa, c.kappa/2), c.powerToHalf},
		} {
			if !(math.Abs(m.got-m.want) <= 1e-11*(1+math.Abs(m.want))) {
				t.Errorf("d = %d, κ = %g: %s %.17g, want %.17g", c.d, c.kappa, m.name, m.got, m.want)
			}
		}
	}
}

// TestSharpFormsMeetTheOthers compares both forms at the κ where one replaces the other.
func TestSharpFormsMeetTheOthers(t *testing.T) {
	for _, d := range []int{2, 3, 5, 64, 512, 4096} {
		vmf, _ := NewVonMisesFisherNormalizer(d)
		power, _ := NewPowerSphericalNormalizer(d)
		kappa := float64(d + 41)
		near := func(name string, got, want float64) {
			if math.Abs(got-want) > 1e-12*(1+kappa) {
				t.Errorf("d = %d: %s %.15g, by the other form %.15g", d, name, got, want)
			}
		}
		near("KLToUniform", vmf.KLToUniform(kappa), kappa*vmf.MeanResultantLength(kappa)+vmf.LogNormalizerShifted(kappa))
		near("KLDivergence", vmf.KLDivergence(kappa, 2, 0.25),
			vmf.LogNormalizerShifted(kappa)-vmf.LogNormalizerShifted(2)+vmf.MeanResultantLength(kappa)*(kappa-2*0.25))
		near("KLDivergence from a flat one", vmf.KLDivergence(2, kappa, 0.25),
			vmf.LogNormalizerShifted(2)-vmf.LogNormalizerShifted(kappa)+vmf.MeanResultantLength(2)*(2-kappa*0.25))
		sum := math.Sqrt(kappa*kappa + 9 + 6*kappa*0.25)
		near("LogInnerProduct", vmf.LogInnerProduct(kappa, 3, 0.25),
			vmf.LogNormalizerShifted(kappa)+vmf.LogNormalizerShifted(3)-vmf.LogNormalizerShifted(sum)+vmf.LogNormalizerAtZero())
		near("GaussianExcess", vmf.GaussianExcess(kappa), GaussianLogLikelihood(d, kappa, 0)-vmf.LogNormalizer(kappa))
		near("power spherical KLToUniform", power.KLToUniform(kappa), power.LogNormalizerShifted(kappa)-kappa*power.Derivative(kappa))
		near("power spherical KLSameDirection", power.KLSameDirection(2, kappa),
			power.LogNormalizerShifted(2)-power.LogNormalizerShifted(kappa)-(2-kappa)*power.Derivative(2))
	}
}
