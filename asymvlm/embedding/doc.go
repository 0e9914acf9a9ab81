// Package embedding holds cached embeddings of images and texts: the matrices, the caption-to-image table that
// joins them, and the files they come from (.npy, .npz, .safetensors). It computes no embeddings; an encoder did
// that once, and everything in the laboratory starts from its stored output.
//
// Read matrix.go first (the numbers), then set.go (images, texts and who belongs to whom), array.go (a named array
// of any stored type), npy.go, npz.go and safetensors.go (the three formats), folder.go (the layout
// embeddings/<data>/<split> of the paper's program), int8.go (embeddings in a quarter of the room) and scenes.go
// (the data set that is built into the program).
//
// Dimensions: N images, M texts, D the width of an embedding. Everything is stored row by row.
//
//	train, test, err := embedding.Scenes()
//	own, err := embedding.ReadSet("embeddings/coco/val")
//
// Every reader checks what it reads. An error names the file, the row and the reason:
//
//	embedding: embeddings/coco/val/text.npy: row 17, column 3 is NaN
package embedding
