package adapter

import (
	"fmt"
	"slices"
	"sync"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/nn"
	"gosphere/internal/lazyregexp"
)

// A Definition describes a user-defined method, see Register. Only ID and Model are required.
type Definition struct {
	ID    string // the value of Options.Method: lower-case letters, digits and hyphens
	Title string // title in tables; the ID if empty
	Model custom.Model
	// Revision is recorded in checkpoints, and one of another revision cannot be resumed. Change it
	// with the model, whose functions cannot be compared.
	Revision int

	// The schedule of PaperOptions. DefaultOptions, SmallOptions and AutoOptions change its numbers
	// of epochs and pairs as for other methods. If 0, LearningRate is 0.01, WeightDecay 0, Epochs
	// 200 and Batch 2,048.
	LearningRate, WeightDecay float64
	Epochs, Batch             int
	Optimizer                 nn.Optimizer // SGD if empty
}

// registry guards the list of methods, which trainings read from several goroutines.
var registry sync.RWMutex

// validID matches the ids that are valid in file names and flags.
var validID = lazyregexp.New(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// Register makes a user-defined method available by its ID to Options, Train, Load, CrossValidate
// and Methods. In a program that registers it at startup, such as one built by gosphere build
// --with, all commands accept it too. Registering an ID again replaces the method in later
// trainings and file reads. Errors are the ID of a predefined method, an ID that is not valid in
// file names, negative numbers, and a model that lacks a function.
func Register(d Definition) error {
	if !validID.MatchString(d.ID) {
		return fmt.Errorf("adapter: method %q, want an ID of lower-case letters and digits with hyphens between them", d.ID)
	}
	if slices.ContainsFunc(all()[:len(places)], func(m Method) bool { return m.About().ID == d.ID }) {
		return fmt.Errorf("adapter: method %s is one of the program's own and cannot be replaced", d.ID)
	}
	if d.LearningRate < 0 || d.WeightDecay < 0 || d.Epochs < 0 || d.Batch < 0 {
		return fmt.Errorf("adapter: method %s with learning rate %g, weight decay %g, %d epochs and batch %d, want numbers from 0",
			d.ID, d.LearningRate, d.WeightDecay, d.Epochs, d.Batch)
	}
	const some = 8 // any dimension: tensor shapes are checked again when the training knows its dimension
	if err := d.Model.Check(some); err != nil {
		return fmt.Errorf("adapter: method %s: %w", d.ID, err)
	}
	registry.Lock()
	defer registry.Unlock()
	// Copy the list, so that concurrent readers of the old one are not affected.
	list := slices.DeleteFunc(slices.Clone(methods), func(other Method) bool { return other.About().ID == d.ID })
	methods = append(list, newRegistered(d))
	return nil
}

// unregister removes a user-defined method.
func unregister(id string) {
	registry.Lock()
	defer registry.Unlock()
	methods = slices.DeleteFunc(slices.Clone(methods), func(m Method) bool { return m.About().ID == id })
}

// all returns the current list of methods.
func all() []Method {
	registry.RLock()
	defer registry.RUnlock()
	return methods
}

// A registered is a method whose model is user-defined.
type registered struct {
	learned
	epochs, batch int
}

func newRegistered(d Definition) registered {
	model := d.Model
	m := registered{learned: learned{
		about:        About{ID: d.ID, Title: d.Title, Revision: d.Revision},
		architecture: nn.Architecture{Objective: nn.Own(&model), Optimizer: d.Optimizer},
		rate:         d.LearningRate, decay: d.WeightDecay,
	}, epochs: d.Epochs, batch: d.Batch}
	if m.about.Title == "" {
		m.about.Title = d.ID
	}
	if m.rate == 0 {
		m.rate = 0.01
	}
	if m.epochs == 0 {
		m.epochs = 200
	}
	if m.batch == 0 {
		m.batch = 2048
	}
	m.reducedRate, m.smallRate = m.rate, m.rate
	return m
}

// Published returns the schedule of the definition.
func (m registered) Published() Options {
	o := m.learned.Published()
	o.Epochs, o.Batch, o.Hidden, o.HiddenLayers = m.epochs, m.batch, 0, 0
	o.Label = fmt.Sprintf("registered: %d epochs, batch %d, learning rate %g", o.Epochs, o.Batch, o.LearningRate)
	return o
}

// Reduced returns 320 steps on the built-in scenes.
func (m registered) Reduced() Options { return m.shortened(m.Published(), 20, 512, m.rate) }

// UnusedOptions lists the options that do not apply to a user-defined model.
func (m registered) UnusedOptions(o Options) []UnusedOption {
	list := idleFor("which has networks, a loss and a start of its own",
		"Hidden", "HiddenLayers", "Loss", "MaskSameImage", "ScaledStart", "FirstTemperature", "FixedTemperature", "LogTemperature", "Pairs", "KLWeight", "HeldOut")
	list = append(list, idleRanking)
	if optimizer := m.with(o).Optimizer; optimizer != "" && optimizer != nn.SGD {
		list = append(list, UnusedOption{"Momentum", fmt.Sprintf("whose optimizer %s has constants of its own", optimizer)})
	}
	return list
}
