// Package retrieval measures image-text retrieval in both directions, and how well an uncertainty
// of the texts predicts which queries fail. It follows the protocol of the AsymVLM paper's
// reference implementation: recall at 1, 5 and 10, Recall@1 by level of uncertainty, and the
// numbers S, R² and −SR² computed from the levels.
//
// Read scores.go first (scores, whole or in blocks), then rank.go (ranked lists), level.go (recall
// by uncertainty), report.go (all numbers of one run) and runs.go (several runs, shifted test
// sets).
//
//	report, err := retrieval.Evaluate(scores, set.CaptionImages, uncertainty, 10)
//	fmt.Println(report.TextToImage.Recall1, report.TextToImage.S)
//
// Notation: N images, M texts, L levels. Matrices of scores have images as rows and texts as
// columns; larger is better. Recalls are fractions between 0 and 1, except in RSUM, which is in
// percent as in the literature.
//
// Ties are resolved so that results are reproducible: among equal scores the lowest index wins, and
// among equal uncertainties queries keep their order.
package retrieval
