// Package laplace implements the mathematics of BayesVLM: a Laplace approximation of the last
// linear layers of a frozen vision-language model, e = Wφ, with the curvature of its loss as a
// Kronecker product, and the resulting variance of every coordinate of an embedding.
//
// It does not handle data sets or training; package nn accumulates the factors over batches and
// implements the method.
//
// Read hessian.go (the curvature of one batch), then posterior.go (factors, covariance, variances)
// and evidence.go (the precision of the prior).
//
//	hessian, err := laplace.Hessian(laplace.InfoNCE, images, texts, laplace.Logits{Scale: 100})
//	posterior, err := laplace.NewPosterior(laplace.Factors{Inputs: a, Outputs: b}, 10, 300)
//	variances := posterior.Variances(nil, phi)
//
// Dimensions: n embeddings of width D, C classes, inputs φ of width P.
package laplace
