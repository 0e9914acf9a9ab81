package kernel

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gosphere/kernel/internal/connection"
	"gosphere/kernel/internal/socket"
	"gosphere/kernel/internal/wire"
)

func TestKernelTellsItsPortsToALauncherThatWaits(t *testing.T) {
	launcher, tellFolder := listenAsLauncher(t), t.TempDir()
	file := filepath.Join(tellFolder, "registration.json")
	text := fmt.Sprintf(`{"kernel_id":"k1","transport":"tcp","registration_ip":"127.0.0.1","registration_port":"%d","signature_scheme":"hmac-sha256","key":"secret"}`, launcher.port)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	where, r, err := readLauncherFile(file)
	if err != nil || r == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	sockets, err := socket.Listen(where)
	if err != nil {
		t.Fatal(err)
	}
	defer sockets.Close()
	unregister, err := register(r, &sockets.Bound, tellFolder)
	if err != nil {
		t.Fatal(err)
	}
	told := <-launcher.told
	written := filepath.Join(tellFolder, "kernel-k1.json")
	others, err := connection.Read(written)
	if err != nil || connection.Exposed(written) {
		t.Fatalf("the connection file for others: %v, readable by others: %v", err, connection.Exposed(written))
	}
	if fmt.Sprint(int(others.ShellPort)) != told["shell_port"] || others.HbPort != sockets.Bound.HbPort || others.Key != "secret" {
		t.Errorf("told %v, wrote %+v, want %+v", told, others, sockets.Bound)
	}
	unregister()
	if _, err := os.Stat(written); !os.IsNotExist(err) {
		t.Errorf("the file stays behind the kernel: %v", err)
	}
}

// A waiting launcher sends a receipt to the first kernel that reports its ports.
type waiting struct {
	port int
	told chan map[string]string
}

func listenAsLauncher(t *testing.T) waiting {
	t.Helper()
	sockets, err := socket.Listen(&connection.Connection{Transport: "tcp", IP: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	sockets.Authenticate(nil)
	t.Cleanup(func() { sockets.Close() })
	codec, err := wire.NewCodec("hmac-sha256", "secret")
	if err != nil {
		t.Fatal(err)
	}
	w := waiting{int(sockets.Bound.ShellPort), make(chan map[string]string, 1)}
	// This goroutine ends when the sockets are closed.
	go func() {
		frames, err := sockets.Shell.Receive()
		if err != nil {
			return
		}
		var told map[string]string
		if err := json.Unmarshal(frames[3], &told); err != nil {
			t.Error(err)
		}
		w.told <- told
		sockets.Shell.Send([][]byte{frames[0], wire.Delimiter, codec.Sign([]byte("ACK")), []byte("ACK")})
	}()
	return w
}
