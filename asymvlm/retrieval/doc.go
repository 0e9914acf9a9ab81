// Package retrieval measures how well captions find images and images find captions, and how well an uncertainty of
// the texts tells beforehand which queries will fail. It follows the protocol of the AsymVLM paper's program: recall
// at 1, 5 and 10 in both directions, Recall@1 by level of uncertainty, and the numbers S, R² and −SR² drawn from the
// levels.
//
// Read scores.go first (where scores come from, whole or in blocks), then rank.go (who finds whom), level.go (recall
// by uncertainty), report.go (all numbers of one run) and runs.go (several runs, shifted test sets).
//
//	report, err := retrieval.Evaluate(scores, set.CaptionImages, uncertainty, 10)
//	fmt.Println(report.TextToImage.Recall1, report.TextToImage.S)
//
// Notation: N images, M texts, L levels. Matrices of scores have images as rows and texts as columns; larger is
// better. Recalls are fractions between 0 and 1, except in RSUM, which is in percent as in the literature.
//
// Ties are settled everywhere so that a result can be repeated: among equal scores the lowest index wins, and among
// equal uncertainties queries keep their order.
package retrieval
