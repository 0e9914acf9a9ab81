package adapter

import (
	"errors"
	"fmt"
	"slices"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
)

// A layered method can use the encoders' last layers instead of the embeddings.
type layered interface {
	layersOf(o Options, set *embedding.Set) (bool, error)
}

// onLayers reports whether training on a set with these options uses its last layers.
func onLayers(o Options, set *embedding.Set) (bool, error) {
	m, err := Lookup(o.Method)
	if err != nil {
		return false, err
	}
	if l, able := m.(layered); able {
		return l.layersOf(o, set)
	}
	return false, nil
}

// layerInputs returns a set whose embeddings are the inputs of the last layers.
func layerInputs(set *embedding.Set) *embedding.Set {
	return &embedding.Set{Name: set.Name, Images: set.ImageLayer.Inputs, Texts: set.TextLayer.Inputs, CaptionImages: set.CaptionImages}
}

// layerShapes returns the shapes of a set's last layers.
func layerShapes(set *embedding.Set) (shapes [2]nn.LastLayer) {
	for side, l := range sidesOf(set) {
		shapes[side] = nn.LastLayer{Inputs: l.Weights.Columns, Bias: l.Bias != nil}
	}
	return shapes
}

// sidesOf returns a set's last layers by nn.Side.
func sidesOf(set *embedding.Set) [2]*embedding.Layer {
	return [2]*embedding.Layer{nn.Texts: set.TextLayer, nn.Images: set.ImageLayer}
}

// sideNames are the names of the sides, by nn.Side.
var sideNames = [2]string{nn.Texts: "text", nn.Images: "image"}

// layerValues returns the adapter's own copy of the weights and bias of one side's last layer.
func (a *Adapter) layerValues(side nn.Side) (weights, bias []float32) {
	for _, p := range a.learner.Parameters() {
		switch p.Name {
		case sideNames[side] + ".weight":
			weights = p.Values
		case sideNames[side] + ".bias":
			bias = p.Values
		}
	}
	return weights, bias
}

// takeLayers copies the weights and biases of a set's last layers to the learner.
func (a *Adapter) takeLayers(set *embedding.Set) {
	for side, l := range sidesOf(set) {
		weights, bias := a.layerValues(nn.Side(side))
		copy(weights, l.Weights.Values)
		copy(bias, l.Bias)
	}
}

// onLayers reports whether the adapter's rows are inputs of last layers.
func (a *Adapter) onLayers() bool { return a.shape.Layers != [2]nn.LastLayer{} }

// rows returns the rows of a set that the adapter uses, by nn.Side: the raw embeddings, or the
// inputs of the last layers, which must be the same layers as in training.
func (a *Adapter) rows(set *embedding.Set) (rows [2]embedding.Matrix, err error) {
	if set == nil {
		return rows, errors.New("adapter: nil set (check the error returned by ReadSet)")
	}
	if !a.onLayers() {
		return [2]embedding.Matrix{nn.Texts: set.Texts, nn.Images: set.Images}, nil
	}
	for side, l := range sidesOf(set) {
		if l == nil {
			return rows, fmt.Errorf("adapter: %s was trained on the encoders' last layers, and the set %q has no features of the %ss; see embedding.ReadSet for the files",
				a.Method(), set.Name, sideNames[side])
		}
		weights, bias := a.layerValues(nn.Side(side))
		if shape := (nn.LastLayer{Inputs: l.Weights.Columns, Bias: l.Bias != nil}); shape != a.shape.Layers[side] ||
			!slices.Equal(weights, l.Weights.Values) || !slices.Equal(bias, l.Bias) {
			return rows, fmt.Errorf("adapter: the %s projection of the set %q is not the one of the training: another encoder?", sideNames[side], set.Name)
		}
		rows[side] = l.Inputs
	}
	return rows, nil
}
