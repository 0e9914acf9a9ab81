package conformance

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/history/disk"
	"gosphere/kernel/internal/connection"
	"gosphere/kernel/internal/server"
	"gosphere/kernel/internal/socket"
	"gosphere/kernel/internal/wire"
	"gosphere/plotting/figure"
	"gosphere/runtime/session"
)

var (
	soakCells  = flag.Int("soak", 400, "how many cells the soak runs; make soak runs 100,000")
	soakFigure = flag.String("soak-figure", "", "file to which the soak draws its growth (.png, .svg or .pdf)")
)

const (
	key      = "soak"
	deadline = 2 * time.Minute // for one reply; a stuck subscriber costs all others 15 s
	visitors = 10              // clients that join and leave
)

// kernelUnderTest is a kernel in this process, so that its memory and goroutines can be observed.
type kernelUnderTest struct {
	bound    connection.Connection
	language *session.Session
	past     *disk.Log
	stop     func()
}

func startKernel(t testing.TB) *kernelUnderTest {
	t.Helper()
	language := sessiontest.New(t)
	sockets, err := socket.Listen(&connection.Connection{Transport: "tcp", IP: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	codec, err := wire.NewCodec("hmac-sha256", key)
	if err != nil {
		t.Fatal(err)
	}
	k := &kernelUnderTest{bound: sockets.Bound, language: language, past: disk.New(disk.Options{Path: t.TempDir() + "/history.sqlite", Patience: deadline})}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		server.New(server.Options{Sockets: sockets, Codec: codec, Interpreter: language, History: k.past, Version: "0"}).Serve(ctx)
	}()
	k.stop = func() {
		cancel()
		<-ended
		k.past.Close(deadline)
	}
	return k
}

// heap returns the bytes in use after a garbage collection.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the first collection only starts to release memory
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// filling is the size of the bounded tables when they are full, which all are after filled cells:
// the replay signatures, the history in memory, the texts for %save. A soak of 100,000 cells is
// measured with full tables.
const (
	filling = 5 << 20
	filled  = 15_000
)

// The queue of the subscriber that never reads takes the outputs of each cell until it is full.
const (
	queued      = 18 << 10 // bytes of outputs of a cell, on average
	queueFilled = 3000     // cells after which it is full
)

func TestASoakLeavesNothingBehind(t *testing.T) {
	if testing.Short() && *soakCells > 1000 {
		t.Skip("long")
	}
	k := startKernel(t)
	stuck, err := socket.Dial(&k.bound, "stuck") // subscribes and never reads
	if err != nil {
		t.Fatal(err)
	}
	runner := join(t, k, "runner")
	flood := startFlood(t, k)
	var visiting sync.WaitGroup
	free := make(chan int, visitors)
	for i := range visitors {
		free <- i
	}
	runner.run("import (\"fmt\"; \"sync\"; \"time\")\nvar x, total int\nfunc twice(n int) int { return 2 * n }\nvar wait sync.WaitGroup\n_ = time.Now()", "ok")
	var early uint64
	var grown growth
	began := time.Now()
	for i := range *soakCells {
		runner.soakCell(i)
		if *soakFigure != "" && i%(max(1, *soakCells/samples)) == 0 {
			grown.sample(i)
		}
		if i == *soakCells/5 {
			visiting.Wait() // connections have buffers
			early = heap()
		}
		flood.batches <- struct{}{}
		if i%10 != 0 {
			continue
		}
		select {
		case name := <-free:
			visiting.Go(func() {
				defer func() { free <- name }()
				visit(t, k, fmt.Sprint("visitor", name, "-", i))
			})
		default: // all are visiting
		}
		if t.Failed() {
			break
		}
	}
	took := time.Since(began)
	visiting.Wait()
	late := heap()
	t.Logf("%d cells in %v, %d requests of the flood, heap %.1f MB after a fifth, %.1f MB at the end",
		*soakCells, took.Round(time.Millisecond), flood.stop(), float64(early)/(1<<20), float64(late)/(1<<20))
	allowed := early + early/5 + uint64(filling*max(0, filled-*soakCells/5)/filled)
	allowed += queued * uint64(max(0, min(queueFilled, *soakCells)-*soakCells/5))
	if late > allowed {
		t.Errorf("the heap has grown from %d to %d bytes", early, late)
	}
	if *soakFigure != "" {
		grown.sample(*soakCells)
		if err := grown.draw(*soakFigure); err != nil {
			t.Error(err)
		}
	}
	runner.leave()
	stuck.Close()
	k.stop()
	checkNothingRuns(t)
}

// samples is the number of samples of a growth.
const samples = 100

// A growth holds samples of the process during a soak, which includes the test's own clients.
type growth struct {
	cells, heap, resident, goroutines []float64
}

// sample adds the state of the process after a number of cells.
func (g *growth) sample(cells int) {
	g.cells = append(g.cells, float64(cells))
	g.heap = append(g.heap, float64(heap())/(1<<20))
	g.resident = append(g.resident, resident(os.Getpid())["VmRSS"])
	g.goroutines = append(g.goroutines, float64(runtime.NumGoroutine()))
}

// draw draws the samples to a file.
func (g *growth) draw(path string) error {
	memory := figure.Lines("cells", "MB", figure.Series{Name: "resident", X: g.cells, Values: g.resident},
		figure.Series{Name: "heap after a collection", X: g.cells, Values: g.heap})
	running := figure.Lines("cells", "goroutines", figure.Series{X: g.cells, Values: g.goroutines})
	return figure.Panels(2, memory, running).Save(path)
}

// checkNothingRuns fails if goroutines of the kernel or of its cells remain.
func checkNothingRuns(t *testing.T) {
	t.Helper()
	var left []string
	for end := time.Now().Add(deadline); time.Now().Before(end); runtime.Gosched() {
		stacks := make([]byte, 8<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		left = slices.DeleteFunc(strings.Split(string(stacks), "\n\n"), func(stack string) bool {
			return strings.Contains(stack, "testing.tRunner") ||
				!strings.Contains(stack, "gosphere/") && !strings.Contains(stack, "yaegi") && !strings.Contains(stack, "sqlite")
		})
		if len(left) == 0 {
			return
		}
	}
	t.Errorf("%d goroutines stay, the first:\n%s", len(left), left[0])
}

// soakCell runs one of several kinds of cells and checks all its messages.
func (c *client) soakCell(i int) {
	switch i % 10 {
	case 0:
		c.expect(fmt.Sprintf("fmt.Println(\"cell\", %d)", i), "ok", fmt.Sprintf("cell %d\n", i))
	case 1:
		c.expect(fmt.Sprintf("%d + 1", i), "ok", fmt.Sprint("=", i+1))
	case 2:
		c.expect(fmt.Sprintf("x = %d\ntotal += x\nx", i), "ok", fmt.Sprint("=", i))
	case 3:
		c.expect("for i := range 100 {\n\tfmt.Println(i)\n}", "ok", numbers(100))
	case 4:
		c.expect(fmt.Sprintf("wait.Add(4)\nfor range 4 {\n\tgo func() { defer wait.Done(); fmt.Print(%d, \" \") }()\n}\nwait.Wait()", i), "ok",
			strings.Repeat(fmt.Sprint(i, " "), 4))
	case 5:
		c.expect(fmt.Sprintf("fmt.Print(\"before\")\npanic(%d)", i), "error", "before!panic")
	case 6:
		c.expect(fmt.Sprintf("twice(%d)", i), "ok", fmt.Sprint("=", 2*i))
	case 7:
		c.expect("undefined + 1", "error", "!compile error")
	case 8:
		c.expect(fmt.Sprintf("display.HTML(\"<b>%d</b>\")", i), "ok", "+text/html")
	case 9:
		// Its output follows its idle; the watcher identifies it by the parent.
		c.run(fmt.Sprintf("go func() { time.Sleep(time.Millisecond); fmt.Print(\"late %d\") }()", i), "ok")
	}
}

func numbers(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintln(&text, i)
	}
	return text.String()
}

// visit is the visit of one client: it connects, sends a few requests, runs a cell and disconnects.
func visit(t *testing.T, k *kernelUnderTest, name string) {
	c := join(t, k, name)
	defer c.leave()
	for _, request := range [][2]string{
		{"kernel_info_request", `{}`},
		{"complete_request", `{"code":"fmt.Pri","cursor_pos":7}`},
		{"inspect_request", `{"code":"twice","cursor_pos":5,"detail_level":0}`},
		{"history_request", `{"hist_access_type":"tail","n":5,"output":false,"raw":true}`},
	} {
		if status := c.ask(request[0], request[1]); status != "ok" {
			t.Errorf("%s: %s has the status %s", name, request[0], status)
		}
	}
	c.expect("twice(21)", "ok", "=42")
}

// A flood is a client that sends batches of requests, and of unsigned messages, concurrently with
// the cells. It stays a few batches ahead, so that cells always run concurrently with it.
type flood struct {
	batches chan struct{}
	done    chan int
}

// batch is the number of requests per batch, and of forged messages.
const batch = 8

func startFlood(t *testing.T, k *kernelUnderTest) *flood {
	c := join(t, k, "flood")
	f := &flood{batches: make(chan struct{}, 4), done: make(chan int)}
	go func() {
		answered := 0
		defer func() { c.leave(); f.done <- answered }()
		for range f.batches {
			var ids []string
			for range batch {
				ids = append(ids, c.send("is_complete_request", `{"code":"for {"}`))
				c.sockets.Shell.Send([][]byte{wire.Delimiter, []byte("forged"), []byte("{}"), []byte("{}"), []byte("{}"), []byte("{}")})
			}
			for _, id := range ids {
				if got := c.reply(id); got != "incomplete" {
					t.Errorf("the flood got %q", got)
				}
				answered++
			}
		}
	}()
	return f
}

// stop ends the flood and returns how many of its requests were answered.
func (f *flood) stop() int {
	close(f.batches)
	return <-f.done
}

func TestClientsComeBackUnderTheirOldIdentity(t *testing.T) {
	k := startKernel(t)
	defer k.stop()
	// The old connection stays open silently, as after a network failure.
	for range 5 {
		old, err := socket.Dial(&k.bound, "same")
		if err != nil {
			t.Fatal(err)
		}
		defer old.Close()
	}
	c := join(t, k, "same")
	c.expect("20 + 1", "ok", "=21")
	c.leave()
	again := join(t, k, "same")
	again.expect("21 * 2", "ok", "=42")
	again.leave()
}

func TestTheKernelListensOnItsAddressAlone(t *testing.T) {
	k := startKernel(t)
	defer k.stop()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		address, ok := a.(*net.IPNet)
		if !ok || address.IP.IsLoopback() || address.IP.IsLinkLocalUnicast() {
			continue
		}
		for _, port := range []connection.Port{k.bound.ShellPort, k.bound.IopubPort, k.bound.ControlPort, k.bound.StdinPort, k.bound.HbPort} {
			conn, err := net.DialTimeout("tcp", net.JoinHostPort(address.IP.String(), fmt.Sprint(int(port))), time.Second)
			if err == nil {
				conn.Close()
				t.Errorf("%s is open at port %d", address.IP, port)
			}
		}
	}
}

// content holds the fields of a message that the checks need.
type content struct {
	State  string                     `json:"execution_state"`
	Status string                     `json:"status"`
	Text   string                     `json:"text"`
	Name   string                     `json:"ename"`
	Data   map[string]json.RawMessage `json:"data"`
}
