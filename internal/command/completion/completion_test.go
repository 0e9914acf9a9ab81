package completion

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// line is a small command line with everything that completion knows.
type line struct {
	Export struct {
		To       string `enum:"html,go" help:"What's written: a page or a program." required:""`
		Output   string `short:"o" help:"File."`
		NoCode   bool   `help:"Leave code out. It is shown otherwise."`
		Notebook string `arg:"" help:"The notebook."`
	} `cmd:"" help:"Write a notebook."`
	Encoder struct {
		List struct{} `cmd:"" help:"List models."`
		Get  struct {
			Model string `arg:"" enum:"small,large"`
		} `cmd:"" help:"Download."`
	} `cmd:"" help:"Networks."`
	Style  string   `enum:"plain,two words" default:"plain" help:"How: it looks."`
	Secret struct{} `cmd:"" hidden:""`
}

// cases are command lines, of which the last word is being typed, and what is offered.
var cases = []struct{ typed, want string }{
	{"e", "encoder export"},
	{"export --to ", "go html"},
	{"export --t", "--to"},
	{"export --no-", "--no-code"},
	{"encoder ", "get list"},
	{"encoder get ", "large small"},
	{"encoder get s", "small"},
	{"export x.ipynb -o no", "notes.txt"},
	{"export no", "notes.txt"},
	{"--sty", "--style"},
	{"--style t", "two words"},
	{"sec", ""},
}

// script writes the script of a shell, and a file to complete, into a folder that becomes the
// current one.
func script(t *testing.T, shell string) {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		t.Skipf("no %s on this machine", shell)
	}
	parser, err := kong.New(&line{}, kong.Name("tool"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	var text strings.Builder
	if err := Write(&text, shell, parser.Model); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"script": text.String(), "notes.txt": ""} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// offered runs a shell and returns the lines that it prints, sorted, between blanks.
func offered(t *testing.T, shell string, arguments ...string) string {
	t.Helper()
	output, err := exec.Command(shell, arguments...).CombinedOutput()
	if err != nil {
		t.Errorf("%s %q: %v\n%s", shell, arguments, err, output)
	}
	var list []string
	for offer := range strings.Lines(string(output)) {
		offer, _, _ = strings.Cut(strings.TrimSpace(offer), "\t")
		if offer != "" && offer != "script" {
			list = append(list, offer)
		}
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " ")
}

func TestBashOffersCommandsFlagsValuesAndFiles(t *testing.T) {
	script(t, "bash")
	for _, c := range cases {
		words := strings.Split("tool "+c.typed, " ")
		if strings.HasSuffix(c.typed, "two words") {
			continue
		}
		quotedWords := make([]string, len(words))
		for i, w := range words {
			quotedWords[i] = quoted(w, `'\''`)
		}
		program := "source ./script; COMP_WORDS=(" + strings.Join(quotedWords, " ") + "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _tool; printf '%s\\n' \"${COMPREPLY[@]}\""
		if got := offered(t, "bash", "--norc", "-c", program); got != c.want {
			t.Errorf("%q: %q, want %q", c.typed, got, c.want)
		}
	}
	// Bash cuts words at equal signs.
	program := `source ./script; COMP_WORDS=(tool export --to = h); COMP_CWORD=4; _tool; printf '%s\n' "${COMPREPLY[@]}"`
	if got := offered(t, "bash", "--norc", "-c", program); got != "html" {
		t.Errorf("--to=h: %q", got)
	}
}

func TestFishOffersCommandsFlagsValuesAndFiles(t *testing.T) {
	script(t, "fish")
	t.Setenv("HOME", t.TempDir())
	for _, c := range cases {
		if got := offered(t, "fish", "--no-config", "-c", "source ./script; complete -C "+quoted("tool "+c.typed, `\'`)); got != c.want {
			t.Errorf("%q: %q, want %q", c.typed, got, c.want)
		}
	}
}

func TestZshReadsItsScript(t *testing.T) {
	script(t, "zsh")
	// Offers are made in a terminal only; the functions by which they are made are replaced.
	const replaced = `compdef() { }; _files() { print -l -- ${PREFIX}*(N) }; compadd() { shift; print -l -- ${(M)@:#${PREFIX}*} }
_describe() { local entry; for entry in "${(@P)2}"; do print -r -- "${${entry%%:*}}"; done | grep -- "^$PREFIX" }
source ./script; words=(%WORDS%); CURRENT=${#words}; PREFIX="${words[-1]}"; _tool; true`
	for _, c := range cases {
		var words []string
		for w := range strings.SplitSeq("tool "+c.typed, " ") {
			words = append(words, quoted(w, `'\''`))
		}
		if got := offered(t, "zsh", "-f", "-c", strings.ReplaceAll(replaced, "%WORDS%", strings.Join(words, " "))); got != c.want {
			t.Errorf("%q: %q, want %q", c.typed, got, c.want)
		}
	}
}

func TestPowerShellOffersCommandsFlagsAndValues(t *testing.T) {
	script(t, "pwsh")
	absolute, err := filepath.Abs("script")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if strings.Contains(c.want, "notes") || strings.HasSuffix(c.typed, "sec") {
			continue // files are PowerShell's own
		}
		program := "Get-Content -Raw " + absolute + " | Invoke-Expression; (TabExpansion2 -inputScript 'tool " + c.typed + "' -cursorColumn " +
			"('tool " + c.typed + "').Length).CompletionMatches.ListItemText"
		if got := offered(t, "pwsh", "-NoProfile", "-Command", program); got != c.want {
			t.Errorf("%q: %q, want %q", c.typed, got, c.want)
		}
	}
}

func TestUnknownShellsAreNamed(t *testing.T) {
	parser, err := kong.New(&line{}, kong.Name("tool"))
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(os.Stdout, "tcsh", parser.Model); err == nil || !strings.Contains(err.Error(), `unknown shell "tcsh"`) {
		t.Errorf("got %v", err)
	}
}
