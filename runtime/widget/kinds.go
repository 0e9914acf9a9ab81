package widget

import "maps"

// A kind is one of the standard models, with its attributes and their defaults as documented for
// ipywidgets 8.1.
type kind struct {
	name   string // name of the widget, to which "Model" and "View" are appended
	view   string // name of the view, if it differs
	module module
	placed bool  // has a layout and can be shown
	style  *kind // nil for none
	extra  map[string]any
}

// A module is a JavaScript module with the version of its interface.
type module struct{ name, version string }

var (
	base     = module{"@jupyter-widgets/base", "2.0.0"}
	controls = module{"@jupyter-widgets/controls", "2.0.0"}
	output   = module{"@jupyter-widgets/output", "1.0.0"}
)

// attributes returns all attributes except layout and style, with their defaults.
func (k kind) attributes() map[string]any {
	view := k.name + "View"
	viewModule := k.module
	if k.view != "" {
		view = k.view
	}
	if k.view == styleView {
		viewModule = base
	}
	state := map[string]any{
		"_model_module": k.module.name, "_model_module_version": k.module.version, "_model_name": k.name + "Model",
		"_view_module": viewModule.name, "_view_module_version": viewModule.version, "_view_name": view, "_view_count": nil,
	}
	if k.view == noView {
		state["_view_name"] = nil
	}
	if k.placed {
		maps.Copy(state, map[string]any{"_dom_classes": []string{}, "tabbable": nil, "tooltip": nil})
	}
	if k.style != nil {
		state["description"] = ""
		if k.name != "Button" {
			state["description_allow_html"] = false
		}
	}
	maps.Copy(state, k.extra)
	return state
}

const (
	styleView = "StyleView"
	noView    = "-"
)

// style returns the kind of a style with its attributes. Most have no value until they are set.
func style(name string, empty []string, unset ...string) *kind {
	extra := map[string]any{}
	for _, attribute := range empty {
		extra[attribute] = ""
	}
	for _, attribute := range unset {
		extra[attribute] = nil
	}
	return &kind{name: name, view: styleView, module: controls, extra: extra}
}

var (
	sliderStyle        = style("SliderStyle", []string{"description_width"}, "handle_color")
	progressStyle      = style("ProgressStyle", []string{"description_width"}, "bar_color")
	describedStyle     = style("DescriptionStyle", []string{"description_width"})
	toggleButtonsStyle = style("ToggleButtonsStyle", []string{"button_width", "description_width", "font_weight"})
	checkboxStyle      = style("CheckboxStyle", []string{"description_width"}, "background")
	textStyle          = style("TextStyle", []string{"description_width"}, "background", "font_size", "text_color")
	htmlStyle          = style("HTMLStyle", []string{"description_width"}, "background", "font_size", "text_color")
	labelStyle         = style("LabelStyle", []string{"description_width"}, "background", "font_family", "font_size", "font_style", "font_variant", "font_weight", "text_color", "text_decoration")
	buttonStyle        = style("ButtonStyle", nil, "button_color", "font_family", "font_size", "font_style", "font_variant", "font_weight", "text_color", "text_decoration")
)

var layoutKind = func() kind {
	extra := map[string]any{}
	for _, attribute := range []string{
		"align_content", "align_items", "align_self", "border_bottom", "border_left", "border_right", "border_top", "bottom", "display",
		"flex", "flex_flow", "grid_area", "grid_auto_columns", "grid_auto_flow", "grid_auto_rows", "grid_column", "grid_gap", "grid_row",
		"grid_template_areas", "grid_template_columns", "grid_template_rows", "height", "justify_content", "justify_items", "left", "margin",
		"max_height", "max_width", "min_height", "min_width", "object_fit", "object_position", "order", "overflow", "padding", "right", "top",
		"visibility", "width",
	} {
		extra[attribute] = nil
	}
	return kind{name: "Layout", module: base, extra: extra}
}()

// control returns the kind of a widget of the controls module.
func control(name string, s *kind, extra map[string]any) kind {
	return kind{name: name, module: controls, placed: true, style: s, extra: extra}
}

// slider returns the kind of a slider whose value is shown in a d3 format. extra has the attributes
// of this slider, which take precedence.
func slider(name, format string, extra map[string]any) kind {
	k := control(name, sliderStyle, map[string]any{
		"behavior": "drag-tap", "continuous_update": true, "disabled": false, "orientation": "horizontal", "readout": true, "readout_format": format,
	})
	maps.Copy(k.extra, extra)
	return k
}

// box returns the kind of a widget that contains others.
func box(name string, extra map[string]any) kind {
	k := control(name, nil, map[string]any{"box_style": "", "children": []string{}})
	maps.Copy(k.extra, extra)
	return k
}

var (
	intSlider      = slider("IntSlider", "d", map[string]any{"min": 0, "max": 100, "step": 1, "value": 0})
	floatSlider    = slider("FloatSlider", ".2f", map[string]any{"min": 0.0, "max": 100.0, "step": 0.1, "value": 0.0})
	floatLogSlider = slider("FloatLogSlider", ".3g", map[string]any{"base": 10.0, "min": 0.0, "max": 4.0, "step": 0.1, "value": 1.0})

	intProgress   = progress("IntProgress", 0, 100)
	floatProgress = progress("FloatProgress", 0.0, 100.0)

	dropdown      = control("Dropdown", describedStyle, map[string]any{"disabled": false, "index": nil, "_options_labels": []string{}})
	toggleButtons = control("ToggleButtons", toggleButtonsStyle, map[string]any{
		"disabled": false, "index": nil, "_options_labels": []string{}, "button_style": "", "icons": []string{}, "tooltips": []string{},
	})
	checkbox = control("Checkbox", checkboxStyle, map[string]any{"disabled": false, "indent": true, "value": false})
	text     = control("Text", textStyle, map[string]any{"continuous_update": true, "disabled": false, "placeholder": zeroWidth, "value": ""})
	button   = control("Button", buttonStyle, map[string]any{"button_style": "", "disabled": false, "icon": ""})
	html     = control("HTML", htmlStyle, map[string]any{"placeholder": zeroWidth, "value": ""})
	label    = control("Label", labelStyle, map[string]any{"placeholder": zeroWidth, "value": ""})
	play     = control("Play", describedStyle, map[string]any{
		"disabled": false, "interval": 100, "min": 0, "max": 100, "step": 1, "value": 0, "playing": false, "repeat": false, "show_repeat": true,
	})

	hBox      = box("HBox", nil)
	vBox      = box("VBox", nil)
	tab       = box("Tab", map[string]any{"selected_index": nil, "titles": []string{}})
	accordion = box("Accordion", map[string]any{"selected_index": nil, "titles": []string{}})

	outputKind = kind{name: "Output", module: output, placed: true, extra: map[string]any{"msg_id": "", "outputs": []any{}}}
	linkKind   = kind{name: "Link", view: noView, module: controls, extra: map[string]any{"source": nil, "target": nil}}
)

// zeroWidth is a space without width. It gives an empty text the height of a line.
const zeroWidth = "\u200b"

// progress returns the kind of a progress bar from least to most, which begins at least.
func progress(name string, least, most any) kind {
	k := control(name, progressStyle, map[string]any{"bar_style": "", "min": least, "max": most, "orientation": "horizontal", "value": least})
	k.view = "ProgressView"
	return k
}
