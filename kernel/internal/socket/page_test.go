package socket

import (
	"errors"
	"slices"
	"testing"
)

func TestPageExchangesMessagesInOrder(t *testing.T) {
	var sent []string
	sockets, page := NewPage(func(channel string, frames [][]byte) { sent = append(sent, channel+" "+string(frames[0])) })
	for _, text := range []string{"first", "second"} {
		if err := page.Deliver("shell", frames(text)); err != nil {
			t.Fatal(err)
		}
	}
	wantFrames(t, receive(t, sockets.Shell), "page", "first")
	wantFrames(t, receive(t, sockets.Shell), "page", "second")
	sockets.Subscribed(func(s Subscription) { s.Accept(frames("welcome")) })
	sockets.IOPub.Send(frames("status"))
	sockets.Shell.Send(frames("page", "reply"))
	if want := []string{"iopub welcome", "iopub status", "shell reply"}; !slices.Equal(sent, want) {
		t.Errorf("the page received %q, want %q", sent, want)
	}
}

func TestPageCannotSendOnOtherChannels(t *testing.T) {
	_, page := NewPage(func(string, [][]byte) {})
	for _, channel := range []string{"iopub", "nonsense"} {
		if err := page.Deliver(channel, frames("x")); err == nil {
			t.Errorf("channel %s took a message", channel)
		}
	}
}

func TestClosingASocketOfAPageEndsReceive(t *testing.T) {
	sockets, _ := NewPage(func(string, [][]byte) {})
	ended := make(chan error)
	go func() {
		_, err := sockets.Control.Receive()
		ended <- err
	}()
	sockets.Close()
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Errorf("Receive returned %v", err)
	}
	if err := sockets.Shell.Send(frames("page", "x")); !errors.Is(err, ErrClosed) {
		t.Errorf("Send returned %v", err)
	}
}
