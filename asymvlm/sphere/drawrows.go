package sphere

import (
	"fmt"
	"math"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
)

// DrawVonMisesFisher draws unit vectors of many von Mises–Fisher densities at once, in float32 on the device of the program: all
// cores, or a card where there is one. Row i·draws+s of the result is draw s around row i of means, N×D with D ≥ 2 and rows of
// length 1 to 1e-5 (embedding's Normalized makes them), with the concentration κ = concentrations[i], finite, at least 0 and at
// most 3e38. The result is N·draws × D; it must fit into memory.
//
// A draw depends on the seed, i and s alone, to rounding: not on the device, the number of cores, N or the number of draws. Both
// laws use the same random numbers, so give them two seeds where they should be independent. For single vectors in float64, or
// numbers from a source, see VonMisesFisher.Rand.
//
// The errors name the first concentration or direction outside of its domain, and fewer than one draw.
//
// References: G. Ulrich 1984, A. T. A. Wood 1994 (the cosine by rejection), Salmon and others 2011 (Philox4x32-10).
func DrawVonMisesFisher(means embedding.Matrix, concentrations []float64, draws int, seed uint64) (embedding.Matrix, error) {
	return drawRows(device.VonMisesFisher, means, concentrations, draws, seed)
}

// DrawPowerSpherical is DrawVonMisesFisher for power spherical densities (N. De Cao and W. Aziz 2020).
func DrawPowerSpherical(means embedding.Matrix, concentrations []float64, draws int, seed uint64) (embedding.Matrix, error) {
	return drawRows(device.PowerSpherical, means, concentrations, draws, seed)
}

func drawRows(law device.Law, means embedding.Matrix, concentrations []float64, draws int, seed uint64) (embedding.Matrix, error) {
	if draws < 1 || means.Rows > 0 && draws > math.MaxUint32/means.Rows {
		return embedding.Matrix{}, fmt.Errorf("sphere: %d draws around each of %d directions, want at least 1 and at most 2³² vectors", draws, means.Rows)
	}
	narrow := make([]float32, len(concentrations))
	for i, kappa := range concentrations {
		if err := checkConcentration(kappa); err != nil {
			return embedding.Matrix{}, fmt.Errorf("%w (number %d)", err, i)
		}
		if kappa > math.MaxFloat32 {
			return embedding.Matrix{}, fmt.Errorf("sphere: concentration %d is %g, too large for float32; VonMisesFisher and PowerSpherical draw in float64", i, kappa)
		}
		narrow[i] = float32(kappa)
	}
	on, err := device.Default()
	if err != nil {
		return embedding.Matrix{}, err
	}
	dst := embedding.NewMatrix(means.Rows*draws, means.Columns)
	if err := on.DrawSphere(device.Matrix[float32](dst), law, device.Matrix[float32](means), narrow, device.Origin{Seed: seed}); err != nil {
		return embedding.Matrix{}, err
	}
	return dst, nil
}
