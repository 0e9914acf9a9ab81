package device

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// functions returns the lines of every function of the assembly by its name.
func functions(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("kernels_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	list, name := map[string][]string{}, ""
	for line := range strings.Lines(string(text)) {
		if found := regexp.MustCompile(`^TEXT ·(\w+)\(SB\)`).FindStringSubmatch(line); found != nil {
			name = found[1]
		}
		if name != "" && strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "\t//") {
			list[name] = append(list[name], strings.TrimSpace(line))
		}
	}
	return list
}

// A CPU with AVX2 but without AVX-512 has 16 vector registers of 256 bits, no masks, and none of
// the instructions that require EVEX encoding; the assembler accepts them all.
func TestFunctionsForAVX2UseNothingOfAVX512(t *testing.T) {
	beyond := regexp.MustCompile(`\b(Z\d+|[XY](1[6-9]|2\d|3[01])|K[0-7])\b`)
	longer := regexp.MustCompile(`^(VP(XOR|AND|ANDN|OR)[DQ]|V\w+\.(Z|BCST\w*|R[NDUZ]_SAE|SAE)|VRNDSCALE\w*|VPTERNLOG\w*|VBLENDMP\w|VP(MIN|MAX)[SU]Q|VRCP14\w*|VSCALEF\w*|VREDUCE\w*|VRANGE\w*)\b`)
	found := functions(t)
	for name, lines := range found {
		for _, line := range lines {
			if !strings.Contains(name, "AVX512") && (beyond.MatchString(line) || longer.MatchString(line)) {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
	if len(found) < 30 || len(found["productAVX512"]) == 0 || !beyond.MatchString(strings.Join(found["productAVX512"], " ")) {
		t.Errorf("%d functions were found, and the kernel of AVX-512 has %d lines", len(found), len(found["productAVX512"]))
	}
}

// After AVX instructions, Go's own SSE code would run slowly if the upper halves of the registers
// were in use.
func TestFunctionsClearTheUpperHalvesBeforeTheyReturn(t *testing.T) {
	for name, lines := range functions(t) {
		for i, line := range lines {
			if line == "RET" && lines[i-1] != "VZEROUPPER" {
				t.Errorf("%s returns after %s", name, lines[i-1])
			}
		}
	}
}

// declared returns the functions of a Go file with their signatures.
func declared(t *testing.T, name string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			list[f.Name.Name] = string(text[f.Type.Pos()-1 : f.Type.End()-1])
		}
	}
	return list
}

func TestOtherProcessorsHaveAStandInForEveryFunction(t *testing.T) {
	assembly, others, module := declared(t, "kernels_amd64.go"), declared(t, "kernels_other.go"), declared(t, "kernels_js.go")
	for name, signature := range assembly {
		if others[name] != signature || module[name] != signature {
			t.Errorf("%s is %q on amd64, %q in WebAssembly and %q elsewhere", name, signature, module[name], others[name])
		}
	}
	bodies := functions(t)
	for name := range others {
		if assembly[name] == "" {
			t.Errorf("%s is nothing on amd64", name)
		}
		if len(bodies[name]) == 0 {
			t.Errorf("%s has no assembly", name)
		}
	}
}

// The committed files equal the generators' output. The generators are separate programs, so this
// needs the go command.
func TestGeneratedFilesAreThoseOfTheGenerators(t *testing.T) {
	if testing.Short() {
		t.Skip("builds three programs")
	}
	command, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go command is not there")
	}
	folder := t.TempDir()
	generate := func(arguments ...string) {
		t.Helper()
		if said, err := exec.Command(command, append([]string{"run"}, arguments...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	stubs, other := filepath.Join(folder, "kernels_amd64.go"), filepath.Join(folder, "kernels_other.go")
	generate("./generate", "-out", filepath.Join(folder, "kernels_amd64.s"), "-stubs", stubs, "-pkg", "device")
	generate("./generate/fallback", stubs, other)
	generate("./generate/webassembly", filepath.Join(folder, "kernels_amd64.s"), filepath.Join(folder, "kernels.wasm"),
		filepath.Join(folder, "kernels_fused.wasm"), filepath.Join(folder, "kernels_js.go"))
	for _, name := range []string{"kernels_amd64.s", "kernels_amd64.go", "kernels_other.go", "kernels.wasm", "kernels_fused.wasm", "kernels_js.go"} {
		made, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		committed, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		// The first line contains the arguments.
		_, made, _ = bytes.Cut(made, []byte("\n"))
		_, committed, _ = bytes.Cut(committed, []byte("\n"))
		if !bytes.Equal(made, committed) {
			t.Errorf("%s is not what the generator writes: go generate ./asymvlm/device", name)
		}
	}
}
