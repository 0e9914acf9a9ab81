// Package encoder turns captions and pictures into embeddings with networks that others have trained: CLIP, SigLIP and
// sentence encoders such as MiniLM. It reads a model folder as it is downloaded and needs neither Python nor cgo.
//
//	enc, err := encoder.Open("models/all-MiniLM-L6-v2")
//	defer enc.Close()
//	texts, err := enc.Texts(ctx, "a dog", "a brown puppy asleep on a red sofa")
//	images, err := enc.Images(ctx, "photos/puppy.jpg")
//
// Read encoder.go first, then run.go (how a batch is cut over the cores), folder.go (how a folder is found and what it
// says), list.go (known models) and check.go (comparison with stored vectors). The work is done below: tokenizer (texts to
// token ids), picture (files to pixels), weights (files to tensors) and tower (the networks).
//
// Embeddings are those before normalization, which the adapters of this laboratory are trained on. An embedding does not
// depend on its batch or on the number of cores, to the bit.
package encoder
