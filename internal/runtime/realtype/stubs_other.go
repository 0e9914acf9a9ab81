//go:build !amd64 && !arm64

package realtype

// Stubs exist only for amd64 and arm64. The undefined name stops the build on other architectures.
var _ = cells_need_amd64_or_arm64
