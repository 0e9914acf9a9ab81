// Package hierarchy measures embeddings on HierarCaps, where every image has chains of captions from the most general
// to the most exact one: whether uncertainty falls along a chain, and whether the captions on the way from a root to
// an image are the right ones.
//
// Read chains.go first (the data), then levels.go (numbers for the AsymVLM paper's figure 5, which shows plots only),
// radius.go (HierarCaps' own precision, recall and order) and traversal.go (ProLIP's walk to the root).
//
//	figures, err := hierarchy.ByLevel(uncertainty, 4)
//	metrics, err := chains.Radius()
//
// Notation: R rows (one chain each), L levels (0 the most general one, 4 levels in HierarCaps, numbered 0 to 3
// although ProLIP's text speaks of a level 4), N images. Text number r·L + l is level l of row r. The same string may
// occur in several rows, and counts as one text.
//
// The data: HierarCaps' test file has 1,000 rows whose images are from COCO. The AsymVLM paper calls the set adapted
// from Conceptual Captions, which is true of its training file only.
package hierarchy
