//go:build amd64 || arm64

package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// TestMain confines this process and tries what a test requests: limits stay until its end.
func TestMain(m *testing.M) {
	folder := os.Getenv("GOSPHERE_TEST_CONFINED")
	if folder == "" {
		os.Exit(m.Run())
	}
	// More threads than one, which have to be confined as well.
	var holding, ready sync.WaitGroup
	holding.Add(1)
	for range 4 {
		ready.Add(1)
		go func() {
			runtime.LockOSThread()
			ready.Done()
			holding.Wait()
		}()
	}
	ready.Wait()
	limits := Limits{Network: strings.Contains(os.Args[1], "network"), Processes: strings.Contains(os.Args[1], "processes")}
	if strings.Contains(os.Args[1], "files") {
		limits.Folder = folder
	}
	if err := Apply(limits); err != nil {
		fmt.Println("apply:", err)
		os.Exit(1)
	}
	holding.Done()
	attempt(folder)
	os.Exit(0)
}

// attempt prints the outcome of each ability, in a line, from several threads.
func attempt(folder string) {
	outcome := func(name string, err error) {
		switch {
		case err == nil:
			fmt.Println(name, "ok")
		case errors.Is(err, fs.ErrPermission):
			fmt.Println(name, "refused")
		default:
			fmt.Println(name, err)
		}
	}
	var one sync.WaitGroup
	one.Go(func() {
		runtime.LockOSThread() // a thread that was not the one that called Apply
		_, err := net.Listen("tcp", "127.0.0.1:0")
		outcome("listen", err)
		listener, err := net.Listen("unix", filepath.Join(folder, "s"))
		outcome("serve", err)
		if err == nil {
			_, err = net.Dial("unix", listener.Addr().String())
			outcome("dial", err)
		}
		outcome("program", exec.Command("/bin/true").Run())
		outcome("write", os.WriteFile(filepath.Join(folder, "f"), nil, 0o600))
		outcome("write outside", os.WriteFile(filepath.Join(filepath.Dir(folder), "f"), nil, 0o600))
		_, err = os.ReadFile(filepath.Join(filepath.Dir(folder), "secret"))
		outcome("read outside", err)
		_, err = os.ReadFile("/etc/passwd")
		outcome("read system", err)
	})
	one.Wait()
}

func confined(t *testing.T, limits string) string {
	t.Helper()
	above := t.TempDir()
	folder := filepath.Join(above, "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(above, "secret"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(os.Args[0], limits)
	command.Env = append(os.Environ(), "GOSPHERE_TEST_CONFINED="+folder)
	out, err := command.CombinedOutput()
	if strings.Contains(string(out), "no Landlock") {
		t.Skip("this system has no Landlock")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

func TestAProcessCanDoExactlyWhatItsLimitsPermit(t *testing.T) {
	all := []string{"listen", "serve", "dial", "program", "write", "write outside", "read outside", "read system"}
	for limits, refused := range map[string]string{
		"nothing":                 "",
		"network":                 "listen, dial",
		"processes":               "program",
		"files":                   "write outside, read outside",
		"network processes files": "listen, dial, program, write outside, read outside",
	} {
		var want strings.Builder
		for _, name := range all {
			result := "ok"
			if strings.Contains(", "+refused+",", ", "+name+",") {
				result = "refused"
			}
			fmt.Fprintln(&want, name, result)
		}
		if got := confined(t, limits); got != want.String() {
			t.Errorf("limits %s:\n%swant\n%s", limits, got, want.String())
		}
	}
}
