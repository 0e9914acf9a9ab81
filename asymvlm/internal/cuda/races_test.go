package cuda_test

import (
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/internal/cuda/emulate"
)

// A hasty GPU removes one barrier of one kernel. Matrix products use the built-in kernel.
type hasty struct {
	*emulate.Driver
	kernel  string
	barrier int
	left    int // barriers of the kernel
}

// Load loads a module without the barrier.
func (h *hasty) Load(ptx string) error {
	const barrier = "bar.sync \t0;"
	before, after, _ := strings.Cut(ptx, ".entry "+h.kernel+"(")
	body, rest, _ := strings.Cut(after, "\n}\n")
	parts := strings.Split(body, barrier)
	h.left = len(parts) - 2
	var text strings.Builder
	for i, part := range parts {
		if text.WriteString(part); i < len(parts)-1 && i != h.barrier {
			text.WriteString(barrier)
		}
	}
	return h.Driver.Load(before + ".entry " + h.kernel + "(" + text.String() + "\n}\n" + rest)
}

func (h *hasty) Multiply(p cuda.Product) error { return h.Driver.Launch(p.Launch()) }

func (h *hasty) Record(parts []cuda.Part) (cuda.Recording, error) {
	var own []cuda.Part
	for _, p := range parts {
		if p.Product != nil {
			l := p.Product.Launch()
			p = cuda.Part{Launch: &l}
		}
		own = append(own, p)
	}
	return h.Driver.Record(own)
}

// The emulator detects the effect of a missing barrier, so the other tests show that no kernel
// lacks one. Only two barriers are not needed: the one before a kernel's first sum, whose memory
// has not been used, and the one after the last sum of a report, which only the summing thread
// reads.
func TestABarrierThatIsMissingIsFound(t *testing.T) {
	g := smallGame()
	for kernel, unwanted := range map[string]int{"gather": 1, "prepare": 1, "sums_power": 0, "merge": 0, "gradient_power": 1, "along": 1,
		"combine": 1, "report": 1, "add_parts": 1, "product": 0} {
		card := &hasty{kernel: kernel}
		for last := false; !last; card.barrier++ {
			card.Driver = emulate.New()
			err := g.whole(t, card, g.work(t, g.learner(t, device.Reference[float32]{})))
			last = card.barrier == card.left
			found := err != nil && strings.Contains(err.Error(), "kernel "+kernel+", ")
			if wanted := card.barrier >= unwanted && !(kernel == "report" && last); found != wanted || err != nil && !found {
				t.Errorf("%s without barrier %d: error %v", kernel, card.barrier, err)
			}
		}
	}
}
