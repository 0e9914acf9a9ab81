package notebook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosphere/internal/userfile"
)

// valued are the flags of gosphere run that take their value from the next
// argument.
var valued = []string{"-p", "--parameter", "-o", "--output", "--timeout", "-j", "--jobs", "--device", "--precision"}

// SplitArguments splits a command line of gosphere run as the go command does: arguments after the
// program belong to it, flags included. Notebooks and files of cells accept flags on both sides.
func SplitArguments(arguments []string) (ours, program []string) {
	i := slices.Index(arguments, "run")
	if i < 0 || slices.ContainsFunc(arguments[:i], func(a string) bool { return !strings.HasPrefix(a, "-") && !slices.Contains(valued, a) }) && !onlyValues(arguments[:i]) {
		return arguments, nil
	}
	for i++; i < len(arguments); i++ {
		switch argument := arguments[i]; {
		case slices.Contains(valued, argument):
			i++
		case argument == "--" || strings.HasPrefix(argument, "-") && argument != "-":
		default:
			end := i
			if isGoFile(argument) {
				for end < len(arguments) && isGoFile(arguments[end]) {
					end++
				}
			} else if isProgram(argument) {
				end = i + 1
			} else {
				return arguments, nil
			}
			rest := arguments[end:]
			if len(rest) > 0 && rest[0] == "--" {
				rest = rest[1:]
			}
			return arguments[:end], rest
		}
	}
	return arguments, nil
}

// onlyValues reports whether arguments consist of flags and their values.
func onlyValues(arguments []string) bool {
	for i := 0; i < len(arguments); i++ {
		if slices.Contains(valued, arguments[i]) {
			i++
		} else if !strings.HasPrefix(arguments[i], "-") {
			return false
		}
	}
	return true
}

// isGoFile reports whether a file name is that of a Go program, and not of a file of cells.
func isGoFile(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".cells.go")
}

// isProgram reports whether an argument names a program other than by Go files: standard input, a
// script without a suffix, a folder, or a package of a module.
func isProgram(name string) bool {
	if name == "-" || isPackagePath(name) {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && (info.IsDir() || filepath.Ext(name) == "" && beginsWithMark(name))
}

// isPackagePath reports whether an argument is the import path of a package, with or without a
// version, and not an existing file.
func isPackagePath(name string) bool {
	if _, err := os.Stat(name); err == nil || strings.HasPrefix(name, ".") || filepath.IsAbs(name) {
		return false
	}
	host, _, found := strings.Cut(name, "/")
	return found && strings.Contains(host, ".") && !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".ipynb")
}

// beginsWithMark reports whether a file begins with #!, as scripts do.
func beginsWithMark(name string) bool {
	f, err := userfile.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	var mark [2]byte
	n, _ := f.Read(mark[:])
	return n == 2 && string(mark[:]) == "#!"
}
