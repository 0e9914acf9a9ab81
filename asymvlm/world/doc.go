// Package world generates synthetic embeddings of known ambiguity. Each caption is drawn, unless
// Options.Noise says otherwise, from a von Mises–Fisher density around the direction of its scene
// with its own concentration κ, which is recorded. So the concentration that an adapter learns can
// be compared with the truth, which no real data set allows.
//
//	train, test, err := world.New(world.Options{Seed: 1})
//	trained, err := adapter.Train(ctx, &train.Set, adapter.PaperOptions("asymvlm-vmf"))
//	// … and Spearman's correlation of 1/uncertainty with test.Kappas.
//
// The world is designed so that κ is visible in a caption without its scene, which is necessary for
// any method to learn it: scenes lie in a subspace of SceneDimension dimensions, while the noise of
// a caption has all directions. The part of a caption outside the subspace then shows how noisy it
// is. In a real encoder, vague texts are separated from precise ones in a similar but less regular
// way. Norms of the vectors are those of a real encoder and carry no information.
package world
