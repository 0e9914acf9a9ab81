package embedding

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// A Layer is the last linear layer of an encoder, e = Wφ + b, together with its inputs φ for the
// embeddings of one side. BayesVLM models the uncertainty of W; other methods do not use the layer.
type Layer struct {
	Inputs  Matrix    // N×P, one row φ per embedding, in the same order
	Weights Matrix    // W, D×P, as torch.nn.Linear stores them
	Bias    []float32 // b, D values; nil for none
}

// Apply writes Wφ + b, D values, to dst for one row of P inputs. It panics if the lengths do not
// match.
func (l *Layer) Apply(dst []float64, inputs []float32) {
	if len(dst) != l.Weights.Rows || len(inputs) != l.Weights.Columns {
		panic(fmt.Sprintf("embedding: %d inputs and room for %d outputs, the layer has %d and %d",
			len(inputs), len(dst), l.Weights.Columns, l.Weights.Rows))
	}
	for j := range dst {
		dst[j] = 0
		if l.Bias != nil {
			dst[j] = float64(l.Bias[j])
		}
		for k, w := range l.Weights.Row(j) {
			dst[j] += float64(w) * float64(inputs[k])
		}
	}
}

// agreement is the smallest accepted cosine between an embedding and the output of the layer. Half
// precision yields 0.99999.
const agreement = 0.999

// checkedRows is the number of rows that are compared, evenly spaced.
const checkedRows = 16

// check returns an error if the layer does not match the embeddings: wrong sizes, values that are
// not finite, inputs of norm 0, and rows whose output differs from the embedding.
func (l *Layer) check(embeddings *Stored) error {
	width := embeddings.Columns
	switch {
	case l.Inputs.Rows != embeddings.Rows:
		return fmt.Errorf("%d rows of features for %d embeddings", l.Inputs.Rows, embeddings.Rows)
	case l.Weights.Rows != width || l.Weights.Columns != l.Inputs.Columns:
		advice := ""
		if l.Weights.Columns == width && l.Weights.Rows == l.Inputs.Columns {
			advice = "; transpose it"
		}
		return fmt.Errorf("features have %d columns and embeddings %d, so the projection is %d×%d, not %d×%d%s", l.Inputs.Columns, width,
			width, l.Inputs.Columns, l.Weights.Rows, l.Weights.Columns, advice)
	case l.Bias != nil && len(l.Bias) != width:
		return fmt.Errorf("the projection's bias has %d numbers, the embeddings have %d columns", len(l.Bias), width)
	}
	for _, m := range []struct {
		name string
		Matrix
	}{{"features", l.Inputs}, {"projection", l.Weights}, {"the projection's bias", Matrix{Rows: 1, Columns: len(l.Bias), Values: l.Bias}}} {
		if err := m.Check(); m.Columns > 0 && err != nil {
			return fmt.Errorf("%s: %s", m.name, bare(err))
		}
	}
	if err := l.Inputs.CheckDirections(); err != nil {
		return fmt.Errorf("features: %s", bare(err))
	}
	return l.checkAgreement(embeddings)
}

// checkAgreement compares the direction of the layer's output with the embedding, for some rows.
func (l *Layer) checkAgreement(embeddings *Stored) error {
	made, own := make([]float64, embeddings.Columns), make([]float32, embeddings.Columns)
	for i := range min(checkedRows, embeddings.Rows) {
		row := i * embeddings.Rows / min(checkedRows, embeddings.Rows)
		l.Apply(made, l.Inputs.Row(row))
		if err := embeddings.Row(own, row); err != nil {
			return err
		}
		if c := cosine(made, own); !(c >= agreement) {
			return fmt.Errorf("row %d: the projection of its features has the cosine %.4f to its embedding, want at least %g: "+
				"are they of this encoder, and in the same order?%s", row, c, agreement, l.transposedAdvice(own, row))
		}
	}
	return nil
}

// transposedAdvice returns advice for the error if a square projection matches after transposing
// it.
func (l *Layer) transposedAdvice(embedding []float32, row int) string {
	if l.Weights.Rows != l.Weights.Columns {
		return ""
	}
	turned := Layer{Inputs: l.Inputs, Weights: NewMatrix(l.Weights.Rows, l.Weights.Columns), Bias: l.Bias}
	for i := range turned.Weights.Rows {
		for j := range turned.Weights.Columns {
			turned.Weights.Set(i, j, l.Weights.At(j, i))
		}
	}
	made := make([]float64, len(embedding))
	turned.Apply(made, l.Inputs.Row(row))
	if c := cosine(made, embedding); c >= agreement {
		return fmt.Sprintf(" With the projection transposed it is %.4f.", c)
	}
	return ""
}

func cosine(a []float64, b []float32) float64 {
	product, ofA, ofB := 0.0, 0.0, 0.0
	for i, x := range a {
		y := float64(b[i])
		product += x * y
		ofA += x * x
		ofB += y * y
	}
	return product / math.Sqrt(ofA*ofB)
}

// selectRows returns the layer with the inputs of some rows.
func (l *Layer) selectRows(rows []int) *Layer {
	if l == nil {
		return nil
	}
	return &Layer{Inputs: l.Inputs.SelectRows(rows), Weights: l.Weights, Bias: l.Bias}
}

// checkLayers returns an error if only one side has a last layer, or if a layer does not match.
func (s *Set) checkLayers() error {
	if (s.ImageLayer == nil) != (s.TextLayer == nil) {
		with, without := "images", "texts"
		if s.ImageLayer == nil {
			with, without = without, with
		}
		return fmt.Errorf("the last layer of the %s is known and that of the %s is not", with, without)
	}
	if s.ImageLayer == nil {
		return nil
	}
	sides := s.Sides()
	if err := s.ImageLayer.check(sides[0]); err != nil {
		return fmt.Errorf("images: %w", err)
	}
	if err := s.TextLayer.check(sides[1]); err != nil {
		return fmt.Errorf("texts: %w", err)
	}
	return nil
}

// The suffixes of the names of the files that hold a side's last layer.
const (
	featuresSuffix   = "_features"
	projectionSuffix = "_projection"
	biasSuffix       = "_bias"
)

// readLayer reads the last layer of one side, image or text, from a folder. It returns nil if there
// are no features.
func readLayer(dir, side string) (*Layer, error) {
	features := side + featuresSuffix
	path, err := findOptional(dir, features)
	if path == "" || err != nil {
		return nil, err
	}
	l := &Layer{}
	if l.Inputs, _, err = readMatrix(path, features); err != nil {
		return nil, err
	}
	projection := side + projectionSuffix
	weights, err := findOptional(dir, projection)
	if weights == "" && err == nil {
		dir = filepath.Dir(filepath.Clean(dir)) // the layer belongs to the encoder, not to the split
		weights, err = findOptional(dir, projection)
	}
	if err != nil {
		return nil, err
	}
	if weights == "" {
		return nil, fmt.Errorf("embedding: %s is there, and neither beside it nor one folder above is %s.npy, .npz or .safetensors, "+
			"the D×P weights of the layer that made the embeddings of it", path, projection)
	}
	var beside map[string]*Array
	if l.Weights, beside, err = readMatrix(weights, projection); err != nil {
		return nil, err
	}
	l.Bias, err = readBias(dir, projection+biasSuffix, beside)
	return l, err
}

// readBias reads the bias of a projection from its own file or from the array stored with the
// weights. It returns nil if there is none.
func readBias(dir, name string, beside map[string]*Array) ([]float32, error) {
	array, path := beside[name], filepath.Join(dir, name+".npy")
	if array == nil {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		var err error
		if array, err = ReadNPY(path); err != nil {
			return nil, err
		}
	}
	values, err := array.Float32s()
	if err != nil {
		return nil, inFile(path, err)
	}
	return values, nil
}

// findOptional returns the file of a folder that holds a matrix, or "" if there is none.
func findOptional(dir, name string) (found string, err error) {
	for _, extension := range extensions {
		path := filepath.Join(dir, name+extension)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if found != "" {
			return "", fmt.Errorf("embedding: %s has both %s and %s, so it is not clear which counts", dir, filepath.Base(found), filepath.Base(path))
		}
		found = path
	}
	return found, nil
}

// writeLayer writes a side's last layer, or removes that of an earlier set if it is nil.
func writeLayer(dir, side string, l *Layer) error {
	features := filepath.Join(dir, side+featuresSuffix+".safetensors")
	projection := filepath.Join(dir, side+projectionSuffix+".safetensors")
	if l == nil {
		for _, path := range []string{features, projection} {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("embedding: %w", err)
			}
		}
		return nil
	}
	if err := WriteSafetensors(features, &Safetensors{Arrays: map[string]*Array{side + featuresSuffix: l.Inputs.Array()}}); err != nil {
		return err
	}
	arrays := map[string]*Array{side + projectionSuffix: l.Weights.Array()}
	if l.Bias != nil {
		arrays[side+projectionSuffix+biasSuffix] = Float32Array(l.Bias)
	}
	return WriteSafetensors(projection, &Safetensors{Arrays: arrays})
}
