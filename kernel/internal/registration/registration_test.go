package registration

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gosphere/kernel/internal/connection"
	"gosphere/kernel/internal/socket"
	"gosphere/kernel/internal/wire"
)

// deadline is the time limit for expected events.
const deadline = 2 * time.Minute

const file = `{"kernel_id":"a-1","transport":"tcp","registration_ip":"127.0.0.1","registration_port":40000,"signature_scheme":"hmac-sha256","key":"k"}`

func TestFilesAreToldApart(t *testing.T) {
	for text, want := range map[string]bool{
		file: true, `{"registration_port":"1"}`: true,
		`{"shell_port":1}`: false, `{`: false, `[]`: false, ``: false, `{"Registration":1}`: false,
	} {
		if got := IsRegistration([]byte(text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestParseFillsInWhatIsMissing(t *testing.T) {
	for text, want := range map[string]Registration{
		file: {KernelID: "a-1", Transport: "tcp", IP: "127.0.0.1", RegistrationIP: "127.0.0.1", Port: 40000, SignatureScheme: "hmac-sha256", Key: "k"},
		`{"kernel_id":"b","registration_port":"7"}`: {KernelID: "b", Transport: "tcp", IP: "127.0.0.1", RegistrationIP: "127.0.0.1", Port: 7, SignatureScheme: "hmac-sha256"},
		`{"kernel_id":"c","ip":"0.0.0.0","registration_ip":"10.0.0.1","registration_port":7}`: {
			KernelID: "c", Transport: "tcp", IP: "0.0.0.0", RegistrationIP: "10.0.0.1", Port: 7, SignatureScheme: "hmac-sha256"},
		`{"kernel_id":"d","transport":"ipc","ip":"run/k","registration_port":7}`: {
			KernelID: "d", Transport: "ipc", IP: "run/k", RegistrationIP: "run/k", Port: 7, SignatureScheme: "hmac-sha256"},
	} {
		r, err := Parse([]byte(text))
		if err != nil || *r != want {
			t.Errorf("%s: %+v, %v; want %+v", text, r, err, want)
		}
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		`{`: "unexpected end",
		`{"kernel_id":"a","registration_port":0}`:                                             "registration_port is 0",
		`{"kernel_id":"a","registration_port":"x"}`:                                           "is not a number from 0 to 65535",
		`{"registration_port":1}`:                                                             `kernel_id ""`,
		`{"kernel_id":"../a","registration_port":1}`:                                          `kernel_id "../a"`,
		`{"kernel_id":"` + strings.Repeat("a", longestID+1) + `","registration_port":1}`:      `kernel_id "aaa`,
		`{"kernel_id":"a","registration_port":1,"transport":"udp"}`:                           `transport "udp"`,
		`{"kernel_id":"a","registration_port":1,"transport":"ipc"}`:                           "ipc without a path prefix",
		`{"kernel_id":"a","registration_port":1,"registration_ip":"some where"}`:              `ip "some where" is not an address`,
		`{"kernel_id":"a","registration_port":1,"ip":"::1","registration_ip":"x"}`:            `ip "x" is not an address`,
		`{"kernel_id":"a","registration_port":1,"key":"k","signature_scheme":"hmac-md5"}`:     `"hmac-md5" is not supported`,
		`{"kernel_id":"a","registration_port":1,"curve_publickey":"x","curve_secretkey":"y"}`: "does not define encryption",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

// launch listens as a launcher does. The function answer creates the receipt for the frames
// received.
func launch(t *testing.T, c *connection.Connection, answer func(frames [][]byte) [][]byte) *Registration {
	t.Helper()
	sockets, err := socket.Listen(c)
	if err != nil {
		t.Fatal(err)
	}
	sockets.Authenticate(nil)
	t.Cleanup(func() { sockets.Close() })
	// This goroutine ends when the sockets are closed.
	go func() {
		if frames, err := sockets.Shell.Receive(); err == nil {
			if receipt := answer(frames[1:]); receipt != nil {
				sockets.Shell.Send(append([][]byte{frames[0]}, receipt...))
			}
		}
	}()
	return &Registration{
		KernelID: "a-1", Transport: c.Transport, IP: c.IP, RegistrationIP: c.IP, Port: sockets.Bound.ShellPort,
		SignatureScheme: "hmac-sha256", Key: "k",
	}
}

func TestTheLauncherLearnsThePortsAndSignsAReceipt(t *testing.T) {
	folder, err := os.MkdirTemp("", "r") // short, because paths of sockets are limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	for _, c := range []*connection.Connection{{Transport: "tcp", IP: "127.0.0.1"}, {Transport: "ipc", IP: filepath.Join(folder, "s")}} {
		t.Run(c.Transport, func(t *testing.T) {
			codec, _ := wire.NewCodec("hmac-sha256", "k")
			told := make(chan map[string]string, 1)
			r := launch(t, c, func(frames [][]byte) [][]byte {
				if len(frames) != 3 || string(frames[0]) != string(wire.Delimiter) || codec.Verify(frames[1], frames[2]) != nil {
					t.Errorf("told %q", frames)
				}
				var ports map[string]string
				if err := json.Unmarshal(frames[2], &ports); err != nil {
					t.Error(err)
				}
				told <- ports
				return [][]byte{wire.Delimiter, codec.Sign([]byte("ACK")), []byte("ACK")}
			})
			kernel, err := socket.Listen(r.Connection())
			if err != nil {
				t.Fatal(err)
			}
			defer kernel.Close()
			if err := Announce(r, &kernel.Bound, deadline); err != nil {
				t.Fatal(err)
			}
			want := portsOf(&kernel.Bound)
			got := <-told
			if got["kernel_id"] != "a-1" || got["shell_port"] != want.ShellPort || got["hb_port"] != want.HbPort || got["iopub_port"] != want.IopubPort ||
				got["stdin_port"] != want.StdinPort || got["control_port"] != want.ControlPort || len(got) != 6 {
				t.Errorf("told %v, want %+v", got, want)
			}
		})
	}
}

func TestAWrongReceiptEndsTheKernel(t *testing.T) {
	for name, c := range map[string]struct {
		answer func([][]byte) [][]byte
		want   string
	}{
		"another key": {func([][]byte) [][]byte {
			other, _ := wire.NewCodec("hmac-sha256", "other")
			return [][]byte{wire.Delimiter, other.Sign([]byte("ACK")), []byte("ACK")}
		}, wire.ErrSignature.Error()},
		"no signature": {func([][]byte) [][]byte { return [][]byte{wire.Delimiter, []byte("ACK")} }, "without signature"},
		"no delimiter": {func([][]byte) [][]byte { return [][]byte{[]byte("ACK")} }, "without signature"},
		"nothing":      {func([][]byte) [][]byte { return nil }, "no receipt"},
	} {
		t.Run(name, func(t *testing.T) {
			at := &connection.Connection{Transport: "tcp", IP: "127.0.0.1"}
			patience := deadline
			if name == "nothing" {
				patience = time.Millisecond
			}
			if err := Announce(launch(t, at, c.answer), at, patience); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestNobodyAtTheAddressIsAnError(t *testing.T) {
	at := &connection.Connection{Transport: "tcp", IP: "127.0.0.1"}
	sockets, err := socket.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	sockets.Close()
	r := &Registration{KernelID: "a", Transport: "tcp", RegistrationIP: "127.0.0.1", Port: sockets.Bound.ShellPort}
	if err := Announce(r, at, deadline); err == nil || !strings.Contains(err.Error(), "the launcher at tcp://127.0.0.1") {
		t.Errorf("error %v", err)
	}
}

func TestTheConnectionFileIsForItsOwnerAlone(t *testing.T) {
	r, err := Parse([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	bound := &connection.Connection{Transport: "tcp", IP: "127.0.0.1", ShellPort: 1, ControlPort: 2, StdinPort: 3, IopubPort: 4, HbPort: 5}
	path, err := WriteConnectionFile(t.TempDir(), r, bound)
	if err != nil || connection.Exposed(path) {
		t.Fatalf("%v, readable by others: %v", err, connection.Exposed(path))
	}
	c, err := connection.Read(path)
	if err != nil || c.ShellPort != 1 || c.HbPort != 5 || c.Key != "k" || c.IP != bound.IP {
		t.Errorf("read %+v, %v", c, err)
	}
	if _, err := WriteConnectionFile(filepath.Join(t.TempDir(), "none"), r, bound); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without the folder: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{file, `{"kernel_id":"a","registration_port":"1","transport":"ipc","ip":"p"}`, `{"registration_port":[1]}`, "{"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Parse(text)
		if err != nil {
			return
		}
		if !IsRegistration(text) {
			t.Errorf("accepted, but not told apart: %q", text)
		}
		if r.Port < 1 || r.Port > 65535 || filepath.Base(r.KernelID) != r.KernelID || r.Connection().Check() != nil {
			t.Errorf("accepted %+v", r)
		}
	})
}
