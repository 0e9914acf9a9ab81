package graph

import "gorgonia.org/gorgonia"

// LogSumExpRows returns log Σ exp over the rows of x as a column. The largest value of every row is
// subtracted first, as a constant, so that nothing overflows: without it exp is +Inf from 710, and
// the derivatives are NaN. Values must be finite; a row whose largest value is not finite produces
// NaN.
func (b *Builder) LogSumExpRows(x *gorgonia.Node) *gorgonia.Node {
	most := b.apply(largest, x)
	rest := b.Difference(x, b.RepeatedLike(most, x))
	return b.note(b.Sum(most, b.Log(b.RowSums(b.Exp(rest)))), "log Σ exp over rows", x)
}

// LogSumExpColumns returns log Σ exp over the columns of x as a row.
func (b *Builder) LogSumExpColumns(x *gorgonia.Node) *gorgonia.Node {
	return b.note(b.Transposed(b.LogSumExpRows(b.Transposed(x))), "log Σ exp over columns", x)
}

// Diagonal returns the diagonal of a square matrix as a column.
func (b *Builder) Diagonal(x *gorgonia.Node) *gorgonia.Node {
	if !b.ok("diagonal", x) {
		return nil
	}
	if x.Shape()[0] != x.Shape()[1] {
		return b.fail("diagonal of %v", x.Shape())
	}
	return b.note(b.RowSums(b.Product(x, b.identity(x.Shape()[0]))), "diagonal", x)
}

// Contrastive returns the symmetric InfoNCE loss of a B×B matrix of log-likelihoods with a
// temperature:
//
//	½ [ mean_s (log Σ_r exp Λ_sr − Λ_ss) + mean_r (log Σ_s exp Λ_sr − Λ_rr) ],  Λ = τℓ
func (b *Builder) Contrastive(ell, tau *gorgonia.Node) *gorgonia.Node {
	lambda := b.note(b.Product(b.RepeatedLike(tau, ell), ell), "Λ = τℓ", ell, tau)
	own := b.meanOf(b.Diagonal(lambda))
	rows, columns := b.meanOf(b.LogSumExpRows(lambda)), b.meanOf(b.LogSumExpColumns(lambda))
	return b.note(b.Difference(b.Scaled(b.Sum(rows, columns), 0.5), own), "InfoNCE", rows, columns, own)
}

// PairSigmoid returns SigLIP's loss −1/B Σ_sr log sigmoid(y_sr (τℓ_sr + b)), y = 1 on the diagonal
// and −1 elsewhere.
func (b *Builder) PairSigmoid(ell, tau, bias *gorgonia.Node) *gorgonia.Node {
	logits := b.Sum(b.Product(b.RepeatedLike(tau, ell), ell), b.RepeatedLike(bias, ell))
	return b.pairSigmoid(b.note(logits, "τℓ + b", ell, tau, bias), 1, "SigLIP loss")
}

// pairSigmoid returns −weight/B Σ log sigmoid(y·logit), with a label for drawings.
func (b *Builder) pairSigmoid(logits *gorgonia.Node, weight float64, name string) *gorgonia.Node {
	if !b.ok("sigmoid loss", logits) {
		return nil
	}
	n := logits.Shape()[0]
	if logits.Shape()[1] != n {
		return b.fail("sigmoid loss of %v, want a square matrix", logits.Shape())
	}
	signs := b.constant("y", n, n, func(i, j int) float64 {
		if i == j {
			return 1
		}
		return -1
	})
	logs := b.note(b.LogSigmoid(b.Product(signs, logits)), "log σ(y·)", logits)
	return b.note(b.Scaled(b.Total(logs), -weight/float64(n)), name, logs)
}

// meanOf is like Mean with a label for drawings.
func (b *Builder) meanOf(x *gorgonia.Node) *gorgonia.Node { return b.note(b.Mean(x), "mean", x) }
