// Package completion has the subcommand that prints completion scripts for shells, made from the
// model of the command line.
//
// Read model.go, which collects words, then one file for each shell.
package completion

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Completion is the subcommand that prints a completion script.
type Completion struct {
	Shell string `arg:"" enum:"bash,zsh,fish,powershell" help:"Shell: bash, zsh, fish or powershell."`
}

// Run prints the script.
func (c Completion) Run(context *kong.Context) error {
	return Write(context.Stdout, c.Shell, context.Model)
}

// writers print scripts by shell.
var writers = map[string]func(io.Writer, string, []command) error{
	"bash": writeBash, "zsh": writeZsh, "fish": writeFish, "powershell": writePowerShell,
}

// Write prints the completion script of a command line for a shell.
func Write(out io.Writer, shell string, model *kong.Application) error {
	write, known := writers[shell]
	if !known {
		return fmt.Errorf("completion: unknown shell %q; there are bash, zsh, fish and powershell", shell)
	}
	return write(out, model.Name, collect(model.Node, ""))
}

// A command is what may follow some words of the command line.
type command struct {
	path  string // the words so far, each after a slash; "" is the program itself
	words []word // the subcommands
	flags []flag
	args  []string // what the first argument may be; nil for files
}

// A word is a subcommand.
type word struct{ name, help string }

// A flag is a flag with what may follow it.
type flag struct {
	long, short, help string
	takes             bool     // a value follows
	values            []string // what it may be; nil for files
}

// names returns the forms of the flag on the command line.
func (f flag) names() []string {
	names := []string{"--" + f.long}
	if f.short != "" {
		names = append(names, "-"+f.short)
	}
	return names
}

// collect lists a node and its subcommands.
func collect(node *kong.Node, path string) []command {
	c := command{path: path}
	for _, group := range node.AllFlags(true) {
		for _, f := range group {
			if !slices.ContainsFunc(c.flags, func(known flag) bool { return known.long == f.Name }) {
				c.flags = append(c.flags, flagOf(f))
			}
		}
	}
	for _, argument := range node.Positional {
		if argument.Enum != "" && c.args == nil {
			c.args = values(argument.Enum)
		}
	}
	list := []command{}
	for _, child := range node.Children {
		if child.Hidden || child.Type != kong.CommandNode {
			continue
		}
		c.words = append(c.words, word{child.Name, firstSentence(child.Help)})
		list = append(list, collect(child, path+"/"+child.Name)...)
	}
	return append([]command{c}, list...)
}

// flagOf returns what completion needs of a flag.
func flagOf(f *kong.Flag) flag {
	made := flag{long: f.Name, help: firstSentence(f.Help), takes: !f.IsBool() && !f.IsCounter()}
	if f.Short != 0 {
		made.short = string(f.Short)
	}
	if f.Enum != "" {
		made.values = values(f.Enum)
	}
	return made
}

// values returns the words of an enumeration.
func values(enum string) []string {
	return slices.DeleteFunc(strings.Split(enum, ","), func(value string) bool { return value == "" })
}

// firstSentence shortens a help to one line that needs no quoting but for quotes themselves.
func firstSentence(help string) string {
	help = strings.Join(strings.Fields(help), " ")
	if first, _, more := strings.Cut(help, ". "); more {
		help = first
	}
	return strings.TrimSuffix(help, ".")
}

// quoted writes a text between single quotes; the inner ones are written as the shell wants them.
func quoted(text, inner string) string { return "'" + strings.ReplaceAll(text, "'", inner) + "'" }

// heading returns the first line of a script.
func heading(name, shell, how string) string {
	return fmt.Sprintf("# Completion of %s for %s. Made by: %s completion %s\n# %s\n", name, shell, name, shell, how)
}
