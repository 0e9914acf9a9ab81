// Command webassembly translates the functions of the amd64 assembly to a WebAssembly module with
// vectors of 128 bits, and writes the Go functions that call them.
//
// Go's assembler for WebAssembly has no vector instructions, so they are in a second module that
// shares the memory of the program. A register of 256 bits, such as Y3, becomes two variables of
// 128 bits. Two kinds of functions are not translated: the matrix products, for which product.go
// has a kernel of its own, and the functions for bfloat16.
//
// The relaxed multiply-add of WebAssembly may or may not round its product, depending on the host.
// So there are two modules. One uses that instruction, for hosts where it is fused, and has the
// bits of the assembly. The other one rounds products before it adds them, and has the same bits on
// all hosts.
//
// Read module.go (the encoding), read.go, translate.go and instructions.go, then calls.go.
package main

import (
	"log"
	"os"
	"strings"
)

func main() {
	if len(os.Args) != 5 {
		log.Fatal("usage: webassembly kernels_amd64.s kernels.wasm kernels_fused.wasm kernels_js.go")
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var calls string
	for i, isFused := range []bool{false, true} {
		var code []byte
		if code, calls, err = generate(string(text), isFused); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(os.Args[2+i], code, 0o644); err != nil {
			log.Fatal(err)
		}
	}
	if err := os.WriteFile(os.Args[4], []byte(calls), 0o644); err != nil {
		log.Fatal(err)
	}
}

// generate returns a module, with fused multiply-adds or without, and the Go file that calls it.
func generate(text string, isFused bool) (module []byte, calls string, err error) {
	functions, table, err := readAssembly(text)
	if err != nil {
		return nil, "", err
	}
	product, err := readSignature(productSignature)
	if err != nil {
		return nil, "", err
	}
	translated := []function{product}
	bodies := []*body{productBody(product, isFused)}
	var others []function
	for _, f := range functions {
		if isLeft(f.name) {
			others = append(others, f)
			continue
		}
		b, err := translate(f, table, isFused)
		if err != nil {
			return nil, "", err
		}
		translated = append(translated, f)
		bodies = append(bodies, b)
	}
	names := make([]string, len(translated))
	for i, f := range translated {
		names[i] = f.name
	}
	calls, err = callsOf(translated, others)
	return encode(names, bodies), calls, err
}

// isLeft reports whether a function is not translated.
func isLeft(name string) bool {
	return strings.HasPrefix(name, "product") || strings.HasPrefix(name, "copyPairs") || strings.HasPrefix(name, "transposePairs")
}
