package connection

import (
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const ports = `"key":"","shell_port":1,"iopub_port":2,"stdin_port":3,"control_port":4,"hb_port":5`

// Keys of zmq_curve_keypair, from its manual.
const (
	publicKey = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
	secretKey = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"
)

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
	c, err := Parse([]byte(`{"key":"","shell_port":"1","iopub_port":2,"stdin_port":"3","control_port":4,"hb_port":"5"}`))
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
		`{` + ports + `,"transport":"ipc","ip":""}`:                                                   "ipc without a path prefix",
		`{` + ports + `,"key":"k","signature_scheme":"hmac-md5"}`:                                     `signature scheme "hmac-md5" is not supported`,
		`{` + ports + `,"curve_publickey":"x"}`:                                                       "curve_publickey without curve_secretkey",
		`{` + ports + `,"curve_secretkey":"x"}`:                                                       "curve_secretkey: curve: key of 1 characters, want 40",
		`{` + ports + `,"curve_secretkey":"` + secretKey + `"}`:                                       "curve_publickey: curve: key of 0 characters, want 40",
		`{` + ports + `,"curve_publickey":"` + secretKey + `","curve_secretkey":"` + secretKey + `"}`: "is not the public key",
		`{"shell_port":1}`: "the file has no key",
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
	if _, err := Parse([]byte(`{"key":"","shell_port":0,"iopub_port":0,"stdin_port":0,"control_port":0,"hb_port":0}`)); err != nil {
		t.Error(err)
	}
}

func TestFilesThatOthersCanReadAreExposed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other rights")
	}
	path := filepath.Join(t.TempDir(), "kernel.json")
	for mode, want := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o644: true, 0o640: true, 0o604: true, 0o620: true, 0o602: true} {
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

func TestAPairOfCurveKeysIsAccepted(t *testing.T) {
	if _, err := Parse([]byte(`{` + ports + `,"curve_publickey":"` + publicKey + `","curve_secretkey":"` + secretKey + `"}`)); err != nil {
		t.Error(err)
	}
}

func TestWarningsNameWhatOthersCanReach(t *testing.T) {
	shared := Users("root:x:0:0::/:/bin/sh\ndaemon:x:1:1::/:/usr/sbin/nologin\nann:x:1000:1000::/ann:/bin/bash\nben:x:1001:1001::/ben:/bin/zsh\nbad line\n", 1000)
	if shared != 2 {
		t.Fatalf("%d users, want 2", shared)
	}
	for _, test := range []struct {
		c     Connection
		users int
		want  string // of the only warning, "" for none
	}{
		{Connection{Transport: "tcp", IP: "127.0.0.1", Key: "k"}, 1, ""},
		{Connection{Transport: "tcp", IP: "127.0.0.1", Key: "k"}, 2, "2 accounts"},
		{Connection{Transport: "tcp", IP: "localhost", Key: "k"}, 2, "2 accounts"},
		{Connection{Transport: "tcp", IP: "0.0.0.0", Key: "k"}, 1, "over 0.0.0.0 without encryption"},
		{Connection{Transport: "tcp", IP: "0.0.0.0", Key: "k", CurveSecretKey: secretKey}, 2, ""},
		{Connection{Transport: "ipc", IP: "kernel", Key: "k"}, 2, ""},
		{Connection{Transport: "ipc", IP: "kernel"}, 2, "not signed"},
	} {
		got := test.c.Warnings(test.users)
		if (test.want == "") != (len(got) == 0) || len(got) > 1 || test.want != "" && !strings.Contains(got[0], test.want) {
			t.Errorf("%+v with %d users: warnings %q, want %q", test.c, test.users, got, test.want)
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
		if c.checkCurve() != nil || c.Key != "" && c.SignatureScheme != "hmac-sha256" {
			t.Errorf("accepted %+v", c)
		}
	})
}
