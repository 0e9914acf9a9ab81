//go:build unix

package conformance

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gosphere/kernel/internal/connection"
	"gosphere/kernel/internal/socket"
	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

var (
	ipykernel = flag.String("ipykernel", "", "Python interpreter with ipykernel, which BenchmarkRequests then measures as well")
	other     = flag.String("other", "", "another build of gosphere, which BenchmarkRequests then measures as well")
)

// A jupyterKernel is a kernel in a separate process, and a client of its shell socket.
type jupyterKernel struct {
	name    string
	process *exec.Cmd
	shell   socket.Single
	codec   *wire.Codec
	spin    string // a cell that starts computing on all cores and returns
	each    int    // number of requests of each kind per round
	sent    int
	times   map[string][]float64 // milliseconds from request to reply
	started map[string]float64   // MB after the start, by name in /proc/PID/status
	memory  map[string]float64   // the same after the first requests
}

// requestRounds is the number of rounds, which alternate between kernels, and requestsPerRound the
// number of requests of each kind in a round.
const (
	requestRounds    = 20
	requestsPerRound = 10
)

// BenchmarkRequests prints the time of a kernel from a request to its reply, through its sockets:
// for a cell with a text that it has not seen, for completion and for inspection, when idle and
// while goroutines (threads) of an earlier cell compute on all cores. The kernels alternate when
// idle, and run one after the other with goroutines. The last rows of the table are the resident
// memory of each kernel after ten requests of each kind, and what of it is not pages of the
// program's file, which all kernels share.
//
//	go test ./kernel/conformance -run none -bench Requests -benchtime 1x -ipykernel .venv/conformance/bin/python
func BenchmarkRequests(b *testing.B) {
	for range b.N {
		kernels, err := startKernels(b.TempDir())
		defer func() {
			for _, k := range kernels {
				k.end()
			}
		}()
		if err != nil {
			b.Fatal(err)
		}
		for round := range requestRounds {
			for _, k := range kernels {
				if err := k.measure("at rest", round); err != nil {
					b.Fatal(err)
				}
			}
		}
		for _, k := range kernels { // one after the other: each uses all cores now
			if err := k.measureBusy(); err != nil {
				b.Fatal(err)
			}
		}
		printRequests(kernels)
		b.ReportMetric(quantile(kernels[0].times["cell, at rest"], 0.5), "ms-cell-p50")
		b.ReportMetric(quantile(kernels[0].times["completion, beside goroutines"], 0.99), "ms-busy-completion-p99")
	}
}

// startKernels builds and starts this repository's kernel, and the one that it is compared with.
func startKernels(folder string) (kernels []*jupyterKernel, err error) {
	binary := filepath.Join(folder, "gosphere")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, "gosphere")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as make build
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	for _, build := range []struct{ name, path string }{{"gosphere", binary}, {"other", *other}} {
		if build.path == "" {
			continue
		}
		path := filepath.Join(folder, build.name+"-copy")
		if err := copyInParts(path, build.path); err != nil {
			return kernels, err
		}
		k, err := startProcess(filepath.Join(folder, build.name+".json"), path, "kernel")
		if err != nil {
			return kernels, err
		}
		k.name = build.name
		k.spin = "import \"runtime\"\nfor range runtime.NumCPU() {\n\tgo func() {\n\t\tfor n := 0; ; n++ {\n\t\t}\n\t}()\n}"
		kernels = append(kernels, k)
	}
	if *ipykernel != "" {
		k, err := startProcess(filepath.Join(folder, "python.json"), *ipykernel, "-m", "ipykernel_launcher", "-f")
		if err != nil {
			return kernels, err
		}
		k.name = "ipykernel"
		k.spin = "import os, threading\ndef spin():\n    n = 0\n    while True: n += 1\nfor _ in range(os.cpu_count()): threading.Thread(target=spin, daemon=True).start()"
		k.each = 2 // with threads each request takes some tenths of a second
		kernels = append(kernels, k)
	}
	for _, k := range kernels { // exclude the extra cost of the first request of each kind
		if _, err := k.ask("kernel_info_request", map[string]any{}); err != nil {
			return kernels, err
		}
		k.started = resident(k.process.Process.Pid)
		if err := k.measure("before", 0); err != nil {
			return kernels, err
		}
		k.memory = resident(k.process.Process.Pid)
	}
	return kernels, nil
}

// copyInParts copies a program in parts of 32 KiB. Linux maps the pages of a file that were written
// together at once, so the resident memory of equal programs depends on how their files were
// written: by the linker, by an installer, or in one piece.
func copyInParts(to, from string) error {
	program, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(program, 32<<10) {
		if _, err := file.Write(part); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	return file.Close()
}

// resident returns the resident memory of a process in MB, as a whole (VmRSS) and without pages of
// files (RssAnon). Both are 0 where /proc does not say.
func resident(pid int) map[string]float64 {
	memory := map[string]float64{"VmRSS": 0, "RssAnon": 0}
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for name := range memory {
		_, line, _ := strings.Cut(string(text), name+":")
		var kibibytes float64
		fmt.Sscan(line, &kibibytes)
		memory[name] = kibibytes * 1024 / 1e6
	}
	return memory
}

// startProcess starts a kernel with a connection file as its last argument, and connects to its
// shell.
func startProcess(path string, command string, arguments ...string) (*jupyterKernel, error) {
	c := connection.Connection{Transport: "tcp", IP: "127.0.0.1", SignatureScheme: "hmac-sha256", Key: "bench"}
	if err := choosePorts(&c); err != nil {
		return nil, err
	}
	text := fmt.Sprintf(`{"transport":"tcp","ip":"127.0.0.1","signature_scheme":"hmac-sha256","key":"bench","shell_port":%d,"iopub_port":%d,"stdin_port":%d,"control_port":%d,"hb_port":%d}`,
		c.ShellPort, c.IopubPort, c.StdinPort, c.ControlPort, c.HbPort)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return nil, err
	}
	codec, err := wire.NewCodec(c.SignatureScheme, c.Key)
	if err != nil {
		return nil, err
	}
	k := &jupyterKernel{process: exec.Command(command, append(arguments, path)...), codec: codec, each: requestsPerRound, times: map[string][]float64{}}
	k.process.Env = append(os.Environ(), "GOSPHERE_HISTORY=off", "IPYTHONDIR="+filepath.Dir(path))
	if err := k.process.Start(); err != nil {
		return nil, err
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if k.shell, err = socket.DialOne(&c, c.ShellPort, "bench"); err == nil {
			return k, nil
		}
		if time.Now().After(end) {
			k.process.Process.Kill()
			return nil, fmt.Errorf("%s does not listen: %w", command, err)
		}
	}
}

// choosePorts finds free ports.
func choosePorts(c *connection.Connection) error {
	for _, port := range []*connection.Port{&c.ShellPort, &c.ControlPort, &c.StdinPort, &c.IopubPort, &c.HbPort} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer l.Close() // after all have been chosen
		*port = connection.Port(l.Addr().(*net.TCPAddr).Port)
	}
	return nil
}

func (k *jupyterKernel) end() {
	k.shell.Close()
	k.process.Process.Kill()
	k.process.Wait()
}

// ask sends a request and returns the milliseconds until its reply.
func (k *jupyterKernel) ask(kind string, content map[string]any) (float64, error) {
	text, err := json.Marshal(content)
	if err != nil {
		return 0, err
	}
	k.sent++
	id := fmt.Sprint("bench-", k.sent)
	frames, err := k.codec.Encode(&wire.Message{Content: text, Header: protocol.Header{
		MsgID: id, Session: "bench", Username: "bench", Date: time.Now().UTC().Format(protocol.DateFormat), MsgType: kind, Version: "5.4",
	}})
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := k.shell.Send(frames); err != nil {
		return 0, err
	}
	answer, err := k.shell.Receive()
	took := time.Since(begin)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", kind, err)
	}
	reply, err := k.codec.Decode(answer)
	if err != nil {
		return 0, err
	}
	if parent, _ := reply.ParentID(); parent != id || !strings.Contains(strings.ReplaceAll(string(reply.Content), " ", ""), `"status":"ok"`) {
		return 0, fmt.Errorf("%s %s is answered by %s", kind, text, reply.Content)
	}
	return took.Seconds() * 1e3, nil
}

// measure sends one round of requests. The requests are valid in both languages.
func (k *jupyterKernel) measure(state string, round int) error {
	for i := range k.each {
		for _, r := range []struct {
			name, kind string
			content    map[string]any
		}{
			{"cell", "execute_request", map[string]any{"code": fmt.Sprintf("%d + %d", round, 1000*len(state)+i)}},
			{"completion", "complete_request", map[string]any{"code": "pri", "cursor_pos": 3}},
			{"inspection", "inspect_request", map[string]any{"code": "len", "cursor_pos": 3, "detail_level": 0}},
		} {
			took, err := k.ask(r.kind, r.content)
			if err != nil {
				return err
			}
			k.times[r.name+", "+state] = append(k.times[r.name+", "+state], took)
		}
	}
	return nil
}

// measureBusy measures a kernel while its goroutines compute, and ends it.
func (k *jupyterKernel) measureBusy() error {
	defer k.process.Process.Kill()
	if _, err := k.ask("execute_request", map[string]any{"code": k.spin}); err != nil {
		return err
	}
	for round := range requestRounds {
		if err := k.measure("beside goroutines", round); err != nil {
			return err
		}
	}
	return nil
}

// quantile returns the value below which the given fraction of a list lies.
func quantile(list []float64, part float64) float64 {
	return slices.Sorted(slices.Values(list))[min(len(list)-1, int(part*float64(len(list))))]
}

func printRequests(kernels []*jupyterKernel) {
	fmt.Printf("\n| ms from request to reply | %s p50 | p99 |", kernels[0].name)
	for _, k := range kernels[1:] {
		fmt.Printf(" %s p50 | %s/%s |", k.name, k.name, kernels[0].name)
	}
	fmt.Println("\n| --- | --- |" + strings.Repeat(" --- |", 2*len(kernels)-1))
	for _, state := range []string{"at rest", "beside goroutines"} {
		for _, what := range []string{"cell", "completion", "inspection"} {
			name := what + ", " + state
			half := quantile(kernels[0].times[name], 0.5)
			fmt.Printf("| %s | %.3g | %.3g |", name, half, quantile(kernels[0].times[name], 0.99))
			for _, k := range kernels[1:] {
				theirs := quantile(k.times[name], 0.5)
				fmt.Printf(" %.3g | %.2f |", theirs, theirs/half)
			}
			fmt.Println()
		}
	}
	for _, when := range []struct {
		name   string
		memory func(*jupyterKernel) map[string]float64
	}{
		{"after start", func(k *jupyterKernel) map[string]float64 { return k.started }},
		{"after the first requests", func(k *jupyterKernel) map[string]float64 { return k.memory }},
	} {
		for _, row := range [][2]string{{"resident memory", "VmRSS"}, {"private memory", "RssAnon"}} {
			first := when.memory(kernels[0])[row[1]]
			fmt.Printf("| %s %s, MB | %.3g | |", row[0], when.name, first)
			for _, k := range kernels[1:] {
				theirs := when.memory(k)[row[1]]
				fmt.Printf(" %.3g | %.2f |", theirs, theirs/first)
			}
			fmt.Println()
		}
	}
}

func TestQuantileIsTheValueBelowWhichAPartLies(t *testing.T) {
	list := []float64{5, 1, 4, 2, 3}
	for part, want := range map[float64]float64{0: 1, 0.5: 3, 0.99: 5, 1: 5} {
		if got := quantile(list, part); got != want {
			t.Errorf("quantile %v is %v, want %v", part, got, want)
		}
	}
}
