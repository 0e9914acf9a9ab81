package cuda

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestTheModuleWasMadeFromTheSource(t *testing.T) {
	if want := fmt.Sprintf("// Made by make.py from step.cu, pairs.cu, heads.cu, masks.cu, evidence.cu, sample.cu, product.cu, sigmoid.cu, symmetric.cu, inclusion.cu, adamp.cu, sha256 %x.\n", sha256.Sum256([]byte(Source))); !strings.HasPrefix(Kernels, want) {
		t.Errorf("kernels.ptx begins with %.120q, want %q: run kernels/make.py", Kernels, want)
	}
	entries := func(text, pattern string) []string {
		var names []string
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			names = append(names, found[1])
		}
		slices.Sort(names)
		return names
	}
	if got, want := entries(Kernels, `\.visible \.entry (\w+)\(`), entries(Source, `__global__ void (?:__launch_bounds__\([\w, ]+\) )?(\w+)\(`); !slices.Equal(got, want) {
		t.Errorf("kernels %v, want %v", got, want)
	}
	// Drivers from 520 support this version of PTX, GPUs from Turing this target.
	for _, line := range []string{"\n.version 7.8\n", "\n.target sm_75\n", "\n.address_size 64\n"} {
		if !strings.Contains(Kernels, line) {
			t.Errorf("the module has no line %q", line)
		}
	}
}

// A number of another type would be passed to the kernel as 0.
func TestArgumentsOfOtherTypesAreRefused(t *testing.T) {
	defer func() {
		if said := fmt.Sprint(recover()); said != "cuda: argument 1 of kernel merge is a float64, want an Address, an int or a float32" {
			t.Error(said)
		}
	}()
	launch("merge", Size{1, 1}, Size{1, 1}, []any{3, 0.5})
}
