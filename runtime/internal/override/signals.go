package override

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"sync"
)

// watched holds the channels of cells that receive signals. The originals of Reset and Ignore would
// also remove the handlers of the kernel: an interrupt from Jupyter would then end it. In cells
// they change only the channels of cells. A program has no host, and they are the originals.
var watched struct {
	sync.Mutex
	channels map[chan<- os.Signal][]os.Signal // nil for all signals
}

// signalSupport returns the overrides of functions of package os/signal.
func (g functions) signalSupport() map[string]any {
	return map[string]any{
		"Notify": func(c chan<- os.Signal, list ...os.Signal) {
			g.ExpectSignals()
			signal.Notify(c, list...) // panics if the channel is nil
			watch(c, list)
		},
		"NotifyContext": func(parent context.Context, list ...os.Signal) (context.Context, context.CancelFunc) {
			g.ExpectSignals()
			return signal.NotifyContext(parent, list...)
		},
		"SignalStop": func(c chan<- os.Signal) {
			signal.Stop(c)
			watched.Lock()
			defer watched.Unlock()
			delete(watched.channels, c)
		},
		"SignalReset":  func(list ...os.Signal) { g.withoutHost(signal.Reset, list) },
		"SignalIgnore": func(list ...os.Signal) { g.withoutHost(signal.Ignore, list) },
	}
}

// watch records that a channel receives further signals.
func watch(c chan<- os.Signal, list []os.Signal) {
	watched.Lock()
	defer watched.Unlock()
	if watched.channels == nil {
		watched.channels = map[chan<- os.Signal][]os.Signal{}
	}
	if before, known := watched.channels[c]; len(list) == 0 || known && before == nil {
		watched.channels[c] = nil
	} else {
		watched.channels[c] = append(before, list...)
	}
}

// hosted are the signals that the host of cells handles.
var hosted = []string{os.Interrupt.String(), "terminated"}

// withoutHost calls a function of package os/signal, without an effect on the host of cells.
func (g functions) withoutHost(change func(...os.Signal), list []os.Signal) {
	if g.IsProgram() {
		change(list...)
		return
	}
	watched.Lock()
	defer watched.Unlock()
	for c, signals := range watched.channels {
		left := slices.DeleteFunc(slices.Clone(signals), func(s os.Signal) bool { return slices.Contains(list, s) })
		if len(list) > 0 && (signals == nil || len(left) == len(signals)) {
			continue // a channel for all signals keeps the others; it is left as it is
		}
		signal.Stop(c)
		delete(watched.channels, c)
		if len(list) > 0 && len(left) > 0 {
			signal.Notify(c, left...)
			watched.channels[c] = left
		}
	}
	others := slices.DeleteFunc(slices.Clone(list), func(s os.Signal) bool { return s == nil || slices.Contains(hosted, s.String()) })
	if len(others) > 0 {
		change(others...)
	}
}
