package device

// Losses are the parts of the losses that benefit from a device: those that process every pair of a
// batch or every coordinate. Rows of a matrix of pairs are one side, columns the other; matching
// pairs are on the diagonal.
type Losses[F Float] interface {
	// Contrast computes the symmetric InfoNCE loss of square logits Λ = scale·a,
	//
	//	½ [ mean_i (log Σ_j exp Λ_ij − Λ_ii) + mean_j (log Σ_i exp Λ_ij − Λ_jj) ].
	//
	// It sets dst, which may be a, to the gradient g with respect to Λ, and columns to the sums of
	// g's columns. It returns the loss and Σ g·a, the derivative with respect to the scale. Nothing
	// overflows. Candidates of the same group are omitted from the sums.
	Contrast(dst, a Matrix[F], scale F, groups Groups, columns []float64) (loss, dScale float64)
	// SigmoidPairs computes the loss −Weight Σ log sigmoid(±h) of separate pairs, with h as in
	// Logits and minus for pairs that do not match. It sets dst, which may be a, to the gradient g
	// with respect to h and the margins to its sums.
	SigmoidPairs(dst, a Matrix[F], logits Logits[F], margins Margins) (loss, dScale float64)

	// PowerLogits clamps cosines to at least −1 + 1e-6 and sets dst, which may be cosines, to
	// kappa[j]·log(1+cosines) + logs[j].
	PowerLogits(dst, cosines Matrix[F], kappa, logs []F)
	// PowerGradient sets dst, which may be g, to w = g/(1+c) with the cosines c, or to 0 where c is
	// clamped, and radial[j] to Σ_i g·log(1+c) − w·c.
	PowerGradient(dst, g, cosines Matrix[F], radial []float64)

	// MatchedVariances computes the loss of matching rows, with means m and raw variances o of both
	// sides:
	//
	//	1/B Σ (m₁−m₂)²/s + log s,  s = softplus(o₁) + softplus(o₂)
	//
	// It sets gradients to the derivatives with respect to o.
	MatchedVariances(gradients, raw, means [2]Matrix[F]) (loss float64)
	// GeneralizedGaussian computes ProbVLM's loss of the heads of one side against the embeddings
	// of its own side and, with weight 1e-4, against those of the other; see package gaussian for
	// the formulas. If exact is set, it uses the likelihood of the density instead of the reference
	// implementation's residual. It sets gradient to the derivatives with respect to the heads.
	GeneralizedGaussian(gradient, heads Heads[F], targets [2]Matrix[F], exact bool) (loss float64)
	// GeneralizedVariance returns the mean of the variances predicted as in ProbVLM's reference
	// implementation.
	GeneralizedVariance(heads Heads[F]) float64
}

// Logits describes how cosines become logits of pairs: h = Scale·a[i,j] + Rows[i] + Columns[j].
type Logits[F Float] struct {
	Scale         F
	Rows, Columns []F
	Weight        F // of the loss
	Groups        Groups
}

// Groups holds the group of every row and its matching column. Two pairs of one group, such as the
// captions of one image, are neither right nor wrong for each other: the losses omit them, and g is
// 0 there. Their entries in a matrix of logits may be overwritten. Nil omits nothing.
type Groups []int

// hide reports whether a row and a column are neither right nor wrong for each other.
func (g Groups) hide(row, column int) bool { return g != nil && row != column && g[row] == g[column] }

// Margins holds the sums of a matrix along its rows and its columns.
type Margins struct{ Rows, Columns []float64 }

// Heads holds the outputs of ProbVLM's three networks, B×D each: the mean, and 1/α and β before
// softplus.
type Heads[F Float] [3]Matrix[F]

// Constants of ProbVLM's reference implementation, see package gaussian, and the weight of the
// second target of its loss. The assembly uses the same values or receives them as arguments.
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

// lowestCosine keeps log(1+c) finite for an image opposite to a text, so that one such pair cannot
// make the whole batch NaN. The reference implementation has no such limit.
const lowestCosine = -1 + 1e-6

// leastLength is the lower bound of norms in divisions. It keeps a zero row from becoming NaN.
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
