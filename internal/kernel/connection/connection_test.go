package connection

import (
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const ports = `"shell_port":1,"iopub_port":2,"stdin_port":3,"control_port":4,"hb_port":5`

func TestReadTakesWhatJupyterWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernel.json")
	text := `{"shell_port": 57503, "iopub_port": 40885, "stdin_port": 52597, "control_port": 50160, "hb_port": 42540,
		"ip": "127.0.0.1", "key": "a0436f6c-1916-498b-8eb9-e81ab9368e84", "transport": "tcp",
		"signature_scheme": "hmac-sha256", "kernel_name": "gosphere", "jupyter_session": "notebook.ipynb"}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if c.ShellPort != 57503 || c.HbPort != 42540 || c.Key == "" || c.KernelName != "gosphere" {
		t.Errorf("read %+v", c)
	}
	if got := c.Endpoint(c.ControlPort); got != "tcp://127.0.0.1:50160" {
		t.Errorf("endpoint %s", got)
	}
}

func TestPortsMayBeStrings(t *testing.T) {
	c, err := Parse([]byte(`{"shell_port":"1","iopub_port":2,"stdin_port":"3","control_port":4,"hb_port":"5"}`))
	if err != nil {
		t.Fatal(err)
	}
	if c.ShellPort != 1 || c.StdinPort != 3 || c.HbPort != 5 {
		t.Errorf("ports %+v", c)
	}
}

func TestMissingFieldsHaveTheUsualValues(t *testing.T) {
	c, err := Parse([]byte(`{` + ports + `}`))
	if err != nil {
		t.Fatal(err)
	}
	if c.Transport != "tcp" || c.IP != "127.0.0.1" || c.SignatureScheme != "hmac-sha256" || c.Key != "" {
		t.Errorf("read %+v", c)
	}
}

func TestIpcEndpointIsAPathWithThePort(t *testing.T) {
	c, err := Parse([]byte(`{` + ports + `,"transport":"ipc","ip":"run/kernel-7"}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Endpoint(c.IopubPort); got != "ipc://run/kernel-7-2" {
		t.Errorf("endpoint %s", got)
	}
}

func TestIPv6AddressesAreBracketed(t *testing.T) {
	c, err := Parse([]byte(`{` + ports + `,"ip":"::1"}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Endpoint(c.ShellPort); got != "tcp://[::1]:1" {
		t.Errorf("endpoint %s", got)
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		``:                                      "unexpected end",
		`[]`:                                    "array",
		`{"shell_port":"many"}`:                 "is not a number",
		`{"shell_port":70000}`:                  "is not a number from 0 to 65535",
		`{"shell_port":-1}`:                     "is not a number from 0 to 65535",
		`{"shell_port":1.5}`:                    "is not a number",
		`{` + ports + `,"hb_port":1}`:           "shell_port and hb_port are both 1",
		`{` + ports + `,"transport":"udp"}`:     `transport "udp" is neither tcp nor ipc`,
		`{` + ports + `,"ip":"somewhere else"}`: "is not an address",
		`{` + ports + `,"transport":"ipc","ip":""}`:               "ipc without a path prefix",
		`{` + ports + `,"key":"k","signature_scheme":"hmac-md5"}`: `signature scheme "hmac-md5" is not supported`,
		`{` + ports + `,"curve_publickey":"x"}`:                   "curve encryption, which this kernel does not have",
		`{` + ports + `,"curve_secretkey":"x"}`:                   "transport_encryption to disabled",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

func TestReadNamesTheFile(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.json")
	if _, err := Read(missing); err == nil || !strings.Contains(err.Error(), "missing.json") {
		t.Errorf("missing file: %v", err)
	}
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(broken); err == nil || !strings.Contains(err.Error(), "broken.json") {
		t.Errorf("broken file: %v", err)
	}
}

func TestPortsThatTheSystemChoosesMayBeEqual(t *testing.T) {
	if _, err := Parse([]byte(`{"shell_port":0,"iopub_port":0,"stdin_port":0,"control_port":0,"hb_port":0}`)); err != nil {
		t.Error(err)
	}
}

func TestFilesThatOthersCanReadAreExposed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other rights")
	}
	path := filepath.Join(t.TempDir(), "kernel.json")
	for mode, want := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o644: true, 0o640: true, 0o604: true} {
		os.Remove(path)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if got := Exposed(path); got != want {
			t.Errorf("mode %v: %v, want %v", mode, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{`{` + ports + `}`, `{"shell_port":"1","transport":"ipc","ip":"p","key":"k"}`, `{"ip":"::1","shell_port":[1]}`, "[{"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse(text)
		if err != nil {
			return
		}
		seen := map[Port]bool{}
		for _, port := range []Port{c.ShellPort, c.IopubPort, c.StdinPort, c.ControlPort, c.HbPort} {
			if port < 0 || port > 65535 || port != 0 && seen[port] {
				t.Errorf("accepted the ports of %+v", c)
			}
			seen[port] = true
			if c.Transport == "tcp" && c.IP != "localhost" {
				if _, err := netip.ParseAddrPort(strings.TrimPrefix(c.Endpoint(port), "tcp://")); err != nil {
					t.Errorf("accepted %+v: %v", c, err)
				}
			}
		}
		if c.CurvePublicKey+c.CurveSecretKey != "" || c.Key != "" && c.SignatureScheme != "hmac-sha256" {
			t.Errorf("accepted %+v", c)
		}
	})
}
