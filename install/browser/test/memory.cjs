// Gives a program that wasm_exec_node.js of the Go distribution runs its own memory.

const instantiate = WebAssembly.instantiate;
WebAssembly.instantiate = async (...parameters) => {
  const result = await instantiate(...parameters);
  globalThis.gosphereMemory = result.instance.exports.mem;
  return result;
};
