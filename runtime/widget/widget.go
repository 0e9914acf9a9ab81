// Package widget provides the standard widgets of Jupyter to cells: sliders, buttons, menus, boxes
// and outputs, with callbacks in Go. The front end draws them with the JavaScript that JupyterLab,
// Notebook and VS Code include for ipywidgets 8. This package implements the protocol
// (jupyter.widget, version 2.1.0) over package comm. The only JavaScript of its own is that of
// Selection, which links a chart with a cell.
//
//	kappa := widget.NewFloatSlider("κ", 5, 0.1, 100, 0.1)
//	kappa.OnChange(func(v float64) { fmt.Println("κ =", v) })
//	kappa // the last expression of a cell shows it
//
// The quickest way from a function to an interactive page is Interact:
//
//	widget.Interact(func(kappa float64, d int) any {
//		return figure(kappa, d) // whatever it returns, prints or shows replaces what stood there
//	}, kappa, widget.NewIntSlider("d", 3, 2, 64))
//
// Callbacks run one after another, each like a small cell. In JupyterLab they also run while a cell
// is busy. All methods may be called from any goroutine. In a notebook that runs without a front
// end, widgets keep the values set by the program.
//
// Read model.go (the protocol), then the widgets: sliders.go, choices.go, fields.go,
// boxes.go, output.go, selection.go, text.go, and interact.go.
package widget

// A Widget is drawn by the front end.
type Widget interface {
	// ID identifies the widget to the front end.
	ID() string
	// MimeBundle returns the forms that display the widget.
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
