// Package connection reads the connection file, in which a launcher passes a kernel its ports and
// its signing key.
//
// The path of the file is the kernel's argument. The launcher has chosen the ports, and clients
// read the same file, so the kernel must use exactly these ports. Where no ports are known in
// advance, see package registration.
package connection

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// A Connection is the content of a connection file. Ports are TCP ports, or with ipc numbers that
// follow the path prefix. An empty Key disables signing. The curve keys are read only to be
// refused: serving plain text to clients that expect encryption would expose the cells.
type Connection struct {
	Transport       string `json:"transport"` // "tcp" or "ipc"
	IP              string `json:"ip"`        // address, or path prefix for ipc
	ShellPort       Port   `json:"shell_port"`
	IopubPort       Port   `json:"iopub_port"`
	StdinPort       Port   `json:"stdin_port"`
	ControlPort     Port   `json:"control_port"`
	HbPort          Port   `json:"hb_port"`
	SignatureScheme string `json:"signature_scheme"`
	Key             string `json:"key"`
	KernelName      string `json:"kernel_name"`

	CurvePublicKey string `json:"curve_publickey"`
	CurveSecretKey string `json:"curve_secretkey"`
}

// A Port is a port number. Files may contain it as a number or a string. JEP 106 allows strings.
type Port int

// UnmarshalJSON decodes a number or a string that contains one. The limit is that of TCP; numbers
// of ipc are small.
func (p *Port) UnmarshalJSON(raw []byte) error {
	text := strings.Trim(string(raw), `"`)
	number, err := strconv.Atoi(text)
	if err != nil || number < 0 || number > 65535 {
		return fmt.Errorf("port %s is not a number from 0 to 65535", raw)
	}
	*p = Port(number)
	return nil
}

// Exposed reports whether users other than the owner may read a file. Anyone who can read the key
// in a connection file can run code as its owner. On Windows permissions are not those of Unix, and
// it returns false.
func Exposed(path string) bool {
	info, err := os.Stat(path)
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o044 != 0
}

// Read reads and checks the connection file at path.
func Read(path string) (*Connection, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("connection: %w", err)
	}
	c, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("connection: %s: %w", path, err)
	}
	return c, nil
}

// Parse parses and checks the text of a connection file. Absent fields have the defaults of
// Jupyter.
func Parse(text []byte) (*Connection, error) {
	c := &Connection{Transport: "tcp", IP: "127.0.0.1", SignatureScheme: "hmac-sha256"}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, err
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	return c, nil
}

// Check returns an error if a kernel cannot use the connection. Its messages are for the user of a
// launcher, so they name the fields of the file.
func (c *Connection) Check() error {
	switch {
	case c.CurvePublicKey != "" || c.CurveSecretKey != "":
		return fmt.Errorf("the file asks for curve encryption, which this kernel does not have; set the launcher's transport_encryption to disabled")
	case c.Transport != "tcp" && c.Transport != "ipc":
		return fmt.Errorf("transport %q is neither tcp nor ipc", c.Transport)
	case c.Transport == "tcp" && net.ParseIP(c.IP) == nil && c.IP != "localhost":
		return fmt.Errorf("ip %q is not an address", c.IP)
	case c.Transport == "ipc" && c.IP == "":
		return fmt.Errorf("ipc without a path prefix in ip")
	case c.Key != "" && c.SignatureScheme != "hmac-sha256":
		return fmt.Errorf("signature scheme %q is not supported, want hmac-sha256", c.SignatureScheme)
	}
	return c.checkPorts()
}

// checkPorts returns an error if two channels have the same port. Port 0 lets the system choose.
func (c *Connection) checkPorts() error {
	seen := map[Port]string{}
	for _, channel := range []struct {
		name string
		port Port
	}{{"shell", c.ShellPort}, {"iopub", c.IopubPort}, {"stdin", c.StdinPort}, {"control", c.ControlPort}, {"hb", c.HbPort}} {
		if other, taken := seen[channel.port]; taken && channel.port != 0 {
			return fmt.Errorf("%s_port and %s_port are both %d", other, channel.name, channel.port)
		}
		seen[channel.port] = channel.name
	}
	return nil
}

// Endpoint returns the ZeroMQ address of a port. It only serves messages: package socket opens
// connections by the fields.
func (c *Connection) Endpoint(port Port) string {
	if c.Transport == "ipc" {
		return fmt.Sprintf("ipc://%s-%d", c.IP, port)
	}
	return fmt.Sprintf("tcp://%s", net.JoinHostPort(c.IP, strconv.Itoa(int(port))))
}
