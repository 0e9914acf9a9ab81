// Package tower computes the forward passes of CLIP, SigLIP and BERT, from token ids or pixels to
// an embedding. It reads weights in the layouts of Hugging Face, OpenAI and open_clip, which it
// recognizes from the configuration of a model folder or from the shapes of the tensors.
//
// Read model.go first (the content of a folder), then block.go (one layer of a transformer),
// stack.go (consecutive layers), text.go and image.go (input and output of the layers), load.go
// (reading tensors), and huggingface.go, openclip.go and bert.go (the layouts).
//
//	model, err := tower.Load("models/ViT-B-32")
//	worker := tower.NewWorker()
//	rows, err := model.Text.Encode(worker, [][]int32{ids})
//
// The sequences of a batch are not padded: linear layers process all tokens of all sequences, and
// attention those of one sequence. An embedding is therefore bit-identical for any batch and any
// number of workers.
//
// Sources: Vaswani et al. 2017 (transformer), Devlin et al. 2018 (BERT), Radford et al. 2021
// (CLIP), Zhai et al. 2023 (SigLIP).
package tower
