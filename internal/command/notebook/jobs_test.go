package notebook

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/alecthomas/kong"
)

func TestJobsBelowOneAreRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.ipynb")
	if err := os.WriteFile(file, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, command := range []any{&Run{}, &Check{}} {
		for _, value := range []string{"0", "-1"} {
			parser, err := kong.New(command, kong.Exit(func(int) { t.Fatal("kong wants to exit") }))
			if err != nil {
				t.Fatal(err)
			}
			_, err = parser.Parse([]string{file, "--jobs=" + value})
			if want := "--jobs: " + value + ", want an integer of at least 1"; err == nil || err.Error() != want {
				t.Errorf("%T: error %v, want %s", command, err, want)
			}
		}
	}
}
