// Package world makes synthetic embeddings whose ambiguity is known. Every caption is drawn, unless Options.Noise says otherwise, from a von Mises–Fisher
// density around the direction of its scene with its own concentration κ, which is kept: so the concentration that an
// adapter learns can be compared with the truth, which no real data set allows.
//
//	train, test, err := world.New(world.Options{Seed: 1})
//	trained, err := adapter.Train(ctx, &train.Set, adapter.PaperOptions("asymvlm-vmf"))
//	// … and Spearman's correlation of 1/uncertainty with test.Kappas.
//
// The world is made so that κ can be seen in a caption without its scene, as it must be for any method to learn it:
// scenes lie in a subspace of SceneDimension dimensions, while the noise of a caption goes in all directions. The part
// of a caption outside the subspace then tells how noisy it is. In a real encoder vague texts lie away from precise
// ones in a similar, less tidy way. Lengths of the vectors are those of a real encoder and tell nothing.
package world
