// Package tower computes the forward passes of CLIP, SigLIP and BERT: token ids or pixels to an embedding. Weights come
// in the layouts of Hugging Face, OpenAI and open_clip, recognized from the configuration of a model folder or from
// the shapes of the tensors.
//
// Read model.go first (what a folder holds), then block.go (one layer of a transformer), stack.go (the layers one after
// another), text.go and image.go (what comes before and after them), load.go (reading tensors), huggingface.go,
// openclip.go and bert.go (the layouts).
//
//	model, err := tower.Load("models/ViT-B-32")
//	worker := tower.NewWorker()
//	rows, err := model.Text.Encode(worker, [][]int32{ids})
//
// Sequences of a batch are not padded: the linear layers work on all tokens of all sequences, attention on those of one.
// An embedding therefore does not depend, to the bit, on what else is in the batch nor on the number of workers.
//
// Sources: Vaswani et al. 2017 (transformer), Devlin et al. 2018 (BERT), Radford et al. 2021 (CLIP), Zhai et al. 2023
// (SigLIP).
package tower
