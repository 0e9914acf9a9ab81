// Package connection reads the connection file, in which a launcher passes a kernel its ports and
// its signing key.
//
// The path of the file is the kernel's argument. The launcher has chosen the ports, and clients
// read the same file, so the kernel must use exactly these ports. Where no ports are known in
// advance, see package registration.
package connection

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"

	"gosphere/kernel/internal/curve"
)

// A Connection is the content of a connection file. Ports are TCP ports, or with ipc numbers that
// follow the path prefix. An empty Key disables signing. The curve keys are those of the kernel, in
// Z85; with them all sockets are encrypted.
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

// Exposed reports whether users other than the owner may read or change a file. Anyone who knows or
// can set the key in a connection file can run code as its owner. On Windows permissions are not
// those of Unix, and it returns false.
func Exposed(path string) bool {
	info, err := os.Stat(path)
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o066 != 0
}

// Warnings returns what the user should know about the connection of a kernel. users is the number
// of accounts of people on this machine, see Users.
func (c *Connection) Warnings(users int) []string {
	var warnings []string
	if c.Key == "" {
		warnings = append(warnings, "the key of the connection file is empty: messages are not signed, and every process that can reach the ports can run code as you")
	}
	if c.Transport != "tcp" || c.CurveSecretKey != "" {
		return warnings
	}
	const remedy = "use the transport ipc (c.KernelManager.transport = \"ipc\") or encryption (c.KernelManager.transport_encryption = \"required\")"
	ip := net.ParseIP(c.IP)
	switch loopback := c.IP == "localhost" || ip != nil && ip.IsLoopback(); {
	case !loopback:
		warnings = append(warnings, fmt.Sprintf("code and outputs are sent over %s without encryption; %s", c.IP, remedy))
	case users > 1:
		warnings = append(warnings, fmt.Sprintf("this machine has %d accounts, and each of them can read the code and outputs of this kernel at %s; %s", users, c.IP, remedy))
	}
	return warnings
}

// Users returns the number of accounts of people in the text of /etc/passwd: those with a user id
// from 1000 to 59999 that can log in, and this user.
func Users(passwd string, uid int) int {
	users := 1
	for line := range strings.Lines(passwd) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if len(fields) != 7 {
			continue
		}
		id, err := strconv.Atoi(fields[2])
		shell := fields[6]
		if err == nil && id >= 1000 && id < 60000 && id != uid && !strings.HasSuffix(shell, "nologin") && !strings.HasSuffix(shell, "false") {
			users++
		}
	}
	return users
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
// Jupyter, except the key, which must be present.
func Parse(text []byte) (*Connection, error) {
	c := &Connection{Transport: "tcp", IP: "127.0.0.1", SignatureScheme: "hmac-sha256"}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, err
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	var fields struct {
		Key *string `json:"key"`
	}
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	if fields.Key == nil {
		return nil, errors.New("the file has no key, so messages could not be checked; an empty key disables the check")
	}
	return c, nil
}

// Check returns an error if a kernel cannot use the connection. Its messages are for the user of a
// launcher, so they name the fields of the file.
func (c *Connection) Check() error {
	if err := c.checkCurve(); err != nil {
		return err
	}
	switch {
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

// checkCurve returns an error if the keys for encryption are not a pair. The errors do not contain
// the keys. Serving without encryption clients that expect it would expose the cells.
func (c *Connection) checkCurve() error {
	switch {
	case c.CurvePublicKey == "" && c.CurveSecretKey == "":
		return nil
	case c.CurveSecretKey == "":
		return errors.New("curve_publickey without curve_secretkey: the kernel needs both")
	}
	secret, err := curve.ParseKey(c.CurveSecretKey)
	if err != nil {
		return fmt.Errorf("curve_secretkey: %w", err)
	}
	public, err := curve.ParseKey(c.CurvePublicKey)
	if err != nil {
		return fmt.Errorf("curve_publickey: %w", err)
	}
	if secret.Public() != public {
		return errors.New("curve_publickey is not the public key of curve_secretkey")
	}
	return nil
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
