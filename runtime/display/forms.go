package display

import "sync"

// A Form is how a value of a type without methods for display is shown. Fields that do not apply
// are zero.
type Form struct {
	Text func() string // text/plain

	PNG           func() ([]byte, error) // a bitmap
	Width, Height int                    // its displayed size in CSS pixels
	PDF, SVG      func() ([]byte, error) // drawings for print

	Rows, Columns int // of a table of numbers
	Number        func(row, column int) float64
}

// forms are the functions passed to Register, newest last.
var forms struct {
	mu    sync.RWMutex // guards finders
	finds []func(value any) (Form, bool)
}

// Register adds a function that returns the form of values of some types, for packages that bring
// such types. It is called for each displayed value that has no method for display, so it must be
// fast; the functions in the form draw. Package display/gonum registers plots and matrices.
func Register(find func(value any) (Form, bool)) {
	forms.mu.Lock()
	defer forms.mu.Unlock()
	forms.finds = append(forms.finds, find)
}

// formOf returns the registered form of a value.
func formOf(value any) (Form, bool) {
	forms.mu.RLock()
	defer forms.mu.RUnlock()
	for i := len(forms.finds) - 1; i >= 0; i-- {
		if form, ok := forms.finds[i](value); ok {
			return form, true
		}
	}
	return Form{}, false
}
