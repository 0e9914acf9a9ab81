package popular

import (
	"gonum.org/v1/gonum/mat"

	"gosphere/runtime/internal/override"
)

func init() {
	override.Register(map[string]string{
		"gonum.org/v1/gonum/mat.Maybe": "MatMaybe", "gonum.org/v1/gonum/mat.MaybeFloat": "MatMaybeFloat", "gonum.org/v1/gonum/mat.MaybeComplex": "MatMaybeComplex",
	}, func(t override.Tools) map[string]any {
		return map[string]any{
			"MatMaybe": func(f func()) error { return traced(t, mat.Maybe(f)) },
			"MatMaybeFloat": func(f func() float64) (float64, error) {
				x, err := mat.MaybeFloat(f)
				return x, traced(t, err)
			},
			"MatMaybeComplex": func(f func() complex128) (complex128, error) {
				x, err := mat.MaybeComplex(f)
				return x, traced(t, err)
			},
		}
	})
}

// traced returns an error of package mat with the calls of cells in its stack trace.
func traced(t override.Tools, err error) error {
	if e, ok := err.(mat.ErrorStack); ok {
		e.StackTrace = t.Traced(e.StackTrace)
		return e
	}
	return err
}
