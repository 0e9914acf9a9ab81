package main

import (
	"time"

	"gosphere/asymvlm/device"
)

// rounded returns the products and steps of 2,048 pairs that are measured with both precisions.
func rounded() []task {
	var tasks []task
	for _, t := range append(products(), steps()...) {
		if max(t.Rows, t.Inner) == 2048 {
			t.name += " in bfloat16"
			tasks = append(tasks, t)
		}
	}
	return tasks
}

// single is the peer of a device with another precision: our own program in float32.
type single struct {
	device device.Device
	task   string // the task of work
	work   func()
}

func (*single) names() []string         { return []string{"float32"} }
func (s *single) version(string) string { return s.device.Name() }

func (s *single) measure(_ string, t task, slice time.Duration) (cost, error) {
	if s.task != t.name {
		work, err := t.own(s.device)
		if err != nil {
			return cost{}, err
		}
		s.task, s.work = t.name, work
	}
	return repeat(slice, s.work), nil
}
