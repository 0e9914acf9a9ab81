// Package picture decodes pictures and prepares them for an image encoder as the reference programs do, which use Pillow
// and libjpeg-turbo: an embedding depends on how chroma is interpolated and how a picture is made smaller.
//
// Read picture.go first (decoding), then chroma.go and webp.go (colors of JPEG and WebP), resize.go (Pillow's resampling)
// and prepare.go (crop and normalization, and the configurations that ask for them).
//
//	p, err := picture.Decode(data, false)
//	values, err := picture.CLIP(224).Apply(p) // 3·224·224 float32 values
//
// Equal to the bit to Pillow 13: PNG, GIF, BMP, WebP, resampling, crops. JPEG differs by the last bit of the inverse cosine
// transform, which libjpeg-turbo and Go round differently: at most 4 of 255, 0.05 in the mean of photographs. Some of Pillow's ways are
// copied on purpose: transparency is dropped, not blended, and gray values of 16 bits are cut at 255.
package picture
