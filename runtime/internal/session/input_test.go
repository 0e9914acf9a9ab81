package session

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"gosphere/kernel/protocol"
)

// A user answers the questions of a session with lines, in order, and records the prompts. After
// the last answer, questions have no answer.
type user struct {
	mu      sync.Mutex
	answers []string
	asked   []string
}

var errAway = errors.New("the user is away")

func (u *user) ask(prompt string, password bool) (string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if password {
		prompt = "secret:" + prompt
	}
	u.asked = append(u.asked, prompt)
	if len(u.answers) == 0 {
		return "", errAway
	}
	answer := u.answers[0]
	u.answers = u.answers[1:]
	return answer, nil
}

// printing runs a cell and returns what it printed.
func printing(s *Session, code string) (string, protocol.ExecuteReply) {
	var mu sync.Mutex
	var out strings.Builder
	reply := execute(s, code, func(content protocol.Content) {
		mu.Lock()
		defer mu.Unlock()
		if stream, ok := content.(protocol.Stream); ok {
			out.WriteString(stream.Text)
		}
	})
	mu.Lock()
	defer mu.Unlock()
	return out.String(), reply
}

func TestEveryWayToReadAsksTheUser(t *testing.T) {
	for name, c := range map[string]struct {
		code, answers, prompts, want string // answers and prompts separated by |
	}{
		"Scan":           {`var n int; fmt.Print("how many? "); c, err := fmt.Scan(&n); fmt.Print(n, c, err)`, "42", "how many? ", "how many? 42 1 <nil>"},
		"Scan twice":     {`var a, b int; fmt.Scan(&a); fmt.Scan(&b); fmt.Print(a + b)`, "1|2", "|", "3"},
		"Scan two words": {`var a, b string; fmt.Scan(&a, &b); fmt.Print(a, "+", b)`, "x|y", "|", "x+y"},
		"one answer":     {`var a, b int; fmt.Scan(&a); fmt.Scan(&b); fmt.Print(a + b)`, "1 2", "", "3"},
		"Scanln":         {`var a int; var b string; c, err := fmt.Scanln(&a, &b); fmt.Print(a, b, c, err)`, "7 x", "", "7x2 <nil>"},
		"Scanln empty":   {`var a string; fmt.Print("? "); _, err := fmt.Scanln(&a); fmt.Print(err)`, "", "? ", "? unexpected newline"},
		"Scanf":          {`var a, b int; c, err := fmt.Scanf("%d-%d\n", &a, &b); fmt.Print(a, b, c, err)`, "3-4", "", "3 4 2 <nil>"},
		"Fscan":          {`var f float64; fmt.Fscan(os.Stdin, &f); fmt.Print(f)`, "2.5", "", "2.5"},
		"Fscanln":        {`var s string; fmt.Fscanln(os.Stdin, &s); fmt.Print(s)`, "x", "", "x"},
		"Fscanf":         {`var x int; fmt.Fscanf(os.Stdin, "0x%x", &x); fmt.Print(x)`, "0xff", "", "255"},
		"own type":       {`type Celsius float64; type T struct{ C Celsius }; var t T; fmt.Scan(&t.C); fmt.Print(t.C + 1)`, "20.5", "", "21.5"},
		"reader":         {`r := bufio.NewReader(os.Stdin); fmt.Print("who? "); s, err := r.ReadString('\n'); fmt.Printf("%q %v", s, err)`, "Bob é", "who? ", `who? "Bob é\n" <nil>`},
		"defaults": {`r := bufio.NewReader(os.Stdin); for range 2 { fmt.Print("? "); s, err := r.ReadString('\n'); fmt.Printf("%q %v\n", s, err) }`,
			"|", "? |? ", "? \"\\n\" <nil>\n? \"\\n\" <nil>\n"},
		"scanner": {`in := bufio.NewScanner(os.Stdin); for in.Scan() { fmt.Println(strings.ToUpper(in.Text())) }; fmt.Print(in.Err())`,
			"a|b c|", "||", "A\nB C\n<nil>"},
		"scanner, Ctrl-D":   {`in := bufio.NewScanner(os.Stdin); fmt.Print("> "); for in.Scan() { fmt.Print(in.Text(), "> ") }`, "a||\x04", "> |a> |> ", "> a> > "},
		"all":               {`b, err := io.ReadAll(os.Stdin); fmt.Printf("%q %v", b, err)`, "a|b|", "||", `"a\nb\n" <nil>`},
		"direct":            {`b := make([]byte, 2); n, err := os.Stdin.Read(b); m, _ := os.Stdin.Read(b[1:]); fmt.Print(string(b), n, m, err)`, "hey", "", "hy2 1 <nil>"},
		"interface":         {`var r io.Reader = os.Stdin; b := make([]byte, 9); n, _ := r.Read(b); fmt.Printf("%q", b[:n])`, "x", "", `"x\n"`},
		"any":               {`var v any = os.Stdin; s := bufio.NewScanner(v.(io.Reader)); s.Scan(); fmt.Print(s.Text())`, "x", "", "x"},
		"json":              {`var v map[string]int; err := json.NewDecoder(os.Stdin).Decode(&v); fmt.Print(v, err)`, `{"a": 1}`, "", "map[a:1] <nil>"},
		"goroutine":         {`c := make(chan string); go func() { var s string; fmt.Scan(&s); c <- s }(); fmt.Print(<-c)`, "x", "", "x"},
		"Prompt":            {`s, err := display.Prompt("name: "); fmt.Printf("%q %v", s, err)`, "Bob", "name: ", `"Bob" <nil>`},
		"Password":          {`s, err := display.Password("key: "); fmt.Printf("%q %v", s, err)`, "x y", "secret:key: ", `"x y" <nil>`},
		"line of the last":  {`fmt.Println("Hello"); fmt.Print("a"); fmt.Print("\rb? "); var s string; fmt.Scanln(&s)`, "x", "b? ", "Hello\na\rb? "},
		"stderr not asked":  {`fmt.Print("out? "); fmt.Fprint(os.Stderr, "err? "); var s string; fmt.Scanln(&s)`, "x", "out? ", "out? err? "},
		"own file":          {`old := os.Stdin; r, w, _ := os.Pipe(); os.Stdin = r; w.WriteString("piped"); w.Close(); b, _ := io.ReadAll(os.Stdin); os.Stdin = old; fmt.Print(string(b))`, "-", "-", "piped"},
		"child process":     {`c := exec.Command("cat"); c.Stdin = os.Stdin; b, err := c.Output(); fmt.Printf("%q %v", b, err)`, "-", "-", `"" <nil>`},
		"methods of a file": {`_, err := os.Stdin.Stat(); fmt.Print(os.Stdin.Name(), err)`, "-", "-", "/dev/stdin<nil>"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestSession(t)
			u := &user{}
			if c.answers != "-" {
				u.answers = strings.Split(c.answers, "|")
			}
			s.BindInput(u.ask)
			out, reply := printing(s, c.code)
			if reply.Status != "ok" || out != c.want {
				t.Errorf("printed %q, want %q; %s %s", out, c.want, reply.Ename, reply.Evalue)
			}
			prompts := strings.Join(u.asked, "|")
			if len(u.asked) == 0 {
				prompts = "-"
			}
			if prompts != c.prompts {
				t.Errorf("asked %q, want %q", prompts, c.prompts)
			}
		})
	}
}

func TestReadersGoOnInLaterCellsAndAnswersDoNot(t *testing.T) {
	s := newTestSession(t)
	u := &user{answers: []string{"one two", "three", "four"}}
	s.BindInput(u.ask)
	printing(s, "var word string\nfmt.Scan(&word)")
	if out, _ := printing(s, "fmt.Scan(&word)\nfmt.Print(word)"); out != "three" {
		t.Errorf("the second cell read %q: the rest of an answer belongs to its cell", out)
	}
	printing(s, "in := bufio.NewScanner(os.Stdin)")
	if out, reply := printing(s, "in.Scan()\nfmt.Print(in.Text())"); out != "four" {
		t.Errorf("%q, %s", out, reply.Evalue)
	}
}

func TestInputThatNobodyGivesIsAnErrorAtOnce(t *testing.T) {
	for name, code := range map[string]string{
		"Scan":      `var n int; fmt.Scan(&n)`,
		"retries":   `var n int; for n == 0 { fmt.Scan(&n) }`,
		"scanner":   `s := bufio.NewScanner(os.Stdin); for s.Scan() {}`,
		"all":       `io.ReadAll(os.Stdin)`,
		"goroutine": `done := make(chan bool); go func() { var n int; fmt.Scan(&n); done <- true }(); <-done`,
		"recovers":  `func() { defer func() { recover() }(); var n int; fmt.Scan(&n) }()`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, bound := range []bool{false, true} {
				s := newTestSession(t)
				reason := "there is no front end that can answer"
				if bound {
					s.BindInput(new(user).ask)
					reason = errAway.Error()
				}
				execute(s, "kept := 41", discard)
				_, reply := printing(s, code)
				if reply.Ename != "input error" || !strings.Contains(reply.Evalue, reason) || !strings.Contains(reply.Evalue, "parameters cell") {
					t.Errorf("%s: %s", reply.Ename, reply.Evalue)
				}
				if out, reply := printing(s, "fmt.Print(kept + 1)"); out != "42" {
					t.Errorf("afterward %q: %s", out, reply.Evalue)
				}
				s.Close()
			}
		})
	}
}

func TestPromptReturnsTheReasonWhyNobodyAnswers(t *testing.T) {
	s := newTestSession(t)
	code := `answer, err := display.Prompt("n? "); fmt.Printf("%q %v", answer, err)`
	if out, _ := printing(s, code); out != `"" display: asking "n? ": there is no front end that can answer` {
		t.Errorf("without a user: %s", out)
	}
	s.BindInput(new(user).ask)
	if out, _ := printing(s, code); out != `"" display: asking "n? ": the user is away` {
		t.Errorf("without an answer: %s", out)
	}
}

func TestInterruptEndsAQuestionAndKeepsTheState(t *testing.T) {
	for name, code := range map[string]string{
		"Scan":      `fmt.Scan(&kept)`,
		"ReadAll":   `io.ReadAll(os.Stdin)`,
		"Prompt":    `display.Prompt("n? ")`,
		"goroutine": "go fmt.Scan(&kept)\nfmt.Scan(&kept)",
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestSession(t)
			asked, released := make(chan bool, 2), make(chan bool)
			s.BindInput(func(string, bool) (string, error) {
				asked <- true
				<-released // a client that never answers
				return "", errAway
			})
			execute(s, "kept := 41", discard)
			replies := make(chan protocol.ExecuteReply, 1)
			go func() { replies <- execute(s, code, discard) }()
			select {
			case <-asked:
			case reply := <-replies:
				t.Fatalf("not asked: %s: %s", reply.Ename, reply.Evalue)
			}
			s.Interrupt()
			select {
			case reply := <-replies:
				if reply.Ename != "KeyboardInterrupt" {
					t.Errorf("%s: %s", reply.Ename, reply.Evalue)
				}
			case <-time.After(waitingTime):
				t.Fatal("the cell waits for the answer after an interrupt")
			}
			close(released) // the abandoned goroutine must do no harm
			s.BindInput((&user{answers: []string{"7"}}).ask)
			if out, reply := printing(s, "var n int\nfmt.Scan(&n)\nfmt.Print(kept + n)"); out != "48" {
				t.Errorf("the next cell printed %q: %s", out, reply.Evalue)
			}
		})
	}
}

func TestProgramsReadTheirInputAsItIs(t *testing.T) {
	for name, c := range map[string]struct{ input, code, want string }{
		"lines": {"a\n\nb", `for in := bufio.NewScanner(os.Stdin); in.Scan(); { fmt.Print(in.Text(), ";") }`, "a;;b;"},
		"bytes": {"\x00\xff\n", `b, err := io.ReadAll(os.Stdin); fmt.Print(b, err)`, "[0 255 10] <nil>"},
		"Scan":  {"1 2\n3", `n, sum := 0, 0; for { if _, err := fmt.Scan(&n); err != nil { fmt.Print(sum, " ", err); break }; sum += n }`, "6 EOF"},
		"main":  {"5\n", "package main\nimport \"fmt\"\nfunc main() { var n int; fmt.Scanln(&n); fmt.Print(n * n) }", "25"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestSession(t)
			s.ReadInput(iotest.OneByteReader(strings.NewReader(c.input)))
			if out, reply := printing(s, c.code); out != c.want {
				t.Errorf("printed %q, want %q; %s", out, c.want, reply.Evalue)
			}
		})
	}
}

func TestInterruptEndsAProgramThatWaitsForItsInput(t *testing.T) {
	s := newTestSession(t)
	r, w := io.Pipe()
	defer w.Close()
	waits := make(chan bool)
	s.ReadInput(readerFunc(func(p []byte) (int, error) {
		close(waits)
		return r.Read(p)
	}))
	replies := make(chan protocol.ExecuteReply, 1)
	go func() { replies <- execute(s, "io.ReadAll(os.Stdin)", discard) }()
	select {
	case <-waits:
	case reply := <-replies:
		t.Fatalf("not read: %s: %s", reply.Ename, reply.Evalue)
	}
	s.Interrupt()
	if reply := <-replies; reply.Ename != "KeyboardInterrupt" {
		t.Errorf("%s: %s", reply.Ename, reply.Evalue)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestAnInterruptWhileACellIsCompiledIsNotLost(t *testing.T) {
	s := newTestSession(t)
	execute(s, "x := 1", discard)
	reply := execute(s, "x = 2\nfunc declared() int { return x }", func(content protocol.Content) {
		if _, ok := content.(protocol.ExecuteInput); ok {
			s.Interrupt() // before the cell is parsed
		}
	})
	if reply.Ename != "KeyboardInterrupt" {
		t.Errorf("%s: %s", reply.Ename, reply.Evalue)
	}
	if out, reply := printing(s, "fmt.Print(x)"); out != "1" {
		t.Errorf("x is %q: %s", out, reply.Evalue)
	}
	if reply := execute(s, "declared()", discard); reply.Ename != "compile error" {
		t.Errorf("the interrupted cell has declared its function: %+v", reply)
	}
}

func TestAnInterruptBetweenCellsIsForgotten(t *testing.T) {
	s := newTestSession(t)
	execute(s, "x := 1", discard)
	s.Interrupt()
	if out, reply := printing(s, "fmt.Print(x)"); out != "1" {
		t.Errorf("%q: %s", out, reply.Evalue)
	}
}
