// Package corruption damages photographs and captions in graded ways, for testing retrieval under a shift of its
// inputs: the noises, blurs and codings that ELIP takes from ImageNet-C and MM_Robustness, and slips of writing.
// Corruptions come before encoding; whoever works on cached embeddings needs them encoded once.
//
// Read image.go first (photographs by severity), then blur.go, smooth.go, weather.go, warp.go and picture.go (how), text.go
// (captions by rate), words.go (synonyms) and natural.go (slips at a stated word error rate).
//
//	noisy, err := corruption.Image("shot-noise", photo, 3, 7)      // severity 3, seed 7
//	typed, err := corruption.Text("keyboard", caption, 0.1, 7)     // a tenth of the words
//
// All results are the same for the same arguments. Each item of a data set should have its own seed, or all would
// be damaged in the same places.
//
// The image corruptions are the fifteen of ImageNet-C and its extra ones but spatter, with its settings. The frost is drawn,
// since the original's is photographs. Left out, because they need models or much material of their own: stylised images,
// changes of style, and back-translation; and spatter, which no paper here has.
package corruption
