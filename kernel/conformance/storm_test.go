package conformance

import (
	"fmt"
	"strings"
	"testing"
)

// storms is the number of cells interrupted somewhere between their arrival and their end.
const storms = 100

func TestInterruptsAtAnyMomentLeaveWholeTranscriptsAndTheState(t *testing.T) {
	k := startKernel(t)
	defer k.stop()
	c := join(t, k, "stormy")
	defer c.leave()
	c.run("kept := 41", "ok")
	for i := range storms {
		code, whole := fmt.Sprintf("y%d := %d\ny%d", i%3, i, i%3), fmt.Sprint("=", i)
		if i%2 == 1 { // one that cannot end otherwise
			code, whole = fmt.Sprintf("y%d = 0\nfor {\n\ty%d++\n}", i%3, i%3), ""
		}
		if i < 3 {
			c.run(fmt.Sprintf("y%d := 0", i), "ok")
		}
		cell := c.cell(code)
		var interrupts []string
		for range i % 7 {
			interrupts = append(interrupts, c.send("interrupt_request", "{}"))
		}
		for _, id := range interrupts {
			if status := c.reply(id); status != "ok" {
				t.Errorf("an interrupt has the status %s", status)
			}
		}
		if whole == "" { // those before may all have come too early
			c.interruptUntilOver(cell)
		}
		status, shown := c.wait(cell)
		if !(status == "ok" && shown == whole && whole != "") && !(status == "error" && shown == "!KeyboardInterrupt") {
			t.Errorf("cell %d with %d interrupts: status %s, showed %q", i, len(interrupts), status, shown)
		}
	}
	c.expect("kept + 1", "ok", "=42")
}

// interruptUntilOver sends interrupts, each after the reply to the previous one, until a cell has
// ended.
func (c *client) interruptUntilOver(cell string) {
	for {
		c.ask("interrupt_request", "{}")
		c.mu.Lock()
		_, idle := c.over[cell]
		gone := c.gone
		c.mu.Unlock()
		if idle || gone {
			return
		}
	}
}

func TestThousandsOfOutputsOfOneCellComeInOrder(t *testing.T) {
	const outputs = 10_000
	k := startKernel(t)
	defer k.stop()
	c := join(t, k, "reader")
	defer c.leave()
	var want strings.Builder
	for i := range outputs / 2 {
		fmt.Fprintf(&want, "+text/html%d\n", i)
	}
	c.expect(fmt.Sprintf("for i := range %d {\n\tdisplay.HTML(\"<b>x</b>\")\n\tfmt.Println(i)\n}", outputs/2), "ok", want.String())
}

func TestLargeOutputsComeWholeBesideSmallOnes(t *testing.T) {
	const size = 20 << 20
	k := startKernel(t)
	defer k.stop()
	c := join(t, k, "reader")
	defer c.leave()
	c.expect(fmt.Sprintf("fmt.Print(\"a\", strings.Repeat(\"x\", %d), \"b\")\ndisplay.HTML(strings.Repeat(\"y\", %d))\nfmt.Print(\"c\")", size, size), "ok",
		"a"+strings.Repeat("x", size)+"b+text/htmlc")
}
