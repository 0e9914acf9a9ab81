package device

import (
	"strings"
	"testing"
)

// forgetPrecision resets the process-wide precision to that of the environment, and restores it
// after the test.
func forgetPrecision(t *testing.T) {
	t.Helper()
	clear := func() { choice.precision = "" }
	clear()
	t.Cleanup(clear)
}

func TestPrecisionIsFloat32UnlessSomebodySaysOtherwise(t *testing.T) {
	forgetPrecision(t)
	for _, test := range []struct {
		used           Precision
		variable, want string
	}{
		{"", "", "float32"}, {"", "float32", "float32"}, {"", "bfloat16", "bfloat16"},
		{Float32, "bfloat16", "float32"}, {BFloat16, "", "bfloat16"}, {BFloat16, "nonsense", "bfloat16"}, {"", "bfloat16", "bfloat16"},
	} {
		t.Setenv(PrecisionVariable, test.variable)
		if err := UsePrecision(test.used); err != nil {
			t.Fatal(err)
		}
		if got, err := DefaultPrecision(); err != nil || string(got) != test.want {
			t.Errorf("with %q used and %s=%q: %q, %v", test.used, PrecisionVariable, test.variable, got, err)
		}
	}
}

func TestUnknownPrecisionsAreErrorsAndChangeNothing(t *testing.T) {
	forgetPrecision(t)
	if err := UsePrecision(BFloat16); err != nil {
		t.Fatal(err)
	}
	for _, name := range []Precision{"bf16", "float64", "FLOAT32", " bfloat16", "tf32"} {
		want := `is no precision, want float32 or bfloat16`
		if err := UsePrecision(name); err == nil || !strings.HasSuffix(err.Error(), want) || !strings.Contains(err.Error(), string(name)) {
			t.Errorf("%q: error %v", name, err)
		}
		if _, err := NewCPUWith(1, name); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("a device with %q: error %v", name, err)
		}
	}
	if got, err := DefaultPrecision(); err != nil || got != BFloat16 {
		t.Errorf("then the precision is %q, error %v", got, err)
	}
	if err := UsePrecision(""); err != nil {
		t.Fatal(err)
	}
	t.Setenv(PrecisionVariable, "half")
	if _, err := DefaultPrecision(); err == nil || err.Error() != `device: GOSPHERE_PRECISION=half: "half" is no precision, want float32 or bfloat16` {
		t.Errorf("error %v", err)
	}
}

func TestDevicesHaveTheirPrecision(t *testing.T) {
	for _, p := range []Precision{Float32, BFloat16} {
		cpu, err := NewCPUWith(2, p)
		if err != nil {
			t.Fatal(err)
		}
		if paired := strings.Contains(cpu.Name(), "products in bfloat16"); paired != (p == BFloat16) || !strings.Contains(cpu.Name(), "2 threads") {
			t.Errorf("%s: %s", p, cpu.Name())
		}
		if !strings.Contains(p.Means(), strings.TrimPrefix(string(p), "of ")) {
			t.Errorf("%s means %q", p, p.Means())
		}
		cpu.Close()
	}
}
