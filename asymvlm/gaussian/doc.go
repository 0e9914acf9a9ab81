// Package gaussian holds the measures of the methods that make an embedding a Gaussian: distances, inclusion and
// matching for diagonal Gaussians (PCME++, ProLIP), the generalized Gaussian of ProbVLM, and the moments of a cosine
// of two uncertain embeddings (BayesVLM). Each comes with the gradient that training needs; nothing is trained here.
//
// Read diagonal.go first (the type and what two Gaussians have to do with each other), then inclusion.go (which of
// two is the vaguer one), bottleneck.go (the pull to the standard normal), generalized.go, cosine.go and montecarlo.go.
//
//	photo := gaussian.Diagonal{Mean: mean, LogVariance: logVariance}
//	test := gaussian.Inclusion{Form: gaussian.Exact}
//	fmt.Println(test.Log(photo, caption), test.Compare(photo, caption))
//
// Three published formulas are not what they are said to be. Where that is so a function takes a Form: Exact is the
// formula that follows from the definition, Official the one that was printed or run, for repeating its numbers.
package gaussian

// A Form chooses between a formula as it follows from its definition and as it was published.
type Form int

// The two forms.
const (
	Exact    Form = iota // what the definition gives
	Official             // what the authors printed or ran
)

// String returns the form's name.
func (f Form) String() string {
	if f == Official {
		return "official"
	}
	return "exact"
}
