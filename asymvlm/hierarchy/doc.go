// Package hierarchy measures embeddings on HierarCaps, in which images have chains of captions from
// the most general to the most specific one: whether uncertainty falls along a chain, and whether
// the captions between a root and an image are the right ones.
//
// Read chains.go first (the data), then levels.go (numbers for the AsymVLM paper's figure 5, which
// shows plots only), radius.go (HierarCaps' own precision, recall and order) and traversal.go
// (ProLIP's walk to the root).
//
//	figures, err := hierarchy.ByLevel(uncertainty, 4)
//	metrics, err := chains.Radius()
//
// Notation: R rows (one chain each), N images, L levels (0 is the most general one; HierarCaps has
// 4 levels, numbered 0 to 3, although ProLIP's text mentions a level 4). Text r·L + l is level l of
// row r. A string that occurs in several rows counts as one text.
//
// HierarCaps' test file has 1,000 rows whose images are from COCO. The AsymVLM paper describes the
// set as adapted from Conceptual Captions, which is true of its training file only.
package hierarchy
