// Package must has the functions of the predeclared name must of cells, one for each number
// of values beside the error. Package check chooses among them.
package must

//lint:file-ignore U1000 cells call these functions

// cell__must0 panics with an error that is not nil.
func cell__must0[E error](err E) {
	if error(err) != nil {
		panic(err)
	}
}

// must returns the value, or panics with an error that is not nil.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// cell__must2 is must for two values.
func cell__must2[T, U any](value T, second U, err error) (T, U) {
	if err != nil {
		panic(err)
	}
	return value, second
}

// cell__must3 is must for three values.
func cell__must3[T, U, V any](value T, second U, third V, err error) (T, U, V) {
	if err != nil {
		panic(err)
	}
	return value, second, third
}
