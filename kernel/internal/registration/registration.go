// Package registration implements the kernel's side of the start-up handshake (JEP 66). The
// launcher passes an address instead of ports to listen on. The kernel listens on ports chosen by
// the system and reports them to that address, so that no other program can take a port in between.
//
//	r, err := registration.Parse(text)
//	sockets, err := socket.Listen(r.Connection())
//	err = registration.Announce(r, &sockets.Bound, registration.Patience)
//	path, err := registration.WriteConnectionFile(folder, r, &sockets.Bound)
//
// In the ordinary start the launcher chooses free ports, closes them again and writes them to a
// connection file. Another program can take one before the kernel listens on it.
package registration

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"gosphere/internal/lazyregexp"
	"gosphere/kernel/internal/connection"
	"gosphere/kernel/internal/socket"
	"gosphere/kernel/internal/wire"
)

// A Registration is the content of a registration file. It has the fields of a connection file
// except the ports, and the address of the launcher.
type Registration struct {
	KernelID        string          `json:"kernel_id"`
	Transport       string          `json:"transport"`       // "tcp" or "ipc"
	IP              string          `json:"ip"`              // address on which the kernel listens; RegistrationIP if empty
	RegistrationIP  string          `json:"registration_ip"` // address of the launcher, or its path prefix for ipc
	Port            connection.Port `json:"registration_port"`
	SignatureScheme string          `json:"signature_scheme"`
	Key             string          `json:"key"`
	KernelName      string          `json:"kernel_name"`

	CurvePublicKey string `json:"curve_publickey"`
	CurveSecretKey string `json:"curve_secretkey"`
}

// Patience is how long a kernel waits for the launcher before it gives up.
const Patience = 5 * time.Second

// IsRegistration reports whether a text is that of a registration file, rather than a connection
// file. The launcher passes either by the same argument, so the content decides.
func IsRegistration(text []byte) bool {
	var file struct {
		Port json.RawMessage `json:"registration_port"`
	}
	return json.Unmarshal(text, &file) == nil && len(file.Port) > 0
}

// idForm matches kernel ids, which become part of a file name. Their length is checked separately
// against longestID: counting would make the expression slow to compile, at every start of the
// program.
var idForm = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

const longestID = 200

// Parse parses and checks the text of a registration file. The kernel and the launcher may be on
// different machines, so there are two addresses, each with the other as its default.
func Parse(text []byte) (*Registration, error) {
	r := &Registration{Transport: "tcp", SignatureScheme: "hmac-sha256"}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, err
	}
	if r.IP == "" {
		r.IP = r.RegistrationIP
	}
	if r.IP == "" && r.Transport == "tcp" {
		r.IP = "127.0.0.1"
	}
	if r.RegistrationIP == "" {
		r.RegistrationIP = r.IP
	}
	switch {
	case r.CurvePublicKey != "" || r.CurveSecretKey != "":
		return nil, errors.New("the registration handshake does not define encryption; set the launcher's transport_encryption to disabled")
	case r.Port == 0:
		return nil, errors.New("registration_port is 0: no launcher listens for the ports")
	case len(r.KernelID) > longestID || !idForm.MatchString(r.KernelID):
		return nil, fmt.Errorf("kernel_id %q is not made of letters, digits, dots and dashes", r.KernelID)
	}
	launcher := r.Connection()
	launcher.IP = r.RegistrationIP
	if err := errors.Join(r.Connection().Check(), launcher.Check()); err != nil {
		return nil, err
	}
	return r, nil
}

// Connection returns the addresses to listen on, with ports chosen by the system. Ports of 0 let
// the system choose.
func (r *Registration) Connection() *connection.Connection {
	return &connection.Connection{
		Transport: r.Transport, IP: r.IP, SignatureScheme: r.SignatureScheme, Key: r.Key, KernelName: r.KernelName,
	}
}

// ports are the ports reported to the launcher. They are strings (JEP 106). The connection file
// that WriteConnectionFile writes has the same fields without the id. For instance
// {"kernel_id":"a1","shell_port":"41001","control_port":"41002",...}.
type ports struct {
	KernelID    string `json:"kernel_id,omitempty"`
	ShellPort   string `json:"shell_port"`
	ControlPort string `json:"control_port"`
	StdinPort   string `json:"stdin_port"`
	IopubPort   string `json:"iopub_port"`
	HbPort      string `json:"hb_port"`
}

// portsOf returns the ports of a connection as text.
func portsOf(bound *connection.Connection) ports {
	text := func(p connection.Port) string { return strconv.Itoa(int(p)) }
	return ports{
		ShellPort: text(bound.ShellPort), ControlPort: text(bound.ControlPort), StdinPort: text(bound.StdinPort),
		IopubPort: text(bound.IopubPort), HbPort: text(bound.HbPort),
	}
}

// Announce sends the ports to the launcher and waits for its signed receipt. Neither message is a
// protocol message: each consists of the delimiter, a signature, and the signed text. The sockets
// must listen already, because the launcher may connect as soon as it has the ports. The launcher's
// receipt proves that it has the key: without it the kernel must not start, since another program
// may be listening at the address. A launcher that ends without a receipt is noticed at once,
// because the connection ends.
func Announce(r *Registration, bound *connection.Connection, patience time.Duration) error {
	codec, err := wire.NewCodec(r.SignatureScheme, r.Key)
	if err != nil {
		return err
	}
	at := connection.Connection{Transport: r.Transport, IP: r.RegistrationIP}
	launcher, err := socket.DialOne(&at, r.Port, r.KernelID)
	if err != nil {
		return fmt.Errorf("registration: the launcher at %s: %w", at.Endpoint(r.Port), err)
	}
	defer launcher.Close()
	ports := portsOf(bound)
	ports.KernelID = r.KernelID
	text, err := json.Marshal(ports)
	if err != nil {
		return err
	}
	if err := launcher.Send([][]byte{wire.Delimiter, codec.Sign(text), text}); err != nil {
		return fmt.Errorf("registration: %w", err)
	}
	receipt := make(chan error, 1)
	// This goroutine waits for the receipt. It ends when it arrives or the connection is closed.
	go func() {
		frames, err := launcher.Receive()
		if err != nil {
			err = errors.New("registration: the launcher has hung up without a receipt")
		} else {
			err = checkReceipt(codec, frames)
		}
		receipt <- err
	}()
	select {
	case err := <-receipt:
		return err
	case <-time.After(patience):
		return fmt.Errorf("registration: no receipt from %s within %v", at.Endpoint(r.Port), patience)
	}
}

// checkReceipt verifies the answer of the launcher. Routing identities may precede the delimiter.
// The text of the receipt is not interpreted.
func checkReceipt(codec *wire.Codec, frames [][]byte) error {
	for i, frame := range frames {
		if !bytes.Equal(frame, wire.Delimiter) {
			continue
		}
		if rest := frames[i+1:]; len(rest) >= 2 {
			return codec.Verify(rest[0], rest[1:]...)
		}
	}
	return fmt.Errorf("registration: a receipt of %d frames without signature and text", len(frames))
}

// WriteConnectionFile writes a connection file to the folder, so that other clients can connect,
// and returns its path. Only its owner may read it. It writes a temporary file and renames it, so
// that a client never reads half a file. The IP is the one that the kernel listens on. It is
// kernel-ID.json, as jupyter_client names its own.
func WriteConnectionFile(folder string, r *Registration, bound *connection.Connection) (path string, err error) {
	text, err := json.MarshalIndent(struct {
		ports
		Transport       string `json:"transport"`
		IP              string `json:"ip"`
		SignatureScheme string `json:"signature_scheme"`
		Key             string `json:"key"`
		KernelName      string `json:"kernel_name"`
	}{portsOf(bound), bound.Transport, bound.IP, r.SignatureScheme, r.Key, r.KernelName}, "", "  ")
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder, "kernel-"+r.KernelID+".json")
	made, err := os.CreateTemp(folder, ".kernel-*") // readable only by its owner
	if err != nil {
		return "", err
	}
	_, err = made.Write(text)
	if err = errors.Join(err, made.Close()); err == nil {
		err = os.Rename(made.Name(), path)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(made.Name()))
	}
	return path, nil
}
