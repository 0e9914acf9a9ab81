package laboratory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gosphere/asymvlm/adapter"
)

// A seedList is the value of --seeds: "0..4", "0,2,5", "0..2,7".
type seedList struct{ seeds []uint64 }

// mostSeeds keeps a typo such as 0..40000000 from filling the memory.
const mostSeeds = 10000

// UnmarshalText parses the list.
func (l *seedList) UnmarshalText(text []byte) error {
	l.seeds = nil
	for part := range strings.SplitSeq(string(text), ",") {
		first, last, isRange := strings.Cut(part, "..")
		from, err := strconv.ParseUint(first, 10, 64)
		to := from
		if err == nil && isRange {
			to, err = strconv.ParseUint(last, 10, 64)
		}
		switch {
		case err != nil:
			return fmt.Errorf("seeds %q, want numbers and ranges such as 0..4 or 0,2,5", text)
		case to < from || to-from >= mostSeeds:
			return fmt.Errorf("seeds %q: want an increasing range of at most %d seeds", text, mostSeeds)
		}
		for seed := from; ; seed++ {
			if slices.Contains(l.seeds, seed) {
				return fmt.Errorf("seeds %q name %d twice", text, seed)
			}
			l.seeds = append(l.seeds, seed)
			if seed == to {
				break
			}
		}
	}
	return nil
}

// A methodList is the value of --method: names separated by commas, or all.
type methodList struct{ methods []string }

// UnmarshalText parses the list.
func (l *methodList) UnmarshalText(text []byte) error {
	if string(text) == "all" {
		l.methods = adapter.Methods()
		return nil
	}
	l.methods = strings.Split(string(text), ",")
	for i, method := range l.methods {
		options, err := adapter.PaperOptions(method)
		if err != nil {
			return err
		}
		method = options.Method // probvlm for probvlm-official
		l.methods[i] = method
		if slices.Contains(l.methods[:i], method) {
			return fmt.Errorf("method %q is listed twice", method)
		}
	}
	return nil
}

// A selection is the flags that name trainings: every method with every seed.
type selection struct {
	Dataset string     `help:"Data set: built-in scenes_minilm, scenes_generic, world or world_elliptical, a folder of embeddings, or a .npy file of pairs." default:"scenes_minilm"`
	Method  methodList `help:"Methods, separated by commas, or all. An unknown name prints the list. probvlm, prolip and bayesvlm are the official forms." default:"asymvlm-vmf"`
	Seeds   seedList   `help:"Seeds of the initial weights and the order of the pairs, such as 0..4 or 0,2,5." default:"0" aliases:"seed"`
}

// A job is one training of a selection.
type job struct {
	method string
	seed   uint64
	label  string // such as "[3/120] " for one of several, else empty
}

// jobs returns the trainings, seed by seed.
func (s selection) jobs() []job {
	var list []job
	total := len(s.Seeds.seeds) * len(s.Method.methods)
	for _, seed := range s.Seeds.seeds {
		for _, method := range s.Method.methods {
			j := job{method: method, seed: seed}
			if total > 1 {
				j.label = fmt.Sprintf("[%d/%d] ", len(list)+1, total)
			}
			list = append(list, j)
		}
	}
	return list
}

// String returns the name of the job.
func (j job) String() string { return fmt.Sprintf("%s%s, seed %d", j.label, j.method, j.seed) }
