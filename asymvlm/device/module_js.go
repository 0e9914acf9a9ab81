package device

import (
	_ "embed"
	"sync"
	"syscall/js"
	"unsafe"
)

// Go's assembler for WebAssembly has no vector instructions. The program therefore instantiates a
// second WebAssembly module, whose functions have them and which shares the memory of the program.
// The program in generate/webassembly translates it from the assembly for amd64.
//
// The module has two versions. fusedCode has fused multiply-adds; its results have the bits of the
// assembly for AVX2. It needs relaxed vector instructions of the host and fused multiply-adds of
// the CPU. On other hosts moduleCode is used, which rounds a product before it adds, as the loops
// in Go do.
//
// The program cannot import the functions of the module with //go:wasmimport: a program starts only
// on hosts that provide all its imports, and wasm_exec.js of the Go distribution would not provide
// these. A program has no access to its own memory object either. A host therefore sets
// globalThis.gosphereMemory to the memory that the program exports, before it runs the program:
//
//	globalThis.gosphereMemory = instance.exports.mem;
//	go.run(instance);
//
// Without that object, or on hosts without vector instructions, the loops in Go are used. A call
// through syscall/js takes a fraction of a microsecond, so the module is not called for short
// vectors (see leastCall).

// memoryName is the name of the property of the global object that is the program's memory.
const memoryName = "gosphereMemory"

var (
	//go:embed kernels.wasm
	moduleCode []byte
	//go:embed kernels_fused.wasm
	fusedCode []byte
)

// A moduleFunction is a function of the module. It takes the address of a frame, which is a struct
// with its arguments and results.
type moduleFunction struct {
	name  string
	frame unsafe.Pointer
}

var (
	// calling guards frames.
	calling sync.Mutex
	// bound holds the functions, each bound to the address of its frame, in the order of
	// moduleFunctions.
	bound [len(moduleFunctions)]js.Value
)

// callModule calls a function of the module with the arguments in its frame. The objects that the
// arguments point to do not move: the frame is a global variable, so what it refers to is on the
// heap or global.
func callModule(function int) { bound[function].Invoke() }

// bindModule instantiates the module at the first call and returns its vector unit.
var bindModule = sync.OnceValue(makeModule)

// makeModule instantiates the best version of the module that the host can run and returns its
// vector unit, which is zero if the host can run none.
func makeModule() vectorUnit {
	memory := js.Global().Get(memoryName)
	if memory.Type() != js.TypeObject {
		return vectorUnit{}
	}
	if bindFunctions(fusedCode, memory) && isFused() {
		return vectorUnit{simd: true, fused: true}
	}
	return vectorUnit{simd: bindFunctions(moduleCode, memory)}
}

// bindFunctions instantiates a module and reports whether its functions can be called. Hosts
// without the vector instructions reject the code.
func bindFunctions(code []byte, memory js.Value) (ok bool) {
	defer func() {
		if problem := recover(); problem != nil {
			ok = false
		}
	}()
	bytes := js.Global().Get("Uint8Array").New(len(code))
	js.CopyBytesToJS(bytes, code)
	assembly := js.Global().Get("WebAssembly")
	module := assembly.Get("Module").New(bytes)
	imports := map[string]any{"go": map[string]any{"mem": memory}}
	exports := assembly.Get("Instance").New(module, imports).Get("exports")
	for i, f := range moduleFunctions {
		bound[i] = exports.Get(f.name).Call("bind", js.Null(), uintptr(f.frame))
	}
	return true
}

// isFused reports whether the host rounds a·b + c once, as a fused multiply-add does.
func isFused() bool {
	var dst, src [lanes]float32
	for i := range lanes {
		dst[i], src[i] = -1, 1-0x1p-12
	}
	combineAVX2(&dst[0], &src[0], lanes, 1, 1+0x1p-12) // (1+2⁻¹²)(1−2⁻¹²) − 1
	return dst[0] == -0x1p-24
}
