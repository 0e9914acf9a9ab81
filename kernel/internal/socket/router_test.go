package socket

import (
	"net"
	"testing"
)

// The handshakes complete in both orders: the second time that of the younger connection is first.
func TestYoungestConnectionOfAnIdentityGetsTheReplies(t *testing.T) {
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		network := &pipeListener{waiting: make(chan net.Conn), done: make(chan struct{})}
		r := newRouter(network, limitation{bytes: maxMessage}, true)
		r.authenticate(nil)
		var clients []*dealer
		for range 2 {
			conn, err := network.dial()
			if err != nil {
				t.Fatal(err)
			}
			clients = append(clients, &dealer{peer: newPeer(conn)})
		}
		for _, i := range order {
			if err := clients[i].peer.handshakeAsClient("DEALER", "same", nil, "ROUTER"); err != nil {
				t.Fatal(err)
			}
			// A received message shows that the identity is registered as well.
			if err := clients[i].Send([][]byte{{byte(i)}}); err != nil {
				t.Fatal(err)
			}
			if frames, err := r.Receive(); err != nil || string(frames[0]) != "same" || frames[1][0] != byte(i) {
				t.Fatalf("received %q, %v", frames, err)
			}
		}
		if err := r.Send([][]byte{[]byte("same"), []byte("reply")}); err != nil {
			t.Fatal(err)
		}
		clients[0].peer.close() // what had been sent to the elder would be lost
		if frames, err := clients[1].Receive(); err != nil || string(frames[0]) != "reply" {
			t.Errorf("introduced in the order %v, the younger connection received %q, %v", order, frames, err)
		}
		clients[1].peer.close()
		r.Close()
	}
}
