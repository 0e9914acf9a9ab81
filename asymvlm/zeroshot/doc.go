// Package zeroshot classifies images by the texts of the classes: with one prompt or an ensemble of
// prompts per class, with rejection ("none of the above"), and with prompts weighted by how well
// images of the class fit them. It works on embeddings and scores; EncodePrompts and EncodeTask
// compute embeddings with an encoder (package encoder).
//
// Read prompt.go first (texts and ensembles), then classify.go (accuracy), reject.go (none of the
// above, by a dummy class or a threshold) and reweight.go (Bayesian prompt re-weighting).
//
//	prompts, err := zeroshot.Prompts(zeroshot.CIFARTemplates(), classes)   // to be encoded, in this order
//	texts, err := zeroshot.Ensemble(embeddings, len(zeroshot.CIFARTemplates()))
//	cosines, err := retrieval.Cosines(images, texts)
//	scores, err := retrieval.Whole(cosines)                                // all of them in one matrix
//	accuracy, err := zeroshot.Classify(scores, labels)
//
// Notation: N images, C classes, T templates, K prompts of one class. The prompts of a class are
// consecutive: prompt c·T + t is template t filled with class c. Scores have images as rows; larger
// is better, and of equal scores the lowest index wins. The papers state neither prompts nor
// thresholds, so report the ones that you choose.
package zeroshot
