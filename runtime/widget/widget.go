// Package widget gives cells the stock widgets of Jupyter: sliders, buttons, menus, boxes
// and outputs, with callbacks in Go. The page draws them with the JavaScript that
// JupyterLab, Notebook and VS Code have for ipywidgets 8; this package speaks its protocol
// (jupyter.widget, version 2.1.0) over package comm, and brings no JavaScript of its own.
//
//	kappa := widget.NewFloatSlider("κ", 5, 0.1, 100, 0.1)
//	kappa.OnChange(func(v float64) { fmt.Println("κ =", v) })
//	kappa // the last expression of a cell shows it
//
// The quickest way from a function to a page that one can play with:
//
//	widget.Interact(func(kappa float64, d int) any {
//		return figure(kappa, d) // whatever it returns, prints or shows replaces what stood there
//	}, kappa, widget.NewIntSlider("d", 3, 2, 64))
//
// Callbacks run one after another, each like a small cell. In JupyterLab they run while a
// cell is busy too. All methods may be called from any goroutine. In a notebook that runs
// without a page, widgets keep the values that the program gives them.
//
// Read model.go (the protocol), then the widgets: sliders.go, choices.go, fields.go,
// boxes.go, output.go, text.go, and interact.go.
package widget

// A Widget is something that the page draws.
type Widget interface {
	// ID identifies the widget to the page.
	ID() string
	// MimeBundle is how the widget is displayed.
	MimeBundle() map[string]any
}

// A Control is a widget with a value that the user changes.
type Control interface {
	Widget
	// Any returns the value: an int, a float64, a string or a bool.
	Any() any
	// OnAnyChange adds a function that is called after each change of the value.
	OnAnyChange(func())
}
