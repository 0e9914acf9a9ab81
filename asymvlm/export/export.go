// Package export converts densities on the sphere to plain vectors, so that any inner-product
// search engine can rank by their log-likelihoods and needs no other part of the method at query
// time.
//
// For the von Mises–Fisher kernel, the log-likelihood of a unit image x under a text with natural
// parameter η = κμ is
//
//	ℓ = κμ·x + F(κ) = (κμ, F(κ)) · (x, 1)
//
// so a text becomes the row (κμ, F(κ)) of D+1 numbers and an image the row (x, 1). Store the texts
// and query with images for image-to-text retrieval, or vice versa; the order by inner product is
// the order by ℓ. The power spherical kernel contains a logarithm of the cosine and has no such
// form.
//
//	rows, err := export.Texts(natural, normalizer)
//	queries, err := export.Images(set.Images)
//	report, err := export.Check(natural, set.Images, normalizer, 10)
//	err = export.Write("texts.parquet", rows, set.Captions)    // or .npy, .safetensors
package export

import (
	"fmt"
	"math"
	"slices"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/sphere"
)

// Texts returns the M×(D+1) rows (κμ, F(κ)) of texts with the given natural parameters, M×D. F is
// zero-based, that is minus its value at 0, which changes no order: F itself is in the thousands,
// and float32 would keep no significant digit of its changes. Values that are not finite, a
// normalizer of another dimension, and a κ so large that F overflows float32 are errors that name
// the row.
func Texts(natural embedding.Matrix, normalizer sphere.Normalizer) (embedding.Matrix, error) {
	if err := natural.Check(); err != nil {
		return embedding.Matrix{}, fmt.Errorf("export: texts: %w", err)
	}
	if normalizer.Dimension() != natural.Columns {
		return embedding.Matrix{}, fmt.Errorf("export: texts have %d columns, the normalizer %d dimensions",
			natural.Columns, normalizer.Dimension())
	}
	rows := embedding.NewMatrix(natural.Rows, natural.Columns+1)
	for text, kappa := range natural.Norms() {
		row := rows.Row(text)
		copy(row, natural.Row(text))
		value := float32(normalizer.LogNormalizerShifted(kappa))
		if value-value != 0 {
			return embedding.Matrix{}, fmt.Errorf("export: texts: row %d has κ = %g, whose normalizer is no float32", text, kappa)
		}
		row[natural.Columns] = value
	}
	return rows, nil
}

// Images returns the N×(D+1) rows (x, 1), where x is the direction of an image. A row of zeros,
// which has no direction, is an error.
func Images(images embedding.Matrix) (embedding.Matrix, error) {
	unit, err := images.Normalized()
	if err != nil {
		return embedding.Matrix{}, fmt.Errorf("export: images: %w", err)
	}
	rows := embedding.NewMatrix(images.Rows, images.Columns+1)
	for image := range rows.Rows {
		row := rows.Row(image)
		copy(row, unit.Row(image))
		row[images.Columns] = 1
	}
	return rows, nil
}

// EqualLengths appends a column to stored rows that gives all of them the norm of the longest one,
// for engines that support only cosines or Euclidean distances. Append a column of zeros to
// queries; see AppendZero. Then
//
//	|query − row|² = |query|² + longest² − 2 query·row
//
// and the nearest row is the one with the largest inner product. Source: Bachrach and others,
// Speeding up the Xbox recommender system using a Euclidean transformation for inner-product spaces
// (2014). Values that are not finite are an error that names the row.
func EqualLengths(rows embedding.Matrix) (embedding.Matrix, error) {
	if err := rows.Check(); err != nil {
		return embedding.Matrix{}, fmt.Errorf("export: %w", err)
	}
	norms := rows.Norms()
	longest := 0.0
	if len(norms) > 0 {
		longest = slices.Max(norms)
	}
	longer := AppendZero(rows)
	for i, norm := range norms {
		longer.Set(i, rows.Columns, float32(math.Sqrt(max((longest-norm)*(longest+norm), 0))))
	}
	return longer, nil
}

// AppendZero returns the rows with a column of zeros appended.
func AppendZero(rows embedding.Matrix) embedding.Matrix {
	longer := embedding.NewMatrix(rows.Rows, rows.Columns+1)
	for i := range rows.Rows {
		copy(longer.Row(i), rows.Row(i))
	}
	return longer
}
