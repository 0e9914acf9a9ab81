// Package tracking writes training curves to files that other programs read: JSON lines, and event
// files of TensorBoard.
package tracking

// A Point holds the values of a training at the end of an epoch.
type Point struct {
	Epoch, Step int // completed, from 0
	Values      []Value
}

// A Value is a named number, such as loss. NaN and infinities are allowed.
type Value struct {
	Name   string
	Number float64
}

// A Writer writes points one after another. A point is in the file when Write returns.
type Writer interface {
	Write(p Point) error
	Close() error
}
