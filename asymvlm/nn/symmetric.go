package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"math"
	"math/rand/v2"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/sphere"
)

// Objectives with von Mises–Fisher distributions on both sides.
var (
	// Symmetrized is the mean of both log-likelihoods.
	Symmetrized Objective = onBothSides{"symmetrized", false}
	// Mutual is the logarithm of the integral of both densities.
	Mutual Objective = onBothSides{"mutual", true}
)

type onBothSides struct {
	name   string
	mutual bool
}

func (o onBothSides) String() string { return o.name }

func (onBothSides) properties() properties { return properties{temperature: true} }

func (o onBothSides) single(b *builder[float32]) (objective[float32], error) {
	return newSymmetric(b, o)
}
func (o onBothSides) double(b *builder[float64]) (objective[float64], error) {
	return newSymmetric(b, o)
}

// symmetric has networks on both sides, and a likelihood of two von Mises–Fisher distributions:
// SymVLM. The paper says "symmetrised log-likelihood" and released no reference implementation.
// With c = μ_I·μ_T,
//
//	symmetrised  ½ [log p_T(μ_I) + log p_I(μ_T)] = ½ [(κ_I+κ_T) c + F(κ_I) + F(κ_T)], F the paper's closed form
//	mutual       log ∫ p_I p_T = C(κ_I) + C(κ_T) − C(|η_I+η_T|), C the exact normalizer
//
// both shifted to be 0 at κ = 0. The loss is the contrastive one.
type symmetric[F device.Float] struct {
	ops         device.Operations[F]
	networks    [2]*network[F] // by Side
	contrastive contrastive[F]
	tau         *tensor[F]
	logarithmic bool // tau is the logarithm of the temperature
	mutual      bool
	firstTau    float64
	custom      *customLoss[F] // replaces tau and the contrastive loss, or nil
	normalizer  interface {
		LogNormalizerShifted(kappa float64) float64
		DerivativeOverKappa(kappa float64) float64
	}
	sides     [2]directions[F]
	ell       device.Matrix[F]
	pulls     device.Matrix[F] // factors of the matrix products in the gradients
	dEta      [2]device.Matrix[F]
	along     [2][]float64 // Σ g c of every row and column, or Σ of the pulls
	ofRows    [2][]float64 // Σ g of every row and column
	likeness  device.Matrix[F]
	logarithm [2][]float64
}

func newSymmetric[F device.Float](b *builder[F], o onBothSides) (objective[F], error) {
	s := &symmetric[F]{
		ops: b.ops, contrastive: contrastive[F]{ops: b.ops, mask: b.mask}, mutual: o.mutual,
		firstTau: b.firstTau(), logarithmic: b.logTau(),
		ell: device.NewMatrix[F](b.batch, b.batch), pulls: device.NewMatrix[F](b.batch, b.batch),
		likeness: device.NewMatrix[F](b.batch, b.batch),
	}
	for _, side := range []Side{Texts, Images} {
		s.networks[side] = newNetwork(b, side.name(), b.sizes())
		s.dEta[side] = device.NewMatrix[F](b.batch, b.Dimension)
	}
	if b.Loss != nil {
		s.custom = newCustomLoss(b, "")
	} else {
		s.tau = takeTau(b, "")
	}
	var err error
	if s.mutual {
		s.normalizer, err = sphere.NewVonMisesFisherNormalizer(b.Dimension)
	} else {
		s.normalizer, err = sphere.NewPaperNormalizer(b.Dimension)
	}
	return s, err
}

func (s *symmetric[F]) initialize(source *rand.Rand) {
	for _, n := range s.networks {
		n.initialize(source)
	}
	if s.custom != nil {
		s.custom.initialize()
		return
	}
	s.tau.values[0] = F(s.firstTau)
	if s.logarithmic {
		s.tau.values[0] = F(math.Log(s.firstTau))
	}
}

func (s *symmetric[F]) temperatureTensors() []*tensor[F] { return []*tensor[F]{s.tau} }

func (s *symmetric[F]) temperature() float64 {
	if s.custom != nil {
		return s.custom.temperature()
	}
	if s.logarithmic {
		return math.Exp(s.tau.number())
	}
	return s.tau.number()
}

func (s *symmetric[F]) width() int { return s.dEta[Texts].Columns }

func (s *symmetric[F]) represent(dst device.Matrix[F], u []float64, side Side, raw device.Matrix[F]) bool {
	copy(dst.Values, s.networks[side].forward(raw).Values)
	for r := range u {
		u[r] = 1 / norm(dst.Row(r))
	}
	return true
}

func (s *symmetric[F]) score(dst, images, texts device.Matrix[F]) {
	s.prepare(images, texts)
	s.fill(dst, dst)
}

// prepare computes the directions and concentrations of both networks' outputs.
func (s *symmetric[F]) prepare(images, texts device.Matrix[F]) {
	for side, eta := range [2]device.Matrix[F]{Texts: texts, Images: images} {
		s.sides[side].set(s.ops, eta)
		s.logarithm[side] = grow(s.logarithm[side], eta.Rows)
		for r, kappa := range s.sides[side].kappa {
			s.logarithm[side][r] = s.normalizer.LogNormalizerShifted(kappa)
		}
	}
}

// fill sets likeness to the cosines and ell to the log-likelihoods; both may be the same matrix.
func (s *symmetric[F]) fill(ell, likeness device.Matrix[F]) {
	s.ops.ProductRightTransposed(likeness, s.sides[Images].mu, s.sides[Texts].mu)
	for i := range ell.Rows {
		cosines, row := likeness.Row(i), ell.Row(i)
		for r, c := range cosines {
			sum := s.logarithm[Images][i] + s.logarithm[Texts][r]
			if s.mutual {
				row[r] = F(sum - s.normalizer.LogNormalizerShifted(s.together(i, r, float64(c))))
			} else {
				row[r] = F(((s.sides[Images].kappa[i]+s.sides[Texts].kappa[r])*float64(c) + sum) / 2)
			}
		}
	}
}

// together returns |η_I+η_T|.
func (s *symmetric[F]) together(image, text int, c float64) float64 {
	a, b := s.sides[Images].kappa[image], s.sides[Texts].kappa[text]
	return math.Sqrt(math.Max((a-b)*(a-b)+2*a*b*(1+c), 0))
}

func (s *symmetric[F]) differentiate(texts, images device.Matrix[F]) (StepResult, error) {
	batch := texts.Rows
	eta := [2]device.Matrix[F]{Texts: s.networks[Texts].forward(texts), Images: s.networks[Images].forward(images)}
	s.prepare(eta[Images], eta[Texts])
	result := StepResult{Temperature: s.temperature(), MeanConcentration: mean(s.sides[Texts].kappa)}
	square := func(m device.Matrix[F]) device.Matrix[F] {
		return device.Matrix[F]{Rows: batch, Columns: batch, Values: m.Values[:batch*batch]}
	}
	ell, likeness, pulls := square(s.ell), square(s.likeness), square(s.pulls)
	s.fill(ell, likeness)
	if err := firstNotFinite(NotFiniteError{"the temperature", result.Temperature},
		NotFiniteError{"the mean concentration", result.MeanConcentration}); err != nil {
		return result, err
	}
	dTau := 0.0
	if s.custom == nil {
		loss, slopes := s.contrastive.loss(ell, F(result.Temperature))
		result.Loss, dTau = loss, slopes.dScale
		s.tau.gradient[0] = F(dTau)
		s.gradient(slopes.g, likeness, pulls, result.Temperature)
	} else {
		var err error
		if result.Loss, err = s.custom.symmetricGradient(s, eta, ell, likeness, pulls); err != nil {
			return result, err
		}
	}
	dTexts, dImages := s.dEta[Texts].Top(batch), s.dEta[Images].Top(batch)
	if err := firstNotFinite(
		NotFiniteError{"the loss", result.Loss}, NotFiniteError{"the gradient of the temperature", dTau},
		NotFiniteError{"the gradient of the text outputs", s.ops.Dot(dTexts, dTexts)},
		NotFiniteError{"the gradient of the image outputs", s.ops.Dot(dImages, dImages)},
	); err != nil {
		return result, err
	}
	s.networks[Texts].backward(texts, dTexts)
	s.networks[Images].backward(images, dImages)
	return result, nil
}

// gradient sets dEta of both sides. With G the sums of g over the other side, w the pulls and their
// sums W,
//
//	symmetrised  dη_T = τ/2 { [Σ g c + G F′(κ_T) − Σ w c/κ_T] μ_T + Σ w μ_I/κ_T },  w = g (κ_I+κ_T)
//	mutual       dη_T = τ { (G φ(κ_T) − W) η_T − Σ w η_I },  w = g φ(|η_I+η_T|),  φ(κ) = C′(κ)/κ
//
// and the same for images with the sides exchanged.
func (s *symmetric[F]) gradient(g, likeness, pulls device.Matrix[F], tau float64) {
	for side := range s.along {
		s.along[side], s.ofRows[side] = grow(s.along[side], g.Rows), grow(s.ofRows[side], g.Rows)
		clear(s.along[side])
		clear(s.ofRows[side])
	}
	kappas, kappaTexts := s.sides[Images].kappa, s.sides[Texts].kappa
	for i := range g.Rows {
		gs, cs, ws := g.Row(i), likeness.Row(i), pulls.Row(i)
		for r, value := range gs {
			slope, c := float64(value), float64(cs[r])
			s.ofRows[Images][i] += slope
			s.ofRows[Texts][r] += slope
			if s.mutual {
				w := slope * s.normalizer.DerivativeOverKappa(s.together(i, r, c))
				s.along[Images][i] += w
				s.along[Texts][r] += w
				ws[r] = F(w)
				continue
			}
			both := kappas[i] + kappaTexts[r]
			// Σ g c − Σ w c/κ of either side, combined into one term because their large parts
			// cancel.
			s.along[Images][i] -= slope * c * kappaTexts[r] / math.Max(kappas[i], least)
			s.along[Texts][r] -= slope * c * kappas[i] / math.Max(kappaTexts[r], least)
			ws[r] = F(slope * both)
		}
	}
	if s.mutual {
		s.scale()
	}
	dTexts, dImages := s.dEta[Texts].Top(g.Rows), s.dEta[Images].Top(g.Rows)
	s.ops.ProductLeftTransposed(dTexts, pulls, s.sides[Images].mu)
	s.ops.Product(dImages, pulls, s.sides[Texts].mu)
	for side, d := range [2]device.Matrix[F]{Texts: dTexts, Images: dImages} {
		s.finish(Side(side), d, tau)
	}
}

// scale converts the unit vectors back to natural parameters, which the mutual form multiplies by.
func (s *symmetric[F]) scale() {
	for side := range s.sides {
		for r, kappa := range s.sides[side].kappa {
			row := s.sides[side].mu.Row(r)
			for j := range row {
				row[j] *= F(kappa)
			}
		}
	}
}

// finish adds the component along the row's own vector.
func (s *symmetric[F]) finish(side Side, d device.Matrix[F], tau float64) {
	for r, kappa := range s.sides[side].kappa {
		slope := s.ofRows[side][r] * s.normalizer.DerivativeOverKappa(kappa)
		own, other := tau*(slope-s.along[side][r]), -tau
		if !s.mutual {
			own = tau / 2 * (s.along[side][r] + slope*kappa)
			other = tau / 2 / math.Max(kappa, least)
		}
		mu, row := s.sides[side].mu.Row(r), d.Row(r)
		for j, value := range mu {
			row[j] = F(own*float64(value) + other*float64(row[j]))
		}
	}
}

// work describes the training to a device.
func (s *symmetric[F]) work(plan *device.TrainingPlan, _ Architecture) (side Side, ok bool) {
	plan.Loss = device.SymmetricLoss{Mutual: s.mutual}
	return Texts, s.custom == nil
}

func (s *symmetric[F]) seen(step device.SeenStep) (StepResult, error) { return seenContrastive(step) }
