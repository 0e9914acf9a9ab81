package widget

import (
	"fmt"
	"slices"
)

// An HBox is a row of widgets.
type HBox struct{ container }

// NewHBox returns a row of the given widgets.
func NewHBox(children ...Widget) *HBox { return &HBox{newContainer(hBox, children, nil)} }

// A VBox is a column of widgets.
type VBox struct{ container }

// NewVBox returns a column of the given widgets.
func NewVBox(children ...Widget) *VBox { return &VBox{newContainer(vBox, children, nil)} }

// A Tab shows one of its children at a time, below a row of their titles.
type Tab struct{ pages }

// NewTab returns a Tab. It panics unless there are as many titles as children.
func NewTab(titles []string, children ...Widget) *Tab {
	return &Tab{newPages(tab, titles, children)}
}

// An Accordion shows one of its children at a time, below its title.
type Accordion struct{ pages }

// NewAccordion returns an Accordion. It panics unless there are as many titles as children.
func NewAccordion(titles []string, children ...Widget) *Accordion {
	return &Accordion{newPages(accordion, titles, children)}
}

// A container is a widget with children.
type container struct{ *Model }

func newContainer(k kind, children []Widget, more map[string]any) container {
	attributes := map[string]any{"children": references(children)}
	for name, value := range more {
		attributes[name] = value
	}
	c := container{newModel(k, attributes)}
	c.hold(children)
	return c
}

func references(children []Widget) []string {
	list := make([]string, len(children))
	for i, child := range children {
		list[i] = reference(child)
	}
	return list
}

// SetChildren replaces the children of the box.
func (c container) SetChildren(children ...Widget) {
	c.hold(children)
	c.Set("children", references(children))
}

// hold keeps references to the children, of which the front end knows only the ids.
func (c container) hold(children []Widget) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.children = slices.Clone(children)
}

// pages is a container that shows one of its children.
type pages struct{ container }

func newPages(k kind, titles []string, children []Widget) pages {
	if len(titles) != len(children) {
		panic(fmt.Sprintf("widget: a %s has %d titles for %d children", k.name, len(titles), len(children)))
	}
	var selected any
	if k.name == tab.name && len(children) > 0 {
		selected = 0
	}
	p := pages{newContainer(k, children, map[string]any{"titles": slices.Clone(titles), "selected_index": selected})}
	p.accept["selected_index"] = func(sent any) (any, bool) {
		if sent == nil {
			return nil, true
		}
		number, ok := sent.(float64)
		i := int(number)
		return i, ok && float64(i) == number && i >= 0 && i < len(p.state["children"].([]string))
	}
	return p
}

// Selected returns the index of the child that is shown, or -1 for none.
func (p pages) Selected() int {
	if i, ok := p.Get("selected_index").(int); ok {
		return i
	}
	return -1
}

// Select shows the child at index i, or none for -1. It panics if i is out of range.
func (p pages) Select(i int) {
	if i == -1 {
		p.Set("selected_index", nil)
		return
	}
	if n := len(p.Get("children").([]string)); i < 0 || i >= n {
		panic(fmt.Sprintf("widget: a %s has %d children, none at index %d", p.name, n, i))
	}
	p.Set("selected_index", i)
}

// OnChange adds a function that is called with the index of the selected child after each change.
func (p pages) OnChange(f func(selected int)) {
	p.watch("selected_index", func() { f(p.Selected()) })
}
