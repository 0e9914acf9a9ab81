package kernel

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const crashText = `
goroutine 66 [running] {cell: 2, session: 1}:
internal/runtime/maps.fatal({0x26cd9b1?, 0x496e928?})
	runtime/panic.go:1195 +0x18
net/textproto.MIMEHeader.Set(...)
	net/textproto/header.go:22
net/http.Header.Set(0xe416c5f60c0, {0xe416bf9638c?, 0xe416bd6a9a0?}, {0xe416bf96461, 0x1})
	net/http/header.go:40 +0x9b
gosphere/runtime/internal/hostcall.trampoline(0x95c540, 0xe416c37b680, 0xe416c513ab8)
	gosphere/runtime/internal/hostcall/trampoline_amd64.s:51 +0x10a

goroutine 1 [select] {cell: 9, session: 1}:
main.main()
`

func TestTheNextKernelSaysWhatRaced(t *testing.T) {
	connection := filepath.Join(t.TempDir(), "kernel-1.json")
	var log bytes.Buffer
	r := openRecovery(connection, &log)
	if r.before != nil || log.Len() > 0 {
		t.Fatalf("a first kernel finds %+v, %s", r.before, log.String())
	}
	for i, code := range []string{"h := http.Header{}", "%%bash\ntrue", "go func() {\n\th.Set(`A`, `b`)\n}()\nh.Set(`A`, `c`)"} {
		r.record(storedCell{[]int{1, 3, 2}[i], code})
	}
	if err := os.WriteFile(r.crash, []byte(crashText), 0o600); err != nil {
		t.Fatal(err)
	}
	r = openRecovery(connection, &log)
	defer r.close()
	if r.before == nil || !strings.Contains(log.String(), crashText) {
		t.Fatalf("log %q", log.String())
	}
	want := "The kernel ended and was started again, without its variables: fatal error: concurrent map reads or writes\n" +
		"    Cell [2], line 2: h.Set(`A`, `b`)\n    Cell [2], line 4: h.Set(`A`, `c`)\n    in net/http.Header.Set\n" +
		"    hint: goroutines use one map at the same time; hold a sync.Mutex where they do\n" +
		"    %rerun writes the cells that ran before into the next one, to run them again\n"
	if got := r.before.describe(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if got := r.before.rerun(); got != "// Cell [1]\nh := http.Header{}" {
		t.Errorf("rerun: %q", got)
	}
	r.close()
	if left, err := os.ReadDir(filepath.Dir(connection)); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestFilesOfKilledKernelsAreRemoved(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"gone.gosphere-cells", "gone.gosphere-crash", "lives.gosphere-cells", "lives.json"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	openRecovery(filepath.Join(folder, "new.json"), new(bytes.Buffer)).close()
	var left []string
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if got := strings.Join(left, " "); err != nil || got != "lives.gosphere-cells lives.json" {
		t.Errorf("left: %s, %v", got, err)
	}
}

// crashes is the environment variable of a process that ends with a fatal error.
const crashes = "GOSPHERE_TEST_CRASH"

func TestFatalErrorsAreWrittenBesideTheConnectionFile(t *testing.T) {
	if connection := os.Getenv(crashes); connection != "" {
		openRecovery(connection, os.Stderr)
		m := map[int]int{}
		for i := range 8 {
			go func() {
				for j := 0; ; j++ {
					m[j%1000] = i
				}
			}()
		}
		select {}
	}
	connection := filepath.Join(t.TempDir(), "kernel-1.json")
	child := exec.Command(os.Args[0], "-test.run=^TestFatalErrorsAreWrittenBesideTheConnectionFile$")
	child.Env = append(os.Environ(), crashes+"="+connection)
	if out, err := child.CombinedOutput(); err == nil {
		t.Fatalf("the child ended well: %s", out)
	}
	var log bytes.Buffer
	r := openRecovery(connection, &log)
	defer r.close()
	if r.before == nil || r.before.reason != concurrentMaps {
		t.Errorf("found %+v", r.before)
	}
}
