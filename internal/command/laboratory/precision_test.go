package laboratory

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/internal/testing/devicetest"
)

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
		devicetest.ChoosePrecision(t, device.Float32) // the evaluation reports the precision of the training
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
