//go:build !windows

package kernel

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

func TestKernelEndsWithItsLauncher(t *testing.T) {
	launcher := exec.Command(os.Args[0], "-test.run=TestLauncherThatWaits")
	launcher.Env = append(os.Environ(), "GOSPHERE_TEST_LAUNCHER=1")
	input, err := launcher.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := launcher.Start(); err != nil {
		t.Fatal(err)
	}
	t.Setenv("JPY_PARENT_PID", strconv.Itoa(launcher.Process.Pid))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	gone := launcherGone()
	go cancelWhen(ctx, gone, cancel, time.Millisecond)
	if gone() || ctx.Err() != nil {
		t.Error("the launcher lives, but was taken for dead")
	}
	input.Close()
	launcher.Wait()
	select {
	case <-ctx.Done():
	case <-time.After(2 * time.Minute):
		t.Error("the kernel goes on without its launcher")
	}
}

// TestLauncherThatWaits is the launcher process of the test above: it runs until its input ends.
func TestLauncherThatWaits(t *testing.T) {
	if os.Getenv("GOSPHERE_TEST_LAUNCHER") == "" {
		t.Skip("only as a process of its own")
	}
	os.Stdin.Read(make([]byte, 1))
}

func TestKernelStartedByHandStays(t *testing.T) {
	for _, value := range []string{"", "1", "0", "not a number"} {
		t.Setenv("JPY_PARENT_PID", value)
		ctx, cancel := context.WithCancel(context.Background())
		endWithLauncher(ctx, cancel, time.Millisecond) // returns at once
		if ctx.Err() != nil {
			t.Errorf("JPY_PARENT_PID %q ended the kernel", value)
		}
		cancel()
	}
}
