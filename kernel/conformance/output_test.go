//go:build linux || darwin

package conformance

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"gosphere/runtime/session"
)

// BenchmarkMillionLines prints a million lines in one cell, through the streams of a kernel that
// owns the process's descriptors, over tcp to a client that checks that all lines arrive in order.
// It reports the time from request to idle, and the CPU time used by the process, including the
// client.
//
//	go test ./kernel/conformance -run none -bench MillionLines -benchtime 3x
func BenchmarkMillionLines(b *testing.B) {
	const lines = 1_000_000
	k := startKernel(b)
	defer k.stop()
	k.language.LimitRate(session.DefaultRate)
	descriptors, err := k.language.CaptureDescriptors()
	if err != nil {
		b.Fatal(err)
	}
	defer descriptors.Release()
	c := join(b, k, "reader")
	defer c.leave()
	c.run("import \"fmt\"", "ok")
	var want strings.Builder
	for i := range lines {
		fmt.Fprintln(&want, "line", i)
	}
	var used, system time.Duration
	for b.Loop() {
		beforeUser, beforeSystem := processorTimes()
		status, shown := c.wait(c.cell(fmt.Sprintf("for i := range %d {\n\tfmt.Println(\"line\", i)\n}", lines)))
		user, kernel := processorTimes()
		used, system = used+user-beforeUser, system+kernel-beforeSystem
		if status != "ok" || shown != want.String() {
			b.Fatalf("status %s, %d bytes of %d, or in another order", status, len(shown), want.Len())
		}
	}
	b.ReportMetric(used.Seconds()/float64(b.N), "user-s/op")
	b.ReportMetric(system.Seconds()/float64(b.N), "system-s/op")
}

// BenchmarkPicture shows a picture of 10 MB in a cell, over tcp to a client that checks its
// signature and parses its JSON. It reports the same as BenchmarkMillionLines.
//
//	go test ./kernel/conformance -run none -bench Picture -benchtime 10x
func BenchmarkPicture(b *testing.B) {
	k := startKernel(b)
	defer k.stop()
	c := join(b, k, "reader")
	defer c.leave()
	c.run("import \"bytes\"\npicture := bytes.Repeat([]byte(\"0123456789abcdef\"), 10<<16)", "ok")
	beforeUser, beforeSystem := processorTimes()
	for b.Loop() {
		c.expect("display.PNG(picture)", "ok", "+image/png")
	}
	user, system := processorTimes()
	b.ReportMetric((user-beforeUser).Seconds()/float64(b.N), "user-s/op")
	b.ReportMetric((system-beforeSystem).Seconds()/float64(b.N), "system-s/op")
}

// processorTimes returns the CPU time used by the process, in user mode and in the operating system
// on its behalf.
func processorTimes() (user, system time.Duration) {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano()), time.Duration(used.Stime.Nano())
}
