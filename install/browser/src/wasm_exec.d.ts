// wasm_exec.js of the Go distribution is copied to lib when the extension is built.
export {};
