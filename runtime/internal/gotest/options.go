package gotest

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Options are flags of package testing by name, without the prefix "test.". Only flags on the
// command line are included; flagSet sets the others to their defaults.
type Options map[string]string

// known defines the flags that Parse accepts. Flags for profiles, coverage and fuzzing belong to
// the go command, and package testing keeps the list of -cpu for the whole process. It is called
// for each parse, so that no values are kept.
func known(set *flag.FlagSet) {
	set.String("run", "", "")
	set.String("skip", "", "")
	set.String("bench", "", "")
	set.String("list", "", "")
	set.String("benchtime", "", "")
	set.String("shuffle", "", "")
	set.Bool("v", false, "")
	set.Bool("short", false, "")
	set.Bool("benchmem", false, "")
	set.Bool("failfast", false, "")
	set.Bool("fullpath", false, "")
	set.Uint("count", 1, "")
	set.Int("parallel", 0, "")
}

// parse parses flags of go test and the packages between them. For instance "-v ./a -run X ./b" has
// the flags v and run and the packages ./a and ./b.
func parse(arguments []string) (o Options, packages []string, err error) {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	known(set)
	// A set stops at the first argument that is no flag, which is a package here.
	for len(arguments) > 0 {
		if err := set.Parse(arguments); err != nil {
			return nil, nil, explained(err)
		}
		if arguments = set.Args(); len(arguments) > 0 {
			packages, arguments = append(packages, arguments[0]), arguments[1:]
		}
	}
	o = Options{}
	set.Visit(func(f *flag.Flag) { o[f.Name] = f.Value.String() })
	return o, packages, nil
}

// explained adds the list of flags to the error for an unknown flag.
func explained(err error) error {
	const unknown = "flag provided but not defined: "
	switch {
	case errors.Is(err, flag.ErrHelp):
		return fmt.Errorf("the flags are %s, as in go test", names())
	case strings.HasPrefix(err.Error(), unknown):
		return fmt.Errorf("there is no flag %s here; the flags are %s, as in go test", strings.TrimPrefix(err.Error(), unknown), names())
	}
	return err
}

// names lists the flags.
func names() string {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	known(set)
	var list []string
	set.VisitAll(func(f *flag.Flag) { list = append(list, "-"+f.Name) })
	slices.Sort(list)
	return strings.Join(list, ", ")
}
