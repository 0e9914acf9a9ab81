// Package corruption damages photographs and captions in degrees of severity, for testing retrieval
// under shifted inputs. It implements the noises, blurs and codings that ELIP adopts from
// ImageNet-C and MM_Robustness, and writing errors. Corruptions apply before encoding; to use them
// with cached embeddings, encode the corrupted data once.
//
// Read image.go first (photographs by severity), then blur.go, smooth.go, weather.go, warp.go and
// picture.go (the operations), text.go (captions by rate), words.go (synonyms) and natural.go
// (writing errors at a given word error rate).
//
//	noisy, err := corruption.Image("shot-noise", photo, 3, 7)      // severity 3, seed 7
//	typed, err := corruption.Text("keyboard", caption, 0.1, 7)     // a tenth of the words
//
// Equal arguments produce equal results. Use a different seed for each item of a data set;
// otherwise all items are damaged at the same positions.
//
// The image corruptions are the fifteen of ImageNet-C and its extra ones except spatter, with its
// settings. The frost is drawn, because the original uses photographs. Not implemented, because
// they need models or large resources, are stylized images, changes of style, and back-translation;
// nor is spatter, which none of the papers here uses.
package corruption
