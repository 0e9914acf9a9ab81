// Package picture decodes pictures and prepares them for an image encoder like the reference
// implementations, which use Pillow and libjpeg-turbo. Embeddings depend on the interpolation of
// chroma and on the resampling.
//
// Read picture.go first (decoding), then chroma.go and webp.go (colors of JPEG and WebP), resize.go
// (Pillow's resampling) and prepare.go (cropping, normalization, and the configurations that select
// them).
//
//	p, err := picture.Decode(data, false)
//	values, err := picture.CLIP(224).Apply(p) // 3·224·224 float32 values
//
// PNG, GIF, BMP, WebP, resampling and crops are bit-identical to Pillow 13. JPEG may differ by the
// rounding of the inverse cosine transform in libjpeg-turbo and Go: by at most 4 of 255, and by
// 0.05 in the mean over photographs. Some behavior of Pillow is copied on purpose: transparency is
// dropped instead of blended, and 16-bit gray values are clamped to 255.
package picture
