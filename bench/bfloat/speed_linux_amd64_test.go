package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// Small integers are exact in bfloat16 and so are their sums in float32: both kernels give what the definition gives.
func TestBothKernelsMultiplyATile(t *testing.T) {
	if !able() {
		t.Skip(errNoInstruction)
	}
	a := func(k, i int) float32 { return float32((5*k+3*i)%15 - 7) }
	b := func(k, j int) float32 { return float32((2*k+11*j)%17 - 8) }
	for _, depth := range []int{2, 4, 6, 8, 14, 64} {
		left, right := make([]float32, depth*tileRows), make([]float32, depth*tileColumns)
		leftPairs, rightPairs := make([]float32, depth/2*tileRows), make([]float32, depth/2*tileColumns)
		for k := range depth {
			for i := range tileRows {
				left[k*tileRows+i], leftPairs[k/2*tileRows+i] = a(k, i), pair(a(k&^1, i), a(k|1, i))
			}
			for j := range tileColumns {
				right[k*tileColumns+j], rightPairs[k/2*tileColumns+j] = b(k, j), pair(b(k&^1, j), b(k|1, j))
			}
		}
		for _, added := range []bool{false, true} {
			single, brain := make([]float32, tileRows*tileColumns), make([]float32, tileRows*tileColumns)
			for i := range single {
				single[i], brain[i] = 3, 3
			}
			productSingle(depth, &left[0], &right[0], &single[0], tileColumns, added)
			productBrain(depth/2, &leftPairs[0], &rightPairs[0], &brain[0], tileColumns, added)
			for i := range tileRows {
				for j := range tileColumns {
					want := float32(0)
					if added {
						want = 3
					}
					for k := range depth {
						want += a(k, i) * b(k, j)
					}
					if at := i*tileColumns + j; single[at] != want || brain[at] != want {
						t.Fatalf("depth %d: value %d,%d is %g and %g, want %g", depth, i, j, single[at], brain[at], want)
					}
				}
			}
		}
	}
}

func TestSpeedsOfBothKernelsArePrinted(t *testing.T) {
	if !able() {
		t.Skip(errNoInstruction)
	}
	var w bytes.Buffer
	if err := measureKernels(&w, 1); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`\| float32 \| \d+\.\d \| \|\n\| bfloat16 factors \| \d+\.\d \| ×\d\.\d\d \|\n$`).MatchString(w.String()) {
		t.Errorf("no table:\n%s", w.String())
	}
}

func TestKernelsAreThoseOfPackageDevice(t *testing.T) {
	command, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go command is not there")
	}
	made := filepath.Join(t.TempDir(), "kernels_linux_amd64.s")
	if said, err := exec.Command(command, "run", "./generate", "../../asymvlm/device/kernels_amd64.s", made).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	want, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile("kernels_linux_amd64.s"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("kernels_linux_amd64.s is not what the generator writes: go generate ./bench/bfloat (error %v)", err)
	}
}
