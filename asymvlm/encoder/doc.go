// Package encoder computes embeddings of captions and pictures with published networks: CLIP,
// SigLIP and sentence encoders such as MiniLM. It reads a model folder as downloaded and needs
// neither Python nor cgo.
//
//	enc, err := encoder.Open("models/all-MiniLM-L6-v2")
//	defer enc.Close()
//	texts, err := enc.Texts(ctx, "a dog", "a brown puppy asleep on a red sofa")
//	images, err := enc.Images(ctx, "photos/puppy.jpg")
//
// Read encoder.go first, then run.go (the distribution of a batch over the CPU cores), folder.go
// (finding and reading a model folder), list.go (known models) and check.go (comparison with stored
// vectors). The work is done by the packages tokenizer (texts to token ids), picture (files to
// pixels), weights (files to tensors) and tower (the networks).
//
// Embeddings are not normalized, which is the input that the adapters of this laboratory are
// trained on. An embedding is bit-identical for any batch and any number of cores.
package encoder
