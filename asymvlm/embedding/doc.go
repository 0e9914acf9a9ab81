// Package embedding reads, writes and holds cached embeddings of images and texts: the matrices,
// the caption-to-image table that links them, and their files (.npy, .npz, .safetensors, .parquet).
// It computes no embeddings; see package encoder. All of the laboratory works on stored embeddings.
//
// Read matrix.go first (the values), then set.go (images, texts and their table), array.go (a named
// array of any stored type), npy.go, npz.go and safetensors.go (three file formats), folder.go (the
// layout embeddings/<data>/<split> of the paper's reference implementation), int8.go (embeddings in
// a quarter of the space) and scenes.go (the built-in data set).
//
// Dimensions: N images, M texts, D the width of an embedding. All matrices are stored row by row.
//
//	train, test, err := embedding.Scenes()
//	own, err := embedding.ReadSet("embeddings/coco/val")
//
// Every reader validates its input. An error names the file, the row and the reason:
//
//	embedding: embeddings/coco/val/text.npy: row 17, column 3 is NaN
package embedding
