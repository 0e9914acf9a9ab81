package session

import (
	"os"
	"os/exec"
	"testing"
)

// Handlers and flags are registered once for a process, so the test runs in one of its own.
func TestHandlersAndFlagsAreThoseOfImportedPackages(t *testing.T) {
	const variable = "GOSPHERE_TEST_REGISTERED"
	if os.Getenv(variable) == "" {
		alone := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
		alone.Env = append(os.Environ(), variable+"=1")
		if output, err := alone.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, output)
		}
		return
	}
	s, p := moduleSession(t)
	p.Add("example.com/profiled", "v1.0.0", map[string]string{"go.mod": "module example.com/profiled", "p.go": "package profiled\nimport _ \"net/http/pprof\"\nvar N = 1",
		"p_test.go": "package profiled\nimport (\"flag\"; \"testing\"; _ \"testing/quick\")\nfunc TestFlag(t *testing.T) { if flag.Lookup(\"quickchecks\") == nil { t.Error(\"no flag\") } }"})
	const (
		request = "w := httptest.NewRecorder()\nhttp.DefaultServeMux.ServeHTTP(w, httptest.NewRequest(\"GET\", path, nil))\nreturn w.Code"
		checks  = "fmt.Print(flag.Lookup(\"quickchecks\") != nil)"
	)
	plays(t, s,
		[2]string{"import (\"flag\"; \"net/http\"; \"net/http/httptest\")\nfunc status(path string) int {\n" + request + "\n}\nfmt.Print(status(\"/debug/vars\"), status(\"/debug/pprof/\"))", "404 404"},
		[2]string{checks, "false"},
		[2]string{"import _ \"expvar\"\nfmt.Print(status(\"/debug/vars\"), status(\"/debug/pprof/\"))", "200 404"},
		[2]string{"import _ \"expvar\"\nhttp.HandleFunc(\"/own\", func(http.ResponseWriter, *http.Request) {})\nfmt.Print(status(\"/own\"))", "200"},
		[2]string{"%require example.com/profiled\nimport \"example.com/profiled\"\nfmt.Print(profiled.N, status(\"/debug/pprof/\"), status(\"/debug/pprof/cmdline\"))", "1 200 200"},
		[2]string{checks, "false"},
		[2]string{"%test example.com/profiled", "[1 test; run from source]"}, // which imports testing/quick
		[2]string{"import _ \"testing/quick\"\n" + checks, "true"},
	)
}
