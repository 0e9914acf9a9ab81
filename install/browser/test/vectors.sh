#!/bin/sh
# Runs a program in Node with the memory that the vector instructions of package device need, as the
# worker of a page does: GOSPHERE_SIMD=rounded go test -exec install/browser/test/vectors.sh. With GOSPHERE_SIMD=fused
# the host has fused multiply-adds, which Node.js 20 has behind a flag.
[ "$GOSPHERE_SIMD" = fused ] && flags=--experimental-wasm-relaxed-simd
exec node --stack-size=8192 $flags --require "$(dirname "$0")/memory.cjs" "$(go env GOROOT)/lib/wasm/wasm_exec_node.js" "$@"
