// Package weights reads the tensors of a network from a model folder: .safetensors files of Hugging
// Face, one or several with an index, and PyTorch's .pt or .bin files if they are a plain zip of
// tensors. It never executes code from a file.
//
// Read weights.go first, then torch.go (PyTorch's format) and opcodes.go (the validation of its
// pickles).
//
//	w, err := weights.Open("models/all-MiniLM-L6-v2")
//	gain, err := w.Tensor("embeddings.LayerNorm.weight", 384)
//
// Stored types are float32, float16 and bfloat16. Large safetensors files are mapped into memory
// instead of being read.
package weights
