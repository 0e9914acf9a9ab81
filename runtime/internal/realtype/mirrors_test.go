package realtype

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestMirroredStructsAreThoseOfTheRuntime(t *testing.T) {
	for _, m := range mirrors() {
		switch {
		case m.original == nil:
			t.Errorf("%v: the struct of the runtime is not found", m.own)
		case !slices.Equal(places(m.own), places(m.original)):
			t.Errorf("%v has the fields %v, %v has %v", m.own, places(m.own), m.original, places(m.original))
		}
	}
}

func TestEveryMirroredStructIsCompared(t *testing.T) {
	text, err := os.ReadFile("abi.go")
	if err != nil {
		t.Fatal(err)
	}
	compared := map[string]bool{}
	for _, m := range mirrors() {
		compared[m.own.Name()] = true
	}
	for _, name := range structNames(string(text)) {
		if !compared[name] {
			t.Errorf("%s is not compared with a struct of the runtime", name)
		}
	}
}

// structNames returns the names of the mirrored structs that a file declares.
func structNames(text string) (names []string) {
	for _, m := range regexp.MustCompile(`(?m)^type (abi\w+) struct`).FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// A word more at any place, or a field less, makes another list of places.
func TestAWordMoreOrLessIsNoticed(t *testing.T) {
	word := place{size: 8, kind: reflect.Uintptr}
	for _, m := range mirrors() {
		right := places(m.original)
		for i := range len(right) + 1 {
			more := slices.Insert(slices.Clone(right), i, word)
			for j := i + 1; j < len(more); j++ {
				more[j].offset += word.size
			}
			if slices.Equal(more, places(m.own)) {
				t.Errorf("%v: a word at %d is not noticed", m.own, i)
			}
			if i < len(right) && slices.Equal(slices.Delete(slices.Clone(right), i, i+1), places(m.own)) {
				t.Errorf("%v: the field %d is not missed", m.own, i)
			}
		}
	}
}

func TestEveryKindPassesTheCheck(t *testing.T) {
	for range 3 {
		if !checkKinds() {
			t.Fatal("the check of a kind fails")
		}
	}
}

// TestMutatedMirrorsFailTheCheck compiles this package once for each mirrored struct, with a word
// more in the struct, and runs SelfCheck, which TestMain does, with a collector that runs
// constantly.
func TestMutatedMirrorsFailTheCheck(t *testing.T) {
	if os.Getenv("GOSPHERE_LARGE") == "" {
		t.Skip("set GOSPHERE_LARGE=1 to compile this package for each mutation")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	own, err := filepath.Abs("abi.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, name := range append(structNames(string(text)), "") {
		changed := text
		if name != "" {
			changed = bytes.Replace(text, []byte("type "+name+" struct {\n"), []byte("type "+name+" struct {\n\textra uintptr\n"), 1)
			if bytes.Equal(changed, text) {
				t.Fatalf("%s is not changed", name)
			}
		}
		mutated := filepath.Join(folder, "abi"+name+".go")
		overlay := filepath.Join(folder, "overlay"+name+".json")
		listed, err := json.Marshal(map[string]map[string]string{"Replace": {own: mutated}})
		if err != nil {
			t.Fatal(err)
		}
		for file, data := range map[string][]byte{mutated: changed, overlay: listed} {
			if err := os.WriteFile(file, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		program := filepath.Join(folder, "realtype.test")
		if out, err := exec.Command("go", "test", "-c", "-overlay", overlay, "-o", program, ".").CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		command := exec.Command(program, "-test.run", "^$")
		command.Env = append(os.Environ(), "GOGC=1")
		out, err := command.CombinedOutput()
		if refused := strings.Contains(string(out), "lays out types in a way"); refused != (name != "") || (err == nil) != (name == "") {
			t.Errorf("a word more in %q: %v\n%s", name, err, out)
		}
	}
}
