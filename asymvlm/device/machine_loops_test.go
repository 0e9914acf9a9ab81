package device

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gosphere/asymvlm/special"
)

// plainForms are the loops of loops.go and loops_losses.go with the arguments of the assembly
// functions. They change the inputs of a trial and return the results.
var plainForms = map[string]func(c trial) []float64{
	"sumExpAVX2": func(c trial) []float64 {
		return []float64{float64(sumExp(c.inputs["src"], c.scalars["scale"], c.scalars["shift"]))}
	},
	"addExpAVX2": func(c trial) []float64 {
		addExp(c.inputs["acc"], c.inputs["src"], c.inputs["shift"], c.scalars["scale"])
		return nil
	},
	"expAVX2":   func(c trial) []float64 { return []float64{exponentials(c.inputs["dst"], c.inputs["src"])} },
	"log1pAVX2": func(c trial) []float64 { log1p(c.inputs["dst"], c.inputs["src"]); return nil },
	"largestAVX2": func(c trial) []float64 {
		return []float64{float64(largest(c.inputs["src"], c.scalars["scale"], c.scalars["least"]))}
	},
	"raiseAVX2": func(c trial) []float64 { raise(c.inputs["acc"], c.inputs["src"], c.scalars["scale"]); return nil },
	"addAVX2":   func(c trial) []float64 { add(c.inputs["dst"], c.inputs["src"]); return nil },
	"addRectifiedAVX2": func(c trial) []float64 {
		addBias(c.inputs["dst"], c.inputs["src"], true)
		return nil
	},
	"maskAVX2": func(c trial) []float64 { mask(c.inputs["dst"], c.inputs["src"]); return nil },
	"dotAVX2":  func(c trial) []float64 { return []float64{dot(c.inputs["a"], c.inputs["b"])} },
	"combineAVX2": func(c trial) []float64 {
		combine(c.inputs["dst"], c.inputs["src"], c.scalars["own"], c.scalars["other"])
		return nil
	},
	"updateAVX2": func(c trial) []float64 {
		update(c.inputs["dst"], c.inputs["velocity"], c.inputs["gradient"],
			Rate{float64(c.scalars["rate"]), float64(c.scalars["momentum"]), float64(c.scalars["decay"])})
		return nil
	},
	"adamAVX2": func(c trial) []float64 {
		adam(c.inputs["dst"], [2][]float32{c.inputs["first"], c.inputs["second"]}, c.inputs["gradient"],
			AdamStep{float64(c.scalars["keep"]), float64(c.scalars["size"]), float64(c.scalars["correction"])})
		return nil
	},
	"contrastAVX2": func(c trial) []float64 {
		return []float64{contrast(c.inputs["dst"], c.inputs["src"], c.inputs["columns"], c.inputs["sums"],
			contrastFactors{c.scalars["scale"], c.scalars["row"], c.scalars["weight"]})}
	},
	"softplusSumAVX2": func(c trial) []float64 { return []float64{softplusSum(c.inputs["src"])} },
	"sigmoidPairsAVX2": func(c trial) []float64 {
		s := sigmoidPairs(c.inputs["dst"], c.inputs["src"], c.inputs["columns"], c.inputs["sums"],
			contrastFactors{c.scalars["scale"], c.scalars["row"], c.scalars["weight"]})
		return []float64{s.loss, s.sum, s.dot}
	},
	"powerLogitsAVX2": func(c trial) []float64 {
		powerLogits(c.inputs["dst"], c.inputs["cosines"], c.inputs["kappa"], c.inputs["logs"])
		return nil
	},
	"powerGradientAVX2": func(c trial) []float64 {
		powerGradient(c.inputs["dst"], c.inputs["slopes"], c.inputs["cosines"], c.inputs["radial"])
		return nil
	},
	"variancesAVX2": func(c trial) []float64 {
		return []float64{matchedVariances([2][]float32{c.inputs["dOne"], c.inputs["dTwo"]}, [2][]float32{c.inputs["one"], c.inputs["two"]},
			[2][]float32{c.inputs["meanOne"], c.inputs["meanTwo"]}, float64(c.scalars["weight"]))}
	},
	"softplusAVX2":      func(c trial) []float64 { plainSoftplus(c, nil); return nil },
	"softplusSlopeAVX2": func(c trial) []float64 { plainSoftplus(c, c.inputs["slope"]); return nil },
	"headsAVX2":         func(c trial) []float64 { plainGamma(c); return nil },
	"linearAVX2":        func(c trial) []float64 { return []float64{plainHeads(c, linearResidual)} },
	"powerAVX2":         func(c trial) []float64 { return []float64{plainHeads(c, powerResidual)} },
	"momentsAVX2": func(c trial) []float64 {
		for i, b := range c.inputs["shapes"] {
			inverse := 1 / math.Min(float64(b), 5)
			c.inputs["dst"][i] = float32(math.Exp(special.LogGammaDifference(inverse, 2*inverse)))
		}
		return nil
	},
	"scaledMomentsAVX2": func(c trial) []float64 {
		sum := 0.0
		for i, q := range c.inputs["scales"] {
			a := min(max(1/float64(q), 1e-4), 5)
			sum += a * a * float64(c.inputs["moments"][i])
		}
		return []float64{sum}
	},
	"geluAVX2": func(c trial) []float64 { gelu(c.inputs["dst"]); return nil },
	"sigmoidTimesAVX2": func(c trial) []float64 {
		sigmoidTimes(c.inputs["dst"], c.scalars["scale"], c.scalars["cubic"])
		return nil
	},
	"noneAboveAVX2": func(c trial) []float64 { return []float64{float64(c.n)} },
}

func plainSoftplus(c trial, slope []float32) {
	for i, x := range c.inputs["src"] {
		c.inputs["dst"][i] = float32(special.Softplus(float64(x))) + c.scalars["shift"]
		if slope != nil {
			slope[i] = float32(special.Sigmoid(float64(x)))
		}
	}
}

// plainGamma computes the term log Γ(1+1/β) − log q of the loss against both targets, with its
// factor, and the derivative with respect to β without it.
func plainGamma(c trial) {
	for i, beta := range c.inputs["shapes"] {
		z := 1 + 1/float64(beta)
		gamma, _ := math.Lgamma(z)
		c.inputs["gamma"][i] = float32(likelihoodShare * (1 + crossWeight) * (gamma - math.Log(float64(c.inputs["scales"][i]))))
		c.inputs["dShape"][i] = float32(-(1 + crossWeight) * special.Digamma(z) / float64(beta*beta))
	}
}

// plainHeads computes the loss from the results of plainGamma.
func plainHeads(c trial, form func(apart, q, beta float64) (residual, dApart, dQ, dBeta float64)) (loss float64) {
	share, weight := likelihoodShare*float64(c.scalars["weight"]), float64(c.scalars["weight"])
	for i, mean := range c.inputs["mean"] {
		q, beta := float64(c.inputs["scales"][i]), float64(c.inputs["shapes"][i])
		dMean, dQ, dBeta := 0.0, -(1+crossWeight)/q, float64(c.inputs["dGamma"][i])
		loss += float64(c.inputs["gamma"][i])
		for target, weight := range map[string]float64{"own": 1, "other": crossWeight} {
			apart := float64(mean - c.inputs[target][i])
			residual, dApart, dq, db := form(math.Abs(apart), q, beta)
			loss += weight * (math.Abs(apart) + likelihoodShare*residual)
			if apart != 0 {
				dMean += weight * math.Copysign(1+likelihoodShare*dApart, apart)
			}
			dQ += weight * dq
			dBeta += weight * db
		}
		c.inputs["dMean"][i] = float32(weight * dMean)
		c.inputs["dScale"][i] *= float32(share * dQ)
		c.inputs["dShape"][i] *= float32(share * dBeta)
	}
	return loss
}

// The assembly agrees with the loops on every CPU that runs this test: the emulator does not need
// AVX2.
func TestTheAssemblyMeansTheLoops(t *testing.T) {
	for name := range assembled {
		plain := plainForms[name]
		if plain == nil {
			t.Errorf("%s has no loop", name)
			continue
		}
		for _, n := range []int{8, 24, 104} {
			c := try(t, name, n, nil)
			runOrFail(t, c.machine)
			want, tolerance := plain(c), 3e-6
			if name == "momentsAVX2" {
				tolerance = 6e-6 // relative, for exp(x) with x up to 16: one rounding of x contributes 1e-6
			}
			for argument, b := range c.buffers {
				near(t, fmt.Sprintf("%s of %d values: %s", name, n, argument), b.values(), wideSlice(c.inputs[argument]), tolerance)
			}
			for i, p := range c.results {
				got := float64(f32(uint32(c.machine.results[p.key()])))
				switch p.kind {
				case "float64":
					got = math.Float64frombits(c.machine.results[p.key()])
				case "int":
					got = float64(c.machine.results[p.key()])
				}
				if !(math.Abs(got-want[i]) <= 1e-5*math.Max(1, math.Abs(want[i]))) {
					t.Errorf("%s of %d values returns %g for result %d, want %g", name, n, got, i, want[i])
				}
			}
		}
	}
}

// Every constant fills one vector, no two are equal, and each is used by a tested function.
func TestTheTableOfConstantsHasEachOnceAndNoneInVain(t *testing.T) {
	a, err := readAssembly()
	if err != nil {
		t.Fatal(err)
	}
	used := map[int]bool{}
	for name := range assembled {
		c := try(t, name, 8, nil)
		runOrFail(t, c.machine)
		for at := range c.machine.constants {
			used[at] = true
		}
	}
	m, _ := randomMachine(1, newPhilox(1), [3]uint32{})
	runOrFail(t, m)
	for at := range m.constants {
		used[at] = true
	}
	places := map[string]int{}
	for at := 0; at+32 <= len(a.constants); at += 32 {
		vector := string(a.constants[at : at+32])
		if vector != strings.Repeat(vector[:4], 8) {
			t.Errorf("the constant at %d differs between its lanes: % x", at, vector)
		}
		if other, twice := places[vector]; twice {
			t.Errorf("the constant at %d is there already at %d", at, other)
		}
		places[vector] = at
		if !used[at] {
			t.Errorf("nothing uses the constant at %d, % x", at, vector[:4])
		}
	}
	if len(places) < 30 || len(a.constants)%32 != 0 {
		t.Errorf("%d constants in %d bytes", len(places), len(a.constants))
	}
}

func TestPanelsAreCopiedAndAddedUpWhateverTheStride(t *testing.T) {
	source := rand.New(rand.NewPCG(3, 3))
	for _, width := range []int{4, 12, 24, 32} {
		for _, depth := range []int{1, 2, 7} {
			for _, beside := range []int{0, 1, 5} {
				stride := width + beside
				values := random(1, (depth-1)*stride+width, source).Values
				m := newMachine(fmt.Sprintf("copyPanel%d", width))
				dst := m.give("dst+0", make([]float32, depth*width))
				src := m.give("src+8", values)
				m.arguments["stride+16"], m.arguments["depth+24"] = uint64(stride), uint64(depth)
				runOrFail(t, m)
				for i, got := range dst.values() {
					if want := values[i/width*stride+i%width]; got != want {
						t.Fatalf("%d rows of %d, %d apart: value %d is %g, want %g", depth, width, stride, i, got, want)
					}
				}
				for i, count := range src.read {
					if in := i/4%stride < width; in != (count == 1) {
						t.Fatalf("byte %d of rows %d apart is read %d times", i, stride, count)
					}
				}
			}
			values, before := random(depth, width, source).Values, random(1, width, source).Values
			m := newMachine(fmt.Sprintf("sumPanel%d", width))
			sums := m.give("sums+0", before)
			m.give("src+8", values)
			m.arguments["depth+16"] = uint64(depth)
			runOrFail(t, m)
			for j, got := range sums.values() {
				want := before[j]
				for row := range depth {
					want += values[row*width+j]
				}
				if got != want {
					t.Errorf("sum %d of %d rows of %d is %g, want %g", j, depth, width, got, want)
				}
			}
		}
	}
}

func TestFourRowsAreTransposedIntoAPanel(t *testing.T) {
	source := rand.New(rand.NewPCG(4, 4))
	for _, panel := range []int{4, 12, 32} {
		for _, eights := range []int{1, 3} {
			stride := 8*eights + 3
			values := random(1, 3*stride+8*eights, source).Values
			m := newMachine("transposeFour")
			dst := m.give("dst+0", make([]float32, (8*eights-1)*panel+4))
			m.give("src+16", values)
			m.arguments["panel+8"], m.arguments["stride+24"], m.arguments["eights+32"] = uint64(panel), uint64(stride), uint64(eights)
			runOrFail(t, m)
			got := dst.values()
			for k := range 8 * eights {
				for row := range 4 {
					if got[k*panel+row] != values[row*stride+k] {
						t.Fatalf("value %d of row %d is %g, want %g", k, row, got[k*panel+row], values[row*stride+k])
					}
				}
			}
			for i, count := range dst.written {
				if in := i/4%panel < 4; in != (count == 1) {
					t.Fatalf("byte %d of a panel of %d is written %d times", i, panel, count)
				}
			}
		}
	}
}

func TestTheMachineRefusesWhatItDoesNotKnow(t *testing.T) {
	for body, want := range map[string]string{
		"VADDPS Y1, Y2, Y3":                     "Y1 is read before it is set",
		"ADDQ $0x01, AX":                        "AX is read before it is set",
		"VPADDQ Y0, Y0, Y0":                     "VPADDQ is not known",
		"XORQ AX, AX":                           "is not known",
		"MOVQ other+0(FP), AX":                  "there is no argument other+0",
		"MOVQ src+0(FP), AX\nVMOVUPS 4(AX), Y0": "argument 0 of 32 bytes has no 32 at place 4",
		"MOVQ src+0(FP), AX\nSUBQ $0x04, AX\nVMOVUPS (AX), X0": "has no 16 at place -4",
		"MOVQ $0x05, AX\nVMOVUPS (AX), Y0":                     "address 0x5 is of no argument",
		"VMOVUPS constants<>+64(SB), Y0":                       "there is no such constant",
		"VMOVUPS constants<>+4(SB), Y0":                        "there is no such constant",
		"VXORPS Y0, Y0, Y0\nVCMPPS $0x1f, Y0, Y0, Y1":          "compares another way",
		"VXORPS Y0, Y0, Y0\nVROUNDPS $0x01, Y0, Y1":            "rounds another way",
		"VXORPS Y0, Y0, Y0\nVMOVUPS Y0, nowhere":               "operand nowhere is not understood",
		"MOVQ $0x01, AX\nTESTQ AX, AX\nJNZ nowhere":            "there is no such label",
		"loop:\nMOVQ $0x01, AX\nTESTQ AX, AX\nJNZ loop":        "there is no end",
		"MOVQ $0x01, AX": "there is no end",
	} {
		m := newMachine("try")
		m.give("src+0", make([]float32, 8))
		err := m.run(parseAssembly("DATA constants<>+28(SB)/4, $0x3f800000\nTEXT ·try(SB), NOSPLIT, $0-8\n" + body + "\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", body, err, want)
		}
	}
	if err := newMachine("none").run(parseAssembly("")); err == nil || err.Error() != "there is no none" {
		t.Errorf("error %v", err)
	}
}

// One rounding, not two: halves of the last bit that the float64 sum would first round to even.
func TestFusedProductsRoundOnce(t *testing.T) {
	tiny := float32(0x1p-60)
	for _, test := range []struct{ a, b, c, want float32 }{
		{1 + 0x1p-12, 1 + 0x1p-12, tiny, 1 + 0x1p-11 + 0x1p-23}, // 1 + 2⁻¹¹ + 2⁻²⁴ + 2⁻⁶⁰ is above the midpoint
		{1 + 0x1p-12, 1 + 0x1p-12, -tiny, 1 + 0x1p-11},
		{1 + 0x1p-12, 1 - 0x1p-12, -1, -0x1p-24},
		{3, 5, -15, 0},
		{float32(math.Inf(1)), 1, 2, float32(math.Inf(1))},
		{3e38, 10, 0, float32(math.Inf(1))},
	} {
		if got := fusedOnce(test.a, test.b, test.c); got != test.want {
			t.Errorf("%g·%g + %g is %g, want %g", test.a, test.b, test.c, got, test.want)
		}
	}
	if nan := fusedOnce(float32(math.Inf(1)), 0, 1); nan == nan {
		t.Errorf("∞·0 is %g", nan)
	}
}
