package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Go relinks if the link flags change, but not if a library changes: so the folder of the GPU's
// shim must have another name for other sources, however old the files are.
func TestAnotherShimIsLinkedFromAnotherFolder(t *testing.T) {
	tool, err := exec.LookPath("make")
	if err != nil {
		t.Skip("make is not installed")
	}
	root := t.TempDir()
	put := func(path string, text []byte) {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	get := func(path string) []byte {
		t.Helper()
		text, err := os.ReadFile(filepath.Join("../..", path))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	const library, symbols = "asymvlm/internal/cuda/shim/libcuda.c", "asymvlm/internal/cuda/shim/symbols.h"
	const checks = "internal/testing/checks.mk"
	for _, makefile := range []string{checks, "asymvlm/internal/cuda/gpu.mk"} {
		put(makefile, get(makefile))
	}
	put("kernel/conformance/requirements.txt", nil)
	folder := func(code, names []byte) string {
		t.Helper()
		put(library, code)
		put(symbols, names)
		dry := exec.Command(tool, "-n", "-C", root, "-f", checks, "played")
		said, err := dry.CombinedOutput()
		if err != nil {
			t.Fatalf("make -n played: %v\n%s", err, said)
		}
		linked := regexp.MustCompile(`-L(\S+)`).FindSubmatch(said)
		made := regexp.MustCompile(`rcs (\S+)/libcuda\.a`).FindSubmatch(said)
		if linked == nil || made == nil || !strings.HasSuffix(string(linked[1]), "/"+string(made[1])) {
			t.Fatalf("the library is made at %s and linked from %s", made, linked)
		}
		return string(linked[1])
	}
	c, h := get(library), get(symbols)
	first := folder(c, h)
	if other := folder(append(c[:len(c):len(c)], "// changed\n"...), h); other == first {
		t.Errorf("another libcuda.c is linked from %s, too", other)
	}
	if other := folder(c, append(h[:len(h):len(h)], "SYMBOL(cuOther)\n"...)); other == first {
		t.Errorf("another symbols.h is linked from %s, too", other)
	}
	if again := folder(c, h); again != first {
		t.Errorf("the same shim is linked from %s and %s", first, again)
	}
}
