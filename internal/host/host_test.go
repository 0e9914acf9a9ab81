package host_test

import (
	"testing"

	"gosphere/internal/host"
)

type greeter interface{ Greet() string }

type polite string

func (p polite) Greet() string { return string(p) }

func TestGoroutinesInheritTheHost(t *testing.T) {
	if _, ok := host.Of[greeter](); ok {
		t.Fatal("a host before any is entered")
	}
	leave := host.Enter(3, polite("good morning"), polite("hello"))
	greetings := make(chan string)
	go func() {
		g, _ := host.Of[greeter]()
		greetings <- g.Greet()
	}()
	if got := <-greetings; got != "good morning" {
		t.Errorf("the first greeter says %q", got)
	}
	if _, ok := host.Of[error](); ok {
		t.Error("an error is offered")
	}
	inner := host.Enter(polite("good night"))
	if g, _ := host.Of[greeter](); g.Greet() != "good night" {
		t.Error("the inner host is not asked")
	}
	inner()
	if g, ok := host.Of[greeter](); !ok || g.Greet() != "good morning" {
		t.Error("the outer host is not back")
	}
	leave()
	if _, ok := host.Of[greeter](); ok {
		t.Error("a host after it was left")
	}
}
