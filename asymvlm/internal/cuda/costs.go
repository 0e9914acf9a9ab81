package cuda

import "gosphere/asymvlm/device"

// ofDouble counts about 130 operations on double numbers, which the H200 performs at half the rate.
const ofDouble = 2 * 130

// kernelCosts returns the words and operations of a kernel from its arguments and its grid.
var kernelCosts = map[string]func(argument func(int) float64, grid Size) (words, operations float64){
	"gather": func(a func(int) float64, g Size) (float64, float64) { // the anchor's row is in the cache the second time
		values := float64(g.X) * a(9)
		return 4*values + 4*float64(g.X), 4 * values
	},
	"add_bias": func(a func(int) float64, _ Size) (float64, float64) { return 2*a(2)*a(3) + a(3), 2 * a(2) * a(3) },
	"prepare": func(a func(int) float64, g Size) (float64, float64) {
		values := float64(g.X) * a(5)
		if kind := int(a(7)); kind == densities[device.DensityPowerSpherical] || kind == densities[device.DensityNone] {
			return 3*values + 3*float64(g.X), 4 * values // the direction is written as well
		}
		return 2*values + 3*float64(g.X), 3 * values
	},
	"gather_groups":          func(a func(int) float64, _ Size) (float64, float64) { return 3 * a(5), a(5) },
	"sums_linear":            sumsCost(6),
	"sums_power":             sumsCost(9),
	"sums_linear_masked":     masked(sumsCost(7), 8),
	"sums_power_masked":      masked(sumsCost(10), 8),
	"gradient_linear_masked": masked(gradientCost(11, 1), 10),
	"gradient_power_masked":  masked(gradientCost(21, 2), 10),
	"merge":                  func(a func(int) float64, _ Size) (float64, float64) { return (2*a(3) + 1) * a(4), 4 * a(3) * a(4) },
	"gradient_linear":        gradientCost(10, 1),
	"gradient_power":         gradientCost(20, 2),
	"along": func(a func(int) float64, _ Size) (float64, float64) {
		return (1+a(6))*a(4)*a(5) + 2*a(5), (1 + a(6)) * a(4) * a(5)
	},
	"combine": func(a func(int) float64, g Size) (float64, float64) {
		values := float64(g.X) * a(5)
		return 3*values + 2*float64(g.X), 6 * values
	},
	"report": func(a func(int) float64, _ Size) (float64, float64) {
		vectors := 1 + a(10) // the losses, and the squares of every side
		if a(5) != 0 {
			vectors++ // the concentrations
		}
		return vectors*a(8) + a(9), vectors*a(8) + a(9)
	},
	"gather_both": func(a func(int) float64, g Size) (float64, float64) { // a row is in the cache the second time
		values := float64(g.X*g.Y) * a(9)
		return 2*values + 2*float64(g.X*g.Y), (1 + 2*a(12)) * values
	},
	"variances_of": func(a func(int) float64, g Size) (float64, float64) {
		rows, values := float64(g.X), float64(g.X)*a(5)
		if a(2) == 0 {
			return 2*values + rows, 2 * values
		}
		return 3*values + 2*rows, 8 * values
	},
	"sigmoid_pairs":        sigmoidCost(17),
	"sigmoid_pairs_masked": masked(sigmoidCost(18), 8),
	"bottleneck": func(a func(int) float64, g Size) (float64, float64) {
		return float64(g.X) * a(3), float64(g.X) * a(3)
	},
	"variance_gradient": func(a func(int) float64, g Size) (float64, float64) {
		rows, values := float64(g.X), float64(g.X)*a(6)
		if a(4) == 0 {
			return 2*values + 2*rows, 3 * values
		}
		return 3*values + 2*rows, 7 * values
	},
	"report_pairs": func(a func(int) float64, _ Size) (float64, float64) { return 6*a(10) + 2*a(12), 9*a(10) + 2*a(12) },
	"matched_variances": func(a func(int) float64, g Size) (float64, float64) {
		rows, values := float64(g.X), float64(g.X)*a(9)
		return 6*values + 3*rows, 33 * values
	},
	"report_rows": func(a func(int) float64, _ Size) (float64, float64) {
		vectors := 1 + 2*a(8) // the traces, the losses and the squares of every side
		if a(4) != 0 {
			vectors += a(8)
		}
		return vectors * a(6), vectors * a(6)
	},
	"add_detour": func(a func(int) float64, _ Size) (float64, float64) { return 3*a(3)*a(4) + a(4), 2 * a(3) * a(4) },
	"generalized": func(a func(int) float64, g Size) (float64, float64) {
		rows, values := float64(g.X), float64(g.X)*a(12)
		each := 110.
		if a(14) != 0 {
			each += 12 // an exponential and a logarithm for each target
		}
		if a(4) != 0 {
			return 8*values + 4*rows, (each + 60) * values
		}
		return 8*values + 3*rows, each * values
	},
	"across": func(a func(int) float64, g Size) (float64, float64) { // the second time both rows are in the cache
		values := float64(g.X) * a(5)
		return 3*values + 2*float64(g.X), 7 * values
	},
	"evidence": func(a func(int) float64, _ Size) (float64, float64) { // log Γ, ψ and ψ′ of every pair, twice
		batch := a(5)
		return 2*batch*batch + 12*batch, 2 * ofDouble * batch * batch
	},
	"evidence_gradient": func(a func(int) float64, g Size) (float64, float64) {
		batch := a(7)
		return 2*batch*batch + 13*batch + float64(g.X*g.Y), ofDouble * batch * batch
	},
	"report_members": func(a func(int) float64, _ Size) (float64, float64) {
		values := a(9) * (3*a(7) + a(8) + 1)
		return values, values
	},
	"concentrate": func(a func(int) float64, g Size) (float64, float64) {
		rows, values := float64(g.X), float64(g.X)*a(6)
		if a(1) != 0 {
			return 3*values + 5*rows, 4 * values // the direction is written, too
		}
		return 2*values + 3*rows, 3 * values
	},
	"temperature_of":        func(func(int) float64, Size) (float64, float64) { return 2, 1 },
	"sigmoid_linear":        everyPairCost(16, 1),
	"sigmoid_power":         everyPairCost(26, 2),
	"sigmoid_linear_masked": masked(everyPairCost(17, 1), 10),
	"sigmoid_power_masked":  masked(everyPairCost(27, 2), 10),
	"report_sigmoid":        func(a func(int) float64, _ Size) (float64, float64) { return 2*a(9) + 3*a(10), 2*a(9) + 3*a(10) },
	"symmetric_likelihoods": func(a func(int) float64, _ Size) (float64, float64) {
		batch := a(7)
		if a(6) != 0 {
			return 3*batch*batch + 6*batch, ofDouble * batch * batch // the table's polynomials of every pair
		}
		return 2*batch*batch + 6*batch, 5 * batch * batch
	},
	"symmetric_pulls": func(a func(int) float64, g Size) (float64, float64) {
		batch := a(6)
		return 3*batch*batch + 2*batch*float64(g.X+g.Y) + 2*batch, 8 * batch * batch
	},
	"symmetric_gradient": func(a func(int) float64, g Size) (float64, float64) {
		values := float64(g.X) * a(8)
		return 3*values + 5*float64(g.X), 5 * values
	},
	"scaled_numbers": func(func(int) float64, Size) (float64, float64) { return 4, 3 },
	"inclusion": func(a func(int) float64, g Size) (float64, float64) {
		values := float64(g.X) * a(5)
		return 4*values + float64(g.X), 40 * values
	},
	"include": func(a func(int) float64, _ Size) (float64, float64) { return a(3), a(3) },
	"inclusion_gradient": func(a func(int) float64, g Size) (float64, float64) {
		values := float64(g.X*g.Y) * a(8)
		return 6*values + float64(g.X*g.Y), 50 * values
	},
	"report_scaled": func(a func(int) float64, _ Size) (float64, float64) { return 6*a(10) + 2*a(12), 9*a(10) + 2*a(12) },
	"adamp_moments": func(a func(int) float64, _ Size) (float64, float64) { return 6 * a(6), 12 * a(6) },
	"adamp_angles": func(a func(int) float64, g Size) (float64, float64) {
		values := float64(g.X) * a(4)
		return 3*values + 4*float64(g.X), 8 * values
	},
	"adamp_choose": func(a func(int) float64, _ Size) (float64, float64) { return 4*a(2) + 3, 12 * a(2) },
	"adamp": func(a func(int) float64, _ Size) (float64, float64) {
		values := a(6) * a(7)
		return 3*values + 4*a(6), 6 * values
	},
	"rectify_gradient": func(a func(int) float64, g Size) (float64, float64) {
		values := a(3) * a(4)
		if a(2) == 0 {
			return values + float64(g.Y)*a(4), values // the top layer is only summed
		}
		return 3*values + float64(g.Y)*a(4), 2 * values
	},
	"add_parts": func(a func(int) float64, _ Size) (float64, float64) { return (a(2) + 1) * a(3), a(2) * a(3) },
	"descend":   func(a func(int) float64, _ Size) (float64, float64) { return 5 * a(5), 6 * a(5) },
	"adam":      func(a func(int) float64, _ Size) (float64, float64) { return 7 * a(6), 14 * a(6) },
	// A normal number takes about 42 operations: 20 for a quarter of a counter's rounds, the rest
	// for half a Box-Muller pair.
	"mean_softmax": func(a func(int) float64, g Size) (float64, float64) {
		values := float64(g.X) * a(5)
		return 4 * values, 51 * values * a(6)
	},
	"draw_cosines": func(a func(int) float64, _ Size) (float64, float64) { return 2*a(2) + a(2)/a(3), 300 * a(2) },
	"draw_around": func(a func(int) float64, g Size) (float64, float64) {
		rows, values := float64(g.X), float64(g.X)*a(4)
		return values + values/a(3) + 2*rows, 54 * values
	},
	"advance": func(func(int) float64, Size) (float64, float64) { return 2, 1 },
}

// sumsCost returns the cost of the sums of exponentials, with the given number of operations per
// pair.
func sumsCost(each float64) func(a func(int) float64, g Size) (float64, float64) {
	return func(a func(int) float64, g Size) (float64, float64) {
		batch := a(8)
		return batch*batch + 2*batch*float64(g.X+g.Y) + 2*batch, each * batch * batch
	}
}

// sigmoidCost returns the cost of the loss of separate pairs.
func sigmoidCost(each float64) func(a func(int) float64, g Size) (float64, float64) {
	return func(a func(int) float64, g Size) (float64, float64) {
		batch := a(8)
		return batch*batch + batch*float64(g.X+g.Y) + 2*batch + 2*float64(g.X*g.Y), each * batch * batch
	}
}

// masked adds to a cost the words of the groups that a kernel reads, one for each row and one for
// each column. batch is the index of the argument that holds the size of the batch.
func masked(cost func(func(int) float64, Size) (float64, float64), batch int) func(func(int) float64, Size) (float64, float64) {
	return func(a func(int) float64, g Size) (float64, float64) {
		words, operations := cost(a, g)
		return words + 2*a(batch), operations
	}
}

// gradientCost returns the cost of the loss's gradient, with the given number of column sums.
func gradientCost(each, sums float64) func(a func(int) float64, g Size) (float64, float64) {
	return func(a func(int) float64, g Size) (float64, float64) {
		batch := a(10)
		return 2*batch*batch + sums*batch*float64(g.Y) + 5*batch, each * batch * batch
	}
}

// everyPairCost returns the cost of SigLIP's loss, with the given number of column sums.
func everyPairCost(each, sums float64) func(a func(int) float64, g Size) (float64, float64) {
	return func(a func(int) float64, g Size) (float64, float64) {
		batch := a(10)
		return 2*batch*batch + sums*batch*float64(g.Y) + 2*batch + 3*float64(g.X*g.Y), each * batch * batch
	}
}
