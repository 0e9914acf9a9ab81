package magic

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gosphere/internal/userfile"
	"gosphere/runtime/cell/magics"
)

// previous holds the working directory before the last %cd.
var previous struct {
	sync.Mutex
	directory string
}

// changeDirectory implements %cd.
func changeDirectory(i invocation) error {
	previous.Lock()
	defer previous.Unlock()
	before, err := os.Getwd()
	if err != nil {
		return err
	}
	target := i.arguments
	switch {
	case target == "-" && previous.directory == "":
		return errors.New("no previous directory")
	case target == "-":
		target = previous.directory
	case target == "":
		target = "~"
	}
	if target, err = magics.FileName(target); err != nil {
		return err
	}
	if err := os.Chdir(target); err != nil {
		return err
	}
	previous.directory = before
	now, err := os.Getwd()
	if err != nil {
		return err
	}
	say(now)
	return nil
}

// environment implements %env.
func environment(i invocation) error {
	name, value, set := strings.Cut(i.arguments, "=")
	name = strings.TrimSpace(name)
	switch {
	case set:
		value = strings.TrimSpace(value)
		if err := os.Setenv(name, value); err != nil {
			return fmt.Errorf("%q is not a variable name", name)
		}
		say(name + "=" + value)
	case name != "":
		value, found := os.LookupEnv(name)
		if !found {
			return fmt.Errorf("%s is not set: set it with %%env %s=VALUE", name, name)
		}
		say(value)
	default:
		list := os.Environ()
		slices.Sort(list)
		say(strings.Join(list, "\n"))
	}
	return nil
}

// load implements %load.
func load(i invocation) error {
	h, err := host()
	if err != nil {
		return err
	}
	if i.arguments == "" {
		return errors.New("missing file name, as in %load stats.go")
	}
	name, err := magics.FileName(i.arguments)
	if err != nil {
		return err
	}
	text, err := userfile.ReadFile(name, userfile.Source)
	if err != nil {
		return err
	}
	h.SetNextInput("// "+i.name+" "+i.arguments+"\n"+string(text), true)
	return nil
}

// writeFile implements %%writefile.
func writeFile(i invocation) error {
	name, appending := strings.CutPrefix(i.arguments, "-a ")
	name, err := magics.FileName(strings.TrimSpace(name))
	if err != nil {
		return err
	}
	if name == "" || name == "-a" {
		return errors.New("missing file name, as in %%writefile stats.csv")
	}
	done := "Wrote"
	switch _, err := os.Stat(name); {
	case err == nil:
		done = "Overwrote"
	case userfile.IsSystem(err):
		return err
	}
	if appending {
		done = "Appended to"
	}
	if err := userfile.CheckLocal(name); err != nil {
		return err
	}
	write := userfile.Write
	if appending {
		write = appendTo
	}
	if err := write(name, []byte(i.body)); err != nil {
		return err
	}
	say(done + " " + name)
	return nil
}

// appendTo appends to a file, or creates it.
func appendTo(name string, text []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

// save implements %save.
func save(i invocation) error {
	h, err := host()
	if err != nil {
		return err
	}
	words := strings.Fields(i.arguments)
	if len(words) < 2 {
		return errors.New("missing file name or cells, as in %save stats.go 1-3 5")
	}
	name, err := magics.FileName(words[0])
	if err != nil {
		return err
	}
	var text strings.Builder
	count := 0
	for _, word := range words[1:] {
		first, last, err := interval(word)
		if err != nil {
			return err
		}
		for n := first; n <= last; n++ {
			source, ok := h.Source(n)
			if !ok {
				return fmt.Errorf("no cell [%d]", n)
			}
			fmt.Fprintf(&text, "// Cell [%d]\n%s\n\n", n, strings.TrimSpace(source))
			count++
		}
	}
	if err := userfile.CheckLocal(name); err != nil {
		return err
	}
	if err := userfile.Write(name, []byte(strings.TrimSuffix(text.String(), "\n"))); err != nil {
		return err
	}
	cells := "cells"
	if count == 1 {
		cells = "cell"
	}
	say(fmt.Sprintf("Wrote %d %s to %s", count, cells, name))
	return nil
}

// interval parses 3 or 1-3.
func interval(word string) (first, last int, err error) {
	from, to, more := strings.Cut(word, "-")
	if first, err = strconv.Atoi(from); err == nil && more {
		last, err = strconv.Atoi(to)
	} else {
		last = first
	}
	if err != nil || first < 1 || last < first {
		return 0, 0, fmt.Errorf("invalid cells %q, want 3 or 1-3", word)
	}
	return first, last, nil
}
