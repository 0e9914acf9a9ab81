// Package evidence implements the evidential measures of ELIP. The similarities of a query with M
// candidates become the parameters of a Dirichlet density over "which candidate is meant", whose
// spread is the query's uncertainty. The package provides the losses with their gradients, and the
// quantities computed after training; it does not train.
//
// Read opinion.go first (from similarities to parameters, beliefs and uncertainty), then loss.go
// (the two terms of the loss) and stable.go (the functions that make the second term computable).
//
//	opinion, err := evidence.NewOpinion(similarities)
//	fmt.Println(opinion.Uncertainty(), opinion.Beliefs(nil))
//
// Notation: M candidates, ρ a similarity times the trained scale ι, α = exp(ρ) + 1 the Dirichlet
// parameters, S their sum, y the correct candidate. The uncertainty M/S depends on M: only queries
// over galleries of the same size can be compared.
//
// Source: the paper on ELIP, equations 3 to 10, which are correct as printed. Its program is not
// public.
package evidence
