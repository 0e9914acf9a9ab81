// Package gaussian implements the measures of methods that represent an embedding as a Gaussian:
// distances, inclusion and matching of diagonal Gaussians (PCME++, ProLIP), the generalized
// Gaussian of ProbVLM, and the moments of the cosine of two uncertain embeddings (BayesVLM). Losses
// are returned with the gradients that training needs; the package does not train.
//
// Read diagonal.go first (the type, and distances between two Gaussians), then inclusion.go (which
// of two is vaguer), bottleneck.go (the divergence from the standard normal), generalized.go,
// cosine.go and montecarlo.go.
//
//	photo := gaussian.Diagonal{Mean: mean, LogVariance: logVariance}
//	test := gaussian.Inclusion{Form: gaussian.Exact}
//	fmt.Println(test.Log(photo, caption), test.Compare(photo, caption))
//
// Three published formulas differ from their definitions. The functions for these take a Form:
// Exact is the formula that follows from the definition, and Official is the formula that was
// printed or run, for reproducing published numbers.
package gaussian

// A Form selects between a formula that follows from its definition and the formula as published.
type Form int

// The two forms.
const (
	Exact    Form = iota // the formula that follows from the definition
	Official             // the formula that the authors printed or ran
)

// String returns the name of the form, "exact" or "official".
func (f Form) String() string {
	if f == Official {
		return "official"
	}
	return "exact"
}
