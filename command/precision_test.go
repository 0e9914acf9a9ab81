package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/device/devicetest"
)

func TestFlagChoosesThePrecisionBeforeTheVariable(t *testing.T) {
	devicetest.ChoosePrecision(t, "")
	t.Setenv(device.PrecisionVariable, "float32")
	var stdout, stderr strings.Builder
	if status := Main([]string{"version", "--precision", "bfloat16"}, Preloaded{}, &stdout, &stderr); status != 0 {
		t.Fatalf("status %d: %s", status, stderr.String())
	}
	if got, err := device.DefaultPrecision(); err != nil || got != device.BFloat16 {
		t.Errorf("precision %q, %v", got, err)
	}
	stderr.Reset()
	status := Main([]string{"version", "--precision", "bf16"}, Preloaded{}, &stdout, &stderr)
	if want := "gosphere: device: \"bf16\" is no precision, want float32 or bfloat16\n"; status != 1 || stderr.String() != want {
		t.Errorf("status %d, %q, want %q", status, stderr.String(), want)
	}
}

func TestDoctorAndVersionTellThePrecision(t *testing.T) {
	devicetest.ChoosePrecision(t, "")
	t.Setenv(device.PrecisionVariable, "")
	if got := findPrecision(); got != (finding{good, "precision", "adapters are trained with products in float32"}) || strings.Contains(Versions(), "float") {
		t.Errorf("%v, %s", got, Versions())
	}
	t.Setenv(device.PrecisionVariable, "bfloat16")
	if got := findPrecision(); got.mark != good || !strings.HasPrefix(got.text, "adapters are trained with products of bfloat16") ||
		!strings.Contains(Versions(), "), trainings in bfloat16") {
		t.Errorf("%v, %s", got, Versions())
	}
	t.Setenv(device.PrecisionVariable, "fp8")
	want := `GOSPHERE_PRECISION=fp8: "fp8" is no precision, want float32 or bfloat16`
	if got := findPrecision(); got != (finding{broken, "precision", want}) || !strings.Contains(Versions(), "trainings in no precision: device: "+want) {
		t.Errorf("%v, %s", got, Versions())
	}
}

func TestPrecisionIsInTheScheduleTheCheckpointAndTheResult(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder)
	arguments := []string{"--dataset", "own", "--epochs", "1", "--batch", "100", "--hidden", "8"}
	result := filepath.Join(folder, "results", "own", "0", "asymvlm-vmf.json")
	devicetest.ChoosePrecision(t, device.Float32)
	for _, precision := range []device.Precision{device.Float32, device.BFloat16} {
		devicetest.ChoosePrecision(t, precision)
		stdout, _, err := train(t, folder, append(arguments, "--overwrite")...)
		if err != nil || strings.Contains(stdout, ", products in bfloat16\n") != (precision == device.BFloat16) {
			t.Fatalf("%s: %v, output %q", precision, err, stdout)
		}
		devicetest.ChoosePrecision(t, device.Float32) // evaluation tells what the training was
		if _, err := eval(t, folder, "--dataset", "own", "--uncer_levels", "5"); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(result)
		if err != nil || !bytes.Contains(text, []byte(`"precision": "`+string(precision)+`"`)) {
			t.Errorf("%s: %v, result %s", precision, err, text)
		}
	}
	_, _, err := train(t, folder, append(arguments, "--resume")...)
	if err == nil || !strings.Contains(err.Error(), "\n  precision: the checkpoint has bfloat16, asked for is float32") {
		t.Errorf("error %v", err)
	}
	devicetest.ChoosePrecision(t, "")
	t.Setenv(device.PrecisionVariable, "half")
	if _, _, err := train(t, folder, arguments...); err == nil || !strings.Contains(err.Error(), `GOSPHERE_PRECISION=half: "half" is no precision`) {
		t.Errorf("error %v", err)
	}
}
