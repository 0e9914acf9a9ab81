package sphere

import (
	"fmt"
	"math"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
)

// DrawVonMisesFisher draws unit vectors from many von Mises–Fisher densities at once, in float32 on
// the program's device: all CPU cores, or a GPU if there is one. Means is N×D with D ≥ 2, and its
// rows have norm 1 to within 1e-5 (see embedding's Normalized). Concentrations holds one κ per row,
// finite and from 0 to 3e38. The result is N·draws × D and must fit into memory; its row i·draws+s
// is draw s around row i of means with concentrations[i].
//
// A draw depends on the seed, i and s alone, up to rounding. It does not depend on the device, the
// number of cores, N or the number of draws. Both families use the same random numbers, so use two
// seeds if their draws should be independent. For single vectors in float64, or random numbers from
// a source, see VonMisesFisher.Rand.
//
// The error names the first concentration or direction outside its domain. Fewer than one draw is
// an error, too.
//
// References: G. Ulrich 1984, A. T. A. Wood 1994 (the cosine by rejection), Salmon and others 2011
// (Philox4x32-10).
func DrawVonMisesFisher(means embedding.Matrix, concentrations []float64, draws int, seed uint64) (embedding.Matrix, error) {
	return drawRows(device.VonMisesFisher, means, concentrations, draws, seed)
}

// DrawPowerSpherical is like DrawVonMisesFisher, for power spherical densities (N. De Cao and W.
// Aziz 2020).
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
