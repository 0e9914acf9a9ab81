package nn

import "gosphere/asymvlm/device"

// A tensor is a named part of the learner's vectors. Its slices are set by allocate.
type tensor[F device.Float] struct {
	name             string
	shape            []int
	values, gradient []F
}

// tensors lists the parts in the order of the vectors.
type tensors[F device.Float] struct{ all []*tensor[F] }

// take adds a tensor. Without a shape it is a scalar.
func (t *tensors[F]) take(name string, shape ...int) *tensor[F] {
	added := &tensor[F]{name: name, shape: shape}
	t.all = append(t.all, added)
	return added
}

// length returns the number of values.
func (t *tensor[F]) length() int {
	length := 1
	for _, n := range t.shape {
		length *= n
	}
	return length
}

// matrix returns a two-dimensional tensor as a matrix.
func (t *tensor[F]) matrix() device.Matrix[F] {
	return device.Matrix[F]{Rows: t.shape[0], Columns: t.shape[1], Values: t.values}
}

func (t *tensor[F]) dMatrix() device.Matrix[F] {
	return device.Matrix[F]{Rows: t.shape[0], Columns: t.shape[1], Values: t.gradient}
}

// number returns the value of a scalar.
func (t *tensor[F]) number() float64 { return float64(t.values[0]) }

// allocate creates the vectors of parameters and gradients and divides them into the tensors.
func (t *tensors[F]) allocate() (parameters, gradient []F) {
	total := 0
	for _, part := range t.all {
		total += part.length()
	}
	parameters, gradient = make([]F, total), make([]F, total)
	at := 0
	for _, part := range t.all {
		end := at + part.length()
		part.values, part.gradient = parameters[at:end:end], gradient[at:end:end]
		at = end
	}
	return parameters, gradient
}

// named divides a vector with the layout of the parameters into named parts.
func (t *tensors[F]) named(prefix string, vector []F) []parameter[F] {
	var parts []parameter[F]
	at := 0
	for _, part := range t.all {
		end := at + part.length()
		parts = append(parts, parameter[F]{Name: prefix + part.name, Shape: part.shape, Values: vector[at:end:end]})
		at = end
	}
	return parts
}
