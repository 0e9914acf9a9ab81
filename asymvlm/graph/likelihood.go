package graph

import (
	"fmt"
	"math"

	"gorgonia.org/gorgonia"

	"gosphere/asymvlm/sphere"
)

// least is the lower bound of norms in divisions, as in package nn.
const least = 1e-12

// Lengths returns the norms of the rows as a column. A zero row has no derivative, because the
// square root is not differentiable there.
func (b *Builder) Lengths(x *gorgonia.Node) *gorgonia.Node {
	return b.basic(b.Root(b.RowSums(b.Square(x))), "length of rows", x)
}

// Directions returns the rows divided by their norms.
func (b *Builder) Directions(x *gorgonia.Node) *gorgonia.Node {
	inverse := b.Inverse(b.Clamped(b.Lengths(x), least, math.Inf(1)))
	return b.note(b.Product(x, b.RepeatedLike(inverse, x)), "direction of rows", x)
}

// Inner returns the matrix of the inner products of the rows of x with those of y.
func (b *Builder) Inner(x, y *gorgonia.Node) *gorgonia.Node {
	return b.note(b.Times(x, b.Transposed(y)), "inner products", x, y)
}

// PaperNormalizer returns the paper's F_d(κ) − F_d(0) of a column of concentrations, in a form
// without cancellation:
//
//	Σ_b (a/2) log1p(t/(a+b)) − t/2,  t = κ²/(√(b²+κ²) + b),  a = (d−1)/2, b ∈ {(d−1)/2, (d+1)/2}
func (b *Builder) PaperNormalizer(kappa *gorgonia.Node, dimension int) *gorgonia.Node {
	if !b.onSphere(dimension) {
		return nil
	}
	return b.note(b.paperOfSquares(b.Square(kappa), dimension), "F(κ)", kappa)
}

// paperOfSquares returns PaperNormalizer as a function of κ², smooth at 0.
func (b *Builder) paperOfSquares(squares *gorgonia.Node, dimension int) *gorgonia.Node {
	a := float64(dimension-1) / 2
	part := func(c float64) *gorgonia.Node {
		t := b.Quotient(squares, b.PlusConstant(b.Root(b.PlusConstant(squares, c*c)), c))
		return b.Difference(b.Scaled(b.Log1p(b.Scaled(t, 1/(a+c))), a/2), b.Scaled(t, 0.5))
	}
	return b.Sum(part(a), part(a+1))
}

// Normalizer returns log c_d(κ) − log c_d(0) of a column of concentrations by the exact von
// Mises–Fisher normalizer. It can be differentiated once; the derivative is −A_d(κ).
func (b *Builder) Normalizer(kappa *gorgonia.Node, dimension int) *gorgonia.Node {
	n, err := sphere.NewVonMisesFisherNormalizer(dimension)
	if err != nil {
		return b.fail("%w", err)
	}
	resultant := elementwise("A(κ)", n.MeanResultantLength, nil)
	log := elementwise("log c(κ)", n.LogNormalizerShifted, func(b *Builder, x *gorgonia.Node) *gorgonia.Node {
		return b.Negative(b.apply(resultant, x))
	})
	resultant.key, log.key = fmt.Sprint(dimension), fmt.Sprint(dimension)
	return b.apply(log, kappa)
}

// PowerSphericalNormalizer returns log c(κ) − log c(0) of a column of concentrations, with β =
// (d−1)/2:
//
//	−κ log 2 − [log Γ(β+κ) − log Γ(β)] + [log Γ(2β+κ) − log Γ(2β)]
func (b *Builder) PowerSphericalNormalizer(kappa *gorgonia.Node, dimension int) *gorgonia.Node {
	if !b.onSphere(dimension) {
		return nil
	}
	beta := float64(dimension-1) / 2
	one, _ := math.Lgamma(beta)
	two, _ := math.Lgamma(2 * beta)
	rise := b.Difference(b.LogGamma(b.PlusConstant(kappa, 2*beta)), b.LogGamma(b.PlusConstant(kappa, beta)))
	return b.note(b.Sum(b.PlusConstant(rise, one-two), b.Scaled(kappa, -math.Ln2)), "log c(κ)", kappa)
}

// onSphere reports whether densities on the sphere exist in the given dimension, and otherwise
// records an error.
func (b *Builder) onSphere(dimension int) bool {
	if dimension < 2 {
		b.fail("density on the sphere in %d dimensions, want at least 2", dimension)
	}
	return b.err == nil
}

// columns returns a column with one value for each text, transposed and repeated as the rows of an
// images × texts matrix.
func (b *Builder) columns(values, matrix *gorgonia.Node) *gorgonia.Node {
	return b.RepeatedLike(b.Transposed(values), matrix)
}

// VonMisesFisher returns ℓ = η·x + F(κ), images × texts, for natural parameters (texts × D) and
// unit images, with the paper's F or with the exact normalizer.
func (b *Builder) VonMisesFisher(eta, images *gorgonia.Node, exact bool) *gorgonia.Node {
	if !b.ok("likelihood", eta, images) {
		return nil
	}
	dot, dimension := b.Inner(images, eta), eta.Shape()[1]
	if !b.onSphere(dimension) {
		return nil
	}
	if exact {
		kappa := b.note(b.Lengths(eta), "κ = |η|", eta)
		return b.note(b.Sum(dot, b.columns(b.Normalizer(kappa, dimension), dot)), "ℓ = η·x + log c(κ)", dot, kappa)
	}
	squares := b.note(b.RowSums(b.Square(eta)), "κ² = |η|²", eta)
	f := b.note(b.paperOfSquares(squares, dimension), "F(κ)", squares)
	return b.note(b.Sum(dot, b.columns(f, dot)), "ℓ = η·x + F(κ)", dot, f)
}

// PowerSpherical returns ℓ = κ log(1 + μ·x) + log c(κ) − log c(0).
func (b *Builder) PowerSpherical(eta, images *gorgonia.Node) *gorgonia.Node {
	if !b.ok("likelihood", eta, images) {
		return nil
	}
	kappa := b.note(b.Lengths(eta), "κ = |η|", eta)
	cosines := b.note(b.Inner(images, b.Directions(eta)), "c = x·μ", images, eta)
	logs := b.Log1p(b.Clamped(cosines, -1+1e-6, math.Inf(1)))
	first := b.note(b.Product(b.columns(kappa, cosines), logs), "κ log(1+c)", kappa, cosines)
	normalizer := b.PowerSphericalNormalizer(kappa, eta.Shape()[1])
	return b.note(b.Sum(first, b.columns(normalizer, first)), "ℓ", first, normalizer)
}

// Cosine returns ℓ = μ·x.
func (b *Builder) Cosine(eta, images *gorgonia.Node) *gorgonia.Node {
	return b.note(b.Inner(images, b.Directions(eta)), "ℓ = x·μ", images, eta)
}

// Gaussian returns ℓ = κ(μ·x − 1) + (D/2) log κ, the ablation AsymVLM(G).
func (b *Builder) Gaussian(eta, images *gorgonia.Node) *gorgonia.Node {
	if !b.ok("likelihood", eta, images) {
		return nil
	}
	dot, kappa := b.Inner(images, eta), b.note(b.Lengths(eta), "κ = |η|", eta)
	normalizer := b.Difference(b.Scaled(b.Log(kappa), float64(eta.Shape()[1])/2), kappa)
	f := b.note(normalizer, "D/2 log κ − κ", kappa)
	return b.note(b.Sum(dot, b.columns(f, dot)), "ℓ", dot, f)
}

// Symmetrized returns SymVLM's ½[(κ_I+κ_T) c + F(κ_I) + F(κ_T)], c = μ_I·μ_T, for natural
// parameters on both sides.
func (b *Builder) Symmetrized(images, texts *gorgonia.Node) *gorgonia.Node {
	if !b.ok("likelihood", images, texts) {
		return nil
	}
	cosines := b.note(b.Inner(b.Directions(images), b.Directions(texts)), "c = μ·μ", images, texts)
	kappaI, kappaT := b.note(b.Lengths(images), "κ of images", images), b.note(b.Lengths(texts), "κ of texts", texts)
	d := texts.Shape()[1]
	f := b.Sum(b.RepeatedLike(b.PaperNormalizer(kappaI, d), cosines), b.columns(b.PaperNormalizer(kappaT, d), cosines))
	both := b.Sum(b.RepeatedLike(kappaI, cosines), b.columns(kappaT, cosines))
	return b.note(b.Scaled(b.Sum(b.Product(both, cosines), f), 0.5), "½[(κ+κ)c + F + F]", cosines, kappaI, kappaT)
}

// Mutual returns log ∫ p_I p_T = log c(κ_I) + log c(κ_T) − log c(|η_I+η_T|), shifted to be 0 at κ =
// 0.
func (b *Builder) Mutual(images, texts *gorgonia.Node) *gorgonia.Node {
	if !b.ok("likelihood", images, texts) {
		return nil
	}
	dot, d := b.Inner(images, texts), texts.Shape()[1]
	squaresI, squaresT := b.RowSums(b.Square(images)), b.RowSums(b.Square(texts))
	square := b.Sum(b.Scaled(dot, 2), b.Sum(b.RepeatedLike(squaresI, dot), b.columns(squaresT, dot)))
	sum := b.note(b.Root(square), "|η+η|", dot, images, texts)
	ofImages, ofTexts := b.Normalizer(b.Root(squaresI), d), b.Normalizer(b.Root(squaresT), d)
	b.note(ofImages, "log c(κ) of images", images)
	b.note(ofTexts, "log c(κ) of texts", texts)
	ends := b.Sum(b.RepeatedLike(ofImages, dot), b.columns(ofTexts, dot))
	return b.note(b.Difference(ends, b.Normalizer(sum, d)), "log ∫ p p", ofImages, ofTexts, sum)
}
