package device

// Losses is the parts of the losses that are worth doing on a device: those that look at every pair of a batch or at
// every coordinate. Rows of a matrix of pairs are one side, columns the other; pairs that belong together are on the
// diagonal.
type Losses[F Float] interface {
	// Contrast is the symmetric InfoNCE loss of square logits Λ = scale·a,
	//
	//	½ [ mean_i (log Σ_j exp Λ_ij − Λ_ii) + mean_j (log Σ_i exp Λ_ij − Λ_jj) ].
	//
	// It sets dst, which may be a, to the gradient g with respect to Λ, and columns to the sums of g's columns. It returns
	// the loss and Σ g·a, the derivative in the scale. Nothing overflows. Candidates of the same group are left out of the
	// sums.
	Contrast(dst, a Matrix[F], scale F, groups Groups, columns []float64) (loss, dScale float64)
	// SigmoidPairs is the loss of every pair by itself, −Weight Σ log sigmoid(±h) with h as in Logits, minus where the two
	// do not belong together. It sets dst, which may be a, to the gradient g with respect to h and the margins to its sums.
	SigmoidPairs(dst, a Matrix[F], logits Logits[F], margins Margins) (loss, dScale float64)

	// PowerLogits raises cosines below −1 + 1e-6 to that and sets dst, which may be cosines, to
	// kappa[j]·log(1+cosines) + logs[j].
	PowerLogits(dst, cosines Matrix[F], kappa, logs []F)
	// PowerGradient sets dst, which may be g, to w = g/(1+c) with the cosines c, to 0 where c is at its limit, and
	// radial[j] to Σ_i g·log(1+c) − w·c.
	PowerGradient(dst, g, cosines Matrix[F], radial []float64)

	// MatchedVariances is the loss of rows that belong together, with means m and raw variances o of both sides:
	//
	//	1/B Σ (m₁−m₂)²/s + log s,  s = softplus(o₁) + softplus(o₂)
	//
	// It sets gradients to the derivatives with respect to o.
	MatchedVariances(gradients, raw, means [2]Matrix[F]) (loss float64)
	// GeneralizedGaussian is ProbVLM's loss of the heads of one side against the embeddings of its own side and, with
	// weight 1e-4, against those of the other; see package gaussian, which has the formulas. Exact chooses the likelihood
	// of the density over that of the program. It sets gradient to the derivatives with respect to the heads.
	GeneralizedGaussian(gradient, heads Heads[F], targets [2]Matrix[F], exact bool) (loss float64)
	// GeneralizedVariance returns the mean of the variances that ProbVLM's program predicts.
	GeneralizedVariance(heads Heads[F]) float64
}

// Logits says how cosines become logits of pairs: h = Scale·a[i,j] + Rows[i] + Columns[j].
type Logits[F Float] struct {
	Scale         F
	Rows, Columns []F
	Weight        F // of the loss
	Groups        Groups
}

// Groups is the group of every row and of the column that belongs to it. Two pairs of one group, the captions of one
// image, are neither right nor wrong for each other: the losses leave them out, and g is 0 there. What a matrix of
// logits holds for them may be overwritten. Nil leaves nothing out.
type Groups []int

// hide reports whether a row and a column are neither right nor wrong.
func (g Groups) hide(row, column int) bool { return g != nil && row != column && g[row] == g[column] }

// Margins are the sums of a matrix along its rows and its columns.
type Margins struct{ Rows, Columns []float64 }

// Heads are the outputs of ProbVLM's three networks, B×D each: the mean, and 1/α and β before softplus.
type Heads[F Float] [3]Matrix[F]

// The constants of ProbVLM's program, see package gaussian, and of its loss's second target. The assembly has the same or is given them.
const (
	positive        = 1e-4
	residualLow     = 1e-4
	residualHigh    = 1e3
	residualFloor   = 1e-6
	likelihoodShare = 0.05
	scaleShift      = 1e-5
	shapeShift      = 0.1
	crossWeight     = 1e-4
)

// lowestCosine keeps log(1+c) finite for an image opposite to a text. The paper's program has no such limit; with it
// one such pair cannot make the whole batch NaN.
const lowestCosine = -1 + 1e-6

// leastLength is the length below which a row is divided by this instead: a zero row then has no direction but no NaN.
const leastLength = 1e-12

func checkPairs[F Float](operation string, dst, a Matrix[F], groups Groups) {
	checkSame(operation, dst, a)
	if groups != nil {
		checkLength(operation, groups, a.Rows)
	}
	if a.Rows != a.Columns {
		fits(false, operation, a)
	}
}

func checkLogits[F Float](a Matrix[F], logits Logits[F], margins Margins) {
	const operation = "pairs"
	checkLength(operation, logits.Rows, a.Rows)
	checkLength(operation, logits.Columns, a.Columns)
	checkLength(operation, margins.Rows, a.Rows)
	checkLength(operation, margins.Columns, a.Columns)
}

func checkHeads[F Float](gradient, heads Heads[F], targets [2]Matrix[F]) {
	for i, m := range heads {
		checkSame("generalized Gaussian", gradient[i], m)
	}
	for _, m := range []Matrix[F]{heads[1], heads[2], targets[0], targets[1]} {
		checkSame("generalized Gaussian", heads[0], m)
	}
}
