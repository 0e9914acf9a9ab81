//go:build !amd64 && !arm64 && !wasm

package realtype

// Stubs exist only for amd64, arm64 and wasm. The undefined name stops the build on other
// architectures.
var _ = cells_need_amd64_arm64_or_wasm
