package device

import (
	"fmt"
	"os"
	"strings"
)

// A Precision is the precision of the matrix products of a training. All other operations of the
// training, and everything that a trained adapter computes later, are in float32.
type Precision string

const (
	// Float32 has 24 significant bits everywhere.
	Float32 Precision = "float32"
	// BFloat16 rounds both factors of every product to bfloat16: 8 significant bits, with the
	// exponent range of float32. Products of two such numbers are exact; they are summed in
	// float32. See bfloat.go for every rounding.
	BFloat16 Precision = "bfloat16"
)

// PrecisionVariable is the environment variable that sets the default precision of trainings and
// encoders.
const PrecisionVariable = "GOSPHERE_PRECISION"

// CheckPrecision returns an error if p is not one of the constants. The empty Precision is valid
// and means the process default.
func CheckPrecision(p Precision) error {
	switch p {
	case "", Float32, BFloat16:
		return nil
	}
	return fmt.Errorf("device: %q is no precision, want %s or %s", string(p), Float32, BFloat16)
}

// UsePrecision sets the process-wide precision of trainings and encoders. The empty Precision
// selects the value of the environment variable GOSPHERE_PRECISION, or float32 if it is not set. If
// there is an error, the precision is not changed.
func UsePrecision(p Precision) error {
	if err := CheckPrecision(p); err != nil {
		return err
	}
	choice.mutex.Lock()
	defer choice.mutex.Unlock()
	choice.precision = p
	return nil
}

// DefaultPrecision returns the process-wide precision of trainings and encoders.
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

// NewCPUWith is like NewCPU with the given precision of matrix products. bfloat16 is fast on CPUs
// with AVX512_BF16; others compute the same bits no faster than float32, and those without vector
// instructions much slower.
func NewCPUWith(threads int, p Precision) (*CPU, error) {
	switch p {
	case Float32:
		return NewCPU(threads), nil
	case BFloat16:
		return newPairsCPU(threads, detect()), nil
	}
	return nil, fmt.Errorf("device: %q is no precision, want %s or %s", string(p), Float32, BFloat16)
}

// newPairsCPU is like NewCPUWith for bfloat16 with explicit instructions.
func newPairsCPU(threads int, unit vectorUnit) *CPU {
	return newKernelCPU(threads, unit, pairsKernelOf(unit))
}

// Means describes how this CPU computes matrix products in a precision.
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
