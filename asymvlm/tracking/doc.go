// Package tracking writes the curves of trainings into files that other programs read: JSON lines, and event files of TensorBoard.
package tracking

// A Point is what a training has seen up to the end of an epoch.
type Point struct {
	Epoch, Step int // done, from 0
	Values      []Value
}

// A Value is a number with its name, such as loss. NaN and the infinities are allowed.
type Value struct {
	Name   string
	Number float64
}

// A Writer writes points one after another. What was written is in the file before Write returns.
type Writer interface {
	Write(p Point) error
	Close() error
}
