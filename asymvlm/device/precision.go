package device

import (
	"fmt"
	"os"
	"strings"
)

// A Precision is how exactly a training multiplies matrices. Everything else it does in float32, and what a trained adapter
// computes afterward is float32 whatever it was trained with.
type Precision string

const (
	// Float32 has 24 significant bits everywhere.
	Float32 Precision = "float32"
	// BFloat16 rounds both factors of every product to bfloat16: 8 significant bits, the exponents of float32. Products of two such
	// numbers are exact; they are added up in float32. See bfloat.go for every rounding.
	BFloat16 Precision = "bfloat16"
)

// PrecisionVariable names the environment variable with the precision of trainings when nothing else says it.
const PrecisionVariable = "GOSPHERE_PRECISION"

// CheckPrecision reports a precision that is none of the constants. The empty one stands for that of the program.
func CheckPrecision(p Precision) error {
	switch p {
	case "", Float32, BFloat16:
		return nil
	}
	return fmt.Errorf("device: %q is no precision, want %s or %s", string(p), Float32, BFloat16)
}

// UsePrecision chooses the precision of the program's trainings. The empty one is that of the environment variable
// GOSPHERE_PRECISION, and float32 where that is not set either. An error leaves the choice as it was.
func UsePrecision(p Precision) error {
	if err := CheckPrecision(p); err != nil {
		return err
	}
	choice.mutex.Lock()
	defer choice.mutex.Unlock()
	choice.precision = p
	return nil
}

// DefaultPrecision returns the precision of the program's trainings.
func DefaultPrecision() (Precision, error) {
	choice.mutex.Lock()
	defer choice.mutex.Unlock()
	if choice.precision != "" {
		return choice.precision, nil
	}
	p := Precision(os.Getenv(PrecisionVariable))
	if err := CheckPrecision(p); err != nil {
		return "", fmt.Errorf("device: %s=%s: %s", PrecisionVariable, p, strings.TrimPrefix(err.Error(), "device: "))
	}
	if p == "" {
		return Float32, nil
	}
	return p, nil
}

// NewCPUWith is NewCPU with the precision of the products. bfloat16 is as fast as it should be on processors with AVX512_BF16;
// others compute the same bits no faster than float32, and those without vector instructions very much slower.
func NewCPUWith(threads int, p Precision) (*CPU, error) {
	switch p {
	case Float32:
		return NewCPU(threads), nil
	case BFloat16:
		return newPairsCPU(threads, detect()), nil
	}
	return nil, fmt.Errorf("device: %q is no precision, want %s or %s", string(p), Float32, BFloat16)
}

// newPairsCPU is NewCPUWith for bfloat16 with the instructions to use.
func newPairsCPU(threads int, unit vectorUnit) *CPU {
	return newKernelCPU(threads, unit, pairsKernelOf(unit))
}

// Means tells what this processor does a precision with.
func (p Precision) Means() string {
	if p != BFloat16 {
		return "products in float32"
	}
	switch unit := detect(); {
	case unit.pairs:
		return "products of bfloat16 by VDPBF16PS"
	case unit.fma:
		return "products of bfloat16, no faster than in float32: this processor has no VDPBF16PS (AVX512_BF16)"
	}
	return "products of bfloat16, much slower than in float32: there is no assembly for this processor"
}
