package session

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"

	"gosphere/internal/lazyregexp"
)

// internal returns the failure for a defect of this program. It consists of one line about
// the defect, advice, and the path of a report file that holds everything needed to reproduce the
// defect. detail is a stack, or the skeleton that could not be evaluated.
func (d *failures) internal(text, source, detail string) *failure {
	short, what := inWords(text), "cell"
	if d.values.guard.IsProgram() {
		what = "program"
	}
	f := &failure{name: "internal error", value: short, traceback: []string{
		"internal error: " + short,
		"    This is a defect of gosphere and not of the " + what + ". Written in another way it may run: one step in a statement, results in variables.",
	}}
	path, err := d.reports.write(text, what, source, detail)
	if err != nil {
		f.traceback = append(f.traceback, "    There is no file for a report: "+err.Error())
		return f
	}
	f.traceback = append(f.traceback, "    Please report it with the file "+path+", which holds the "+what+" and what gosphere made of it.")
	return f
}

var (
	positions = lazyregexp.New(`^(interpreter: )?(\d+:\d+: )?`)
	marks     = lazyregexp.New(`[ˑΨ]\d*`)
)

// inWords returns the first line of a message, without positions in a skeleton and without the
// marks in the names of skeletons and hidden methods, which mean nothing to the user.
func inWords(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return marks.ReplaceAllString(positions.ReplaceAllString(line, ""), "")
}

// reports holds the report files of internal errors, one for each message.
type reports struct {
	mu    sync.Mutex // guards files
	files map[string]string
}

// write writes a report and returns its path. If there is already a report with the same message,
// write returns its path instead. A defect in a loop, or a cell that is run again, makes one file.
//
// The file is in the folder for temporary files, since the notebook's folder may be read-only.
func (r *reports) write(text, what, source, detail string) (path string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if path := r.files[text]; path != "" {
		return path, nil
	}
	file, err := os.CreateTemp("", "gosphere-report-*.txt")
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintf(file, "%s\n%s %s/%s\n\nThe %s:\n\n%s\n\nWhat gosphere made of it, and where it failed:\n\n%s\n",
		text, runtime.Version(), runtime.GOOS, runtime.GOARCH, what, source, detail)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", err
	}
	if r.files == nil {
		r.files = map[string]string{}
	}
	r.files[text] = file.Name()
	return file.Name(), nil
}
