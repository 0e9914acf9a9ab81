package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// A peer measures other programs.
type peer interface {
	// names returns the programs in the order of the table.
	names() []string
	version(name string) string
	// measure returns the cost of one repetition of a task, or nothing if the program does not
	// support it.
	measure(name string, t task, slice time.Duration) (cost, error)
}

// nobody is the peer without Python.
type nobody struct{}

func (nobody) names() []string                                   { return nil }
func (nobody) version(string) string                             { return "" }
func (nobody) measure(string, task, time.Duration) (cost, error) { return cost{}, nil }

// python is a Python process that reads one request per line and answers each with one line.
type python struct {
	command  *exec.Cmd
	requests io.WriteCloser
	answers  *bufio.Scanner
	programs []struct{ Name, Version string }
}

// startPython starts the other side with as many threads as Go uses.
func startPython(interpreter, script string, threads int) (*python, error) {
	command := exec.Command(interpreter, script, strconv.Itoa(threads))
	for _, name := range []string{"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"} {
		command.Env = append(command.Env, name+"="+strconv.Itoa(threads))
	}
	command.Env = append(os.Environ(), command.Env...)
	command.Stderr = os.Stderr
	requests, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	p := &python{command: command, requests: requests, answers: bufio.NewScanner(output)}
	if err := p.answer(&p.programs); err != nil {
		p.stop()
		return nil, fmt.Errorf("%s %s: %w", interpreter, script, err)
	}
	return p, nil
}

// answer reads one line.
func (p *python) answer(into any) error {
	if !p.answers.Scan() {
		if err := p.answers.Err(); err != nil {
			return err
		}
		return io.ErrUnexpectedEOF
	}
	return json.Unmarshal(p.answers.Bytes(), into)
}

func (p *python) names() []string {
	var names []string
	for _, program := range p.programs {
		names = append(names, program.Name)
	}
	return names
}

func (p *python) version(name string) string {
	for _, program := range p.programs {
		if program.Name == name {
			return program.Version
		}
	}
	return ""
}

func (p *python) measure(name string, t task, slice time.Duration) (cost, error) {
	request := struct {
		Program string  `json:"program"`
		Seconds float64 `json:"seconds"`
		task
	}{name, slice.Seconds(), t}
	line, err := json.Marshal(request)
	if err != nil {
		return cost{}, err
	}
	if _, err := p.requests.Write(append(line, '\n')); err != nil {
		return cost{}, err
	}
	var seconds [2]float64
	err = p.answer(&seconds)
	return cost{seconds[0], seconds[1]}, err
}

// stop ends the process by closing its input.
func (p *python) stop() {
	p.requests.Close()
	p.command.Wait()
}
