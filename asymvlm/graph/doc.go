// Package graph implements the losses of asymvlm as graphs of gorgonia, which differentiates them
// automatically. The graphs verify the derivatives written by hand in package nn, allow
// user-defined losses without derivatives, and produce diagrams for teaching.
//
// A user-defined loss for adapter.Options:
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
// Gorgonia's own functions can be used as well. The builder's methods exist because a naive softmax
// overflows to NaN, and because gorgonia 0.9.18 lacks log Γ and ψ and its log-sum-exp fails on
// matrices.
//
// Read builder.go first (matrices and their operations), then pairs.go and likelihood.go (AsymVLM),
// variance.go (PFE, PCME++, ProLIP), generalized.go (ProbVLM), evidence.go (ELIP), program.go
// (running), loss.go (training) and drawing.go. All values are float64, and a graph is built for
// one batch size.
package graph
