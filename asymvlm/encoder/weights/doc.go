// Package weights reads the tensors of a network from a model folder: .safetensors files of Hugging Face, one or several
// with an index, and .pt or .bin files of PyTorch that are a plain zip of tensors. Nothing that a file says is run.
//
// Read weights.go first, then torch.go (PyTorch's format) and opcodes.go (what makes its pickles safe to read).
//
//	w, err := weights.Open("models/all-MiniLM-L6-v2")
//	gain, err := w.Tensor("embeddings.LayerNorm.weight", 384)
//
// Stored types are float32, float16 and bfloat16. Large safetensors files are mapped, not read.
package weights
