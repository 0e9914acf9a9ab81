package graph

import (
	"math"

	"gorgonia.org/gorgonia"

	"gosphere/asymvlm/evidence"
)

// Evidential returns ELIP's loss of a B×B matrix of similarities ρ whose diagonal holds the true
// pairs: the mean over rows and columns as queries of
//
//	ψ(S) − ψ(α_y) + weight · KL[Dir(α′) ‖ Dir(1)],  α = exp ρ + 1, S = Σα, α′ = α with α_y = 1
//
// as printed. The divergence loses precision for similarities above about 10; package evidence uses
// a stable form.
func (b *Builder) Evidential(rho *gorgonia.Node, weight float64) *gorgonia.Node {
	rows := b.evidentialRows(rho, weight)
	columns := b.evidentialRows(b.note(b.Transposed(rho), "ρᵀ", rho), weight)
	return b.note(b.Scaled(b.Sum(rows, columns), 0.5), "evidential loss", rows, columns)
}

// evidentialRows returns the loss with the rows as queries.
func (b *Builder) evidentialRows(rho *gorgonia.Node, weight float64) *gorgonia.Node {
	if !b.ok("evidential loss", rho) {
		return nil
	}
	n := rho.Shape()[1]
	alpha := b.PlusConstant(b.Exp(b.Clamped(rho, math.Inf(-1), evidence.MaxSimilarity)), 1)
	b.note(alpha, "α = exp ρ + 1", rho)
	s := b.note(b.RowSums(alpha), "S = Σα", alpha)
	own := b.Diagonal(alpha)
	cross := b.note(b.Difference(b.Digamma(s), b.Digamma(own)), "ψ(S) − ψ(α_y)", s, own)
	// α′ − 1 is the evidence for the wrong candidates.
	others := b.constant("1−I", n, n, func(i, j int) float64 {
		if i == j {
			return 0
		}
		return 1
	})
	wrong := b.Product(b.PlusConstant(alpha, -1), others)
	tilde := b.note(b.PlusConstant(wrong, 1), "α′: α with α_y = 1", alpha)
	total := b.note(b.RowSums(tilde), "S′ = Σα′", tilde)
	logM, _ := math.Lgamma(float64(n))
	logs := b.PlusConstant(b.Difference(b.LogGamma(total), b.RowSums(b.LogGamma(tilde))), -logM)
	pulls := b.RowSums(b.Product(wrong, b.Difference(b.Digamma(tilde), b.RepeatedLike(b.Digamma(total), tilde))))
	kl := b.note(b.Sum(logs, pulls), "KL[Dir(α′)‖Dir(1)]", tilde, total)
	return b.note(b.Mean(b.Sum(cross, b.Scaled(kl, weight))), "mean over queries", cross, kl)
}
