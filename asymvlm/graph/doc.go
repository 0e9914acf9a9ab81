// Package graph writes the losses of the laboratory a second time, as graphs of gorgonia, which differentiates them by
// itself. The graphs are the measure for the derivatives that package nn has by hand, a way to write a loss of one's own
// without derivatives, and pictures for teaching.
//
// A loss of one's own, as adapter.Options takes it:
//
//	loss := graph.NewLoss("focal", []custom.Number{{Name: "tau", First: 1}},
//		func(b *graph.Builder, in graph.Inputs) *gorgonia.Node {
//			lambda := b.Product(b.RepeatedLike(in.Numbers[0], in.LogLikelihoods), in.LogLikelihoods)
//			lack := b.Difference(b.LogSumExpRows(lambda), b.Diagonal(lambda)) // −log p of the own text
//			return b.Mean(b.Product(b.Square(b.PlusConstant(b.Negative(b.Exp(b.Negative(lack))), 1)), lack))
//		})
//	options.Loss = loss
//	figure.Graph(loss.Drawing())     // its picture
//
// Gorgonia's own functions can be mixed in; the builder's methods exist because a softmax put together naively gives NaN,
// and because gorgonia 0.9.18 lacks log Γ and ψ and fails on the log-sum-exp of a matrix.
//
// Read builder.go first (matrices and what is done with them), then pairs.go and likelihood.go (AsymVLM), variance.go
// (PFE, PCME++, ProLIP), generalized.go (ProbVLM), evidence.go (ELIP), program.go (running), loss.go (training) and
// drawing.go. Everything is float64, and built for one size of batch.
package graph
