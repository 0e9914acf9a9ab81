package sphere

import (
	"fmt"
	"strings"
)

// shownCoordinates is the number of coordinates of the mean direction in a density's text.
const shownCoordinates = 4

// String returns the family, the concentration and the mean direction, as displayed in cells.
func (v *VonMisesFisher) String() string { return densityText("von Mises–Fisher", v.kappa, v.mu) }

// String returns the family, the concentration and the mean direction, as displayed in cells.
func (p *PowerSpherical) String() string { return densityText("power spherical", p.kappa, p.mu) }

func densityText(family string, kappa float64, mu []float64) string {
	var shown []string
	for _, value := range mu[:min(len(mu), shownCoordinates)] {
		shown = append(shown, fmt.Sprintf("%.4g", value))
	}
	if len(mu) > shownCoordinates {
		shown = append(shown, "…")
	}
	return fmt.Sprintf("%s density in %d dimensions, κ = %g, μ = (%s)", family, len(mu), kappa, strings.Join(shown, ", "))
}

// String returns the family and the dimension.
func (n *VonMisesFisherNormalizer) String() string {
	return fmt.Sprintf("normalizer of the von Mises–Fisher density in %d dimensions", n.dimension)
}

// String returns the family and the dimension.
func (n *PowerSphericalNormalizer) String() string {
	return fmt.Sprintf("normalizer of the power spherical density in %d dimensions", n.Dimension())
}

// String returns the form and the dimension.
func (n *PaperNormalizer) String() string {
	return fmt.Sprintf("normalizer F_d of the AsymVLM paper in %d dimensions", n.Dimension())
}
